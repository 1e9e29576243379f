#include "request_body.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

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
