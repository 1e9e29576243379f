// Which requests a local server may answer: those of its own page, and of programs of the same machine.
#pragma once

#include <string>
#include <vector>

#include "http.h"
#include "listening_socket.h"

namespace fovea::explorer {

// A page of another site can make a browser send requests here, and a name of its own can be made to point
// to this machine (DNS rebinding). Such requests carry another Host, another Origin, or say cross-site.
class RequestGuard {
 public:
  // The server is reached as localhost, by the host it was told to listen on, and by that one's address. If
  // it listens on all addresses, it is also reached by those and by the machine's name in the network: no
  // other site can make a browser send one of these as Host.
  RequestGuard(const std::string& host, const ListeningSocket& socket);

  // Throw RequestError: 421 for a Host that is not ours, 403 for requests from elsewhere, 415 for a body
  // that is not JSON.
  void check_nothing(const HttpRequest& /*request*/) const {}  // there is nothing to learn from the answer
  void check_page(const HttpRequest& request) const;
  void check_api(const HttpRequest& request) const;
  void check_change(const HttpRequest& request) const;  // POST, DELETE

 private:
  void check_host(const HttpRequest& request) const;
  bool is_ours(const std::string& host) const;

  std::string port_;                // ":7373"
  std::vector<std::string> hosts_;  // "localhost", "[::1]"
  bool any_address_ = false;
};

}  // namespace fovea::explorer
