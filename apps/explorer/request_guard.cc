#include "request_guard.h"

#include <algorithm>

#include "fovea/ascii.h"
#include "request_error.h"

namespace fovea::explorer {

std::string host_in_url(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

RequestGuard::RequestGuard(const std::string& host, int port) {
  for (const std::string& name : {std::string("localhost"), std::string("127.0.0.1"), std::string("[::1]"),
                                  ascii_lower_case(host_in_url(host))}) {
    hosts_.push_back(name + ":" + std::to_string(port));
    if (port == 80) hosts_.push_back(name);
  }
}

void RequestGuard::check_host(const HeaderOf& header) const {
  if (std::find(hosts_.begin(), hosts_.end(), ascii_lower_case(header("Host"))) == hosts_.end()) {
    throw RequestError(
        421, "this server does not go by that name (the Host header); it is reached at " + hosts_.front());
  }
}

// Following a link to the page is fine, whoever wrote the link; the answer is shown to nobody else.
void RequestGuard::check_page(const HeaderOf& header) const {
  check_host(header);
  const std::string site = header("Sec-Fetch-Site");
  const bool elsewhere = site == "cross-site" || site == "same-site";
  if (elsewhere && header("Sec-Fetch-Mode") != "navigate") {
    throw RequestError(403, "requests of other sites are not answered");
  }
}

void RequestGuard::check_api(const HeaderOf& header) const {
  check_host(header);
  const std::string site = header("Sec-Fetch-Site");
  if (site == "cross-site" || site == "same-site") {
    throw RequestError(403, "requests of other sites are not answered");
  }
}

void RequestGuard::check_change(const HeaderOf& header, bool has_body) const {
  check_api(header);
  const std::string origin = header("Origin");
  if (!origin.empty() && ascii_lower_case(origin) != "http://" + ascii_lower_case(header("Host"))) {
    throw RequestError(403, "requests of other sites are not answered (the Origin header)");
  }
  const std::string type = ascii_lower_case(header("Content-Type"));
  if (has_body && type != "application/json" && !type.starts_with("application/json;")) {
    throw RequestError(415, "expected Content-Type: application/json");
  }
}

}  // namespace fovea::explorer
