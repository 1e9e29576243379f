// Which address is answered by what.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "http_requests.h"
#include "request_guard.h"

namespace fovea::explorer {

class Routes {
 public:
  using Check = void (RequestGuard::*)(const HttpRequest&) const;
  // id: what stands at the star of the path
  using MakeTask = std::function<HttpTask(const HttpRequest& request, const std::string& id)>;

  // "/api/captures/*/rows": the star stands for letters and digits. HEAD is asked of what GET is for.
  void add(const std::string& method, const std::string& path, Check allowed, MakeTask make_task);

  // Both throw RequestError: 404, or what the check throws.
  void check(const HttpRequest& request, const RequestGuard& guard) const;
  HttpTask task(const HttpRequest& request) const;

 private:
  struct Route {
    std::string method, path;
    Check allowed;
    MakeTask make_task;
  };
  struct Found {
    const Route& route;
    std::string id;
  };
  Found find(const HttpRequest& request) const;

  std::vector<Route> routes_;
};

}  // namespace fovea::explorer
