#include "study_routes.h"

#include <fmt/core.h>

#include "fovea/base64.h"
#include "fovea/safetensors.h"
#include "parameters.h"
#include "request_error.h"
#include "state.h"

namespace fovea::explorer {
namespace {

// The answer is there already.
HttpTask study_answer(StudyStore::Body body) {
  return {
      .work = [answer = HttpAnswer{.body = std::move(body)}](const std::stop_token&) { return answer; }};
}

}  // namespace

void add_study_routes(Routes& routes, const StudyStore& studies) {
  routes.add(
      "GET", "/api/studies/*", &RequestGuard::check_api,
      [&studies](const HttpRequest&, const std::string& id) { return study_answer(studies.overview(id)); });
  routes.add("GET", "/api/studies/*/head", &RequestGuard::check_api,
             [&studies](const HttpRequest& request, const std::string& id) {
               const Index heads = studies.heads(id);
               const auto head = integer_parameter(request.parameters, "head", 0, heads - 1);
               if (!head) {
                 throw RequestError(400, fmt::format("head: expected a number from 0 to {}", heads - 1));
               }
               return study_answer(studies.head(id, *head));
             });
}

PageFile study_page(const Page& page, const std::vector<Study>& studies) {
  const StudyStore store(studies);
  NamedArrays arrays("[page]");
  arrays.metadata()["state"] = state_json({}, {}, Limits(), nullptr, &store);
  arrays.metadata()["examples"] = examples_json();
  for (std::size_t s = 0; s < store.size(); ++s) {
    const std::string id = fmt::format("s{}", s);
    arrays.metadata()["study." + id] = *store.overview(id);
    std::string cards = "[";
    for (Index h = 0; h < store.heads(id); ++h) cards += (h == 0 ? "" : ",") + *store.head(id, h);
    arrays.metadata()["study." + id + ".heads"] = cards + "]";
  }
  return {with_data(page.html, to_base64(safetensors_bytes(arrays))), "", 0};
}

}  // namespace fovea::explorer
