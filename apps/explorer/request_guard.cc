#include "request_guard.h"

#include <algorithm>

#include "fovea/ascii.h"
#include "own_names.h"
#include "request_error.h"

namespace fovea::explorer {

RequestGuard::RequestGuard(const std::string& host, const ListeningSocket& socket)
    : port_(":" + std::to_string(socket.port())),
      hosts_({"localhost", "127.0.0.1", "[::1]", ascii_lower_case(host_in_url(host)),
              host_in_url(socket.address())}),
      any_address_(socket.is_any_address()) {
  if (any_address_) {
    for (const std::string& name : own_names()) hosts_.push_back(name);
  }
}

bool RequestGuard::is_ours(const std::string& host) const {
  if (std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end()) return true;
  if (!any_address_) return false;
  // Addresses come and go while the server runs.
  const std::vector<OwnAddress> own = own_addresses();
  return std::any_of(own.begin(), own.end(),
                     [&](const OwnAddress& address) { return host_in_url(address.text) == host; });
}

void RequestGuard::check_host(const HttpRequest& request) const {
  std::string host = ascii_lower_case(request.header("host"));
  if (host.ends_with(port_)) {
    host.resize(host.size() - port_.size());
  } else if (port_ != ":80") {  // which browsers leave out
    host.clear();
  }
  if (!host.empty() && is_ours(host)) return;
  throw RequestError(421, "wrong Host header; this server is reached at " + hosts_.front() + port_);
}

// Following a link to the page is fine, whoever wrote the link; the answer is shown to nobody else.
void RequestGuard::check_page(const HttpRequest& request) const {
  check_host(request);
  const std::string site = request.header("sec-fetch-site");
  const bool elsewhere = site == "cross-site" || site == "same-site";
  if (elsewhere && request.header("sec-fetch-mode") != "navigate") {
    throw RequestError(403, "requests from other sites are refused");
  }
}

void RequestGuard::check_api(const HttpRequest& request) const {
  check_host(request);
  const std::string site = request.header("sec-fetch-site");
  if (site == "cross-site" || site == "same-site") {
    throw RequestError(403, "requests from other sites are refused");
  }
}

void RequestGuard::check_change(const HttpRequest& request) const {
  check_api(request);
  // Two Origins count as one that is not ours.
  const bool has_origin = request.headers.count("origin") > 0;
  if (has_origin &&
      ascii_lower_case(request.header("origin")) != "http://" + ascii_lower_case(request.header("host"))) {
    throw RequestError(403, "requests from other sites are refused (the Origin header)");
  }
  const std::string type = ascii_lower_case(request.header("content-type"));
  if (request.method == "POST" && type != "application/json" && !type.starts_with("application/json;")) {
    throw RequestError(415, "expected Content-Type: application/json");
  }
}

}  // namespace fovea::explorer
