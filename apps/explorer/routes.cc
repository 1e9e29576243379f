#include "routes.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "request_error.h"

namespace fovea::explorer {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// What stands at the pattern's star; "" for a pattern without one.
std::optional<std::string> id_in(std::string_view path, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return path == pattern ? std::optional<std::string>("") : std::nullopt;
  const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  if (path.size() < pattern.size() || !path.starts_with(before) || !path.ends_with(after))
    return std::nullopt;
  const std::string_view id = path.substr(star, path.size() - before.size() - after.size());
  if (!std::all_of(id.begin(), id.end(), is_letter_or_digit)) return std::nullopt;
  return std::string(id);
}

}  // namespace

void Routes::add(const std::string& method, const std::string& path, Check allowed, MakeTask make_task) {
  routes_.push_back({method, path, allowed, std::move(make_task)});
}

Routes::Found Routes::find(const HttpRequest& request) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : routes_) {
    if (route.method != method) continue;
    if (std::optional<std::string> id = id_in(request.path, route.path)) return {route, std::move(*id)};
  }
  throw RequestError(404, "there is no such address");
}

void Routes::check(const HttpRequest& request, const RequestGuard& guard) const {
  (guard.*find(request).route.allowed)(request);
}

HttpTask Routes::task(const HttpRequest& request) const {
  const Found found = find(request);
  return found.route.make_task(request, found.id);
}

}  // namespace fovea::explorer
