#include "json_text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "fovea/examples.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

std::string text_field(const nlohmann::json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || !found->is_string()) {
    throw RequestError(400, fmt::format("\"{}\": expected a text", name));
  }
  return found->get<std::string>();
}

}  // namespace

std::string compact_json(const std::string& json) { return nlohmann::ordered_json::parse(json).dump(); }

std::string examples_json() {
  using OrderedJson = nlohmann::ordered_json;
  OrderedJson all = OrderedJson::array();
  for (const Example& example : examples()) {
    OrderedJson account = OrderedJson::parse(to_json(example.account));
    account["id"] = example.id;
    account["title"] = {{"en", example.title.en}, {"zh", example.title.zh}};
    all.push_back(std::move(account));
  }
  return OrderedJson{{"examples", std::move(all)}}.dump();
}

CaptureRequest parse_capture_request(const std::string& body) {
  const nlohmann::json fields = nlohmann::json::parse(body, nullptr, false);
  if (fields.is_discarded()) throw RequestError(400, "the body is not JSON in UTF-8");
  if (!fields.is_object())
    throw RequestError(400, "the body should be an object: {\"model\": .., \"text\": ..}");
  CaptureRequest request{text_field(fields, "model"), text_field(fields, "text"), {}};
  if (const auto second = fields.find("text2"); second != fields.end() && !second->is_null()) {
    request.second_text = text_field(fields, "text2");
  }
  return request;
}

}  // namespace fovea::explorer
