// Which requests a local server may answer: those of its own page, and of programs of the same machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fovea::explorer {

// The header of a request by name; "" if it is not there.
using HeaderOf = std::function<std::string(const std::string& name)>;

// A page of another site can make a browser send requests here, and a name of its own can be made to point
// to this machine (DNS rebinding). Such requests carry another Host, another Origin, or say cross-site.
class RequestGuard {
 public:
  // Names by which the server is reached: loopback's, and the one it was told to listen on.
  RequestGuard(const std::string& host, int port);

  // Throw RequestError: 421 for a Host that is not ours, 403 for requests from elsewhere, 415 for a body
  // that is not JSON.
  void check_page(const HeaderOf& header) const;
  void check_api(const HeaderOf& header) const;
  void check_change(const HeaderOf& header, bool has_body) const;  // POST, DELETE

 private:
  void check_host(const HeaderOf& header) const;
  std::vector<std::string> hosts_;  // "localhost:7373"
};

// "::1" is written "[::1]" in an address.
std::string host_in_url(const std::string& host);

}  // namespace fovea::explorer
