#include "request_body.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "request_error.h"

namespace fovea::explorer {
namespace {

// Keeps the texts of the outermost object and nothing else: a tree of all values would take many times the
// bytes of the body.
class TextFields : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TextFields(const std::vector<std::string>& names) : names_(names) {}

  bool is_object() const { return is_object_; }
  bool is_null(const std::string& name) const {
    return !fields_.contains(name) || fields_.at(name).is_null;
  }
  std::string text(const std::string& name) {
    const auto found = fields_.find(name);
    if (found == fields_.end() || !found->second.is_text) {
      throw RequestError(400, fmt::format("\"{}\": expected a string", name));
    }
    return std::move(found->second.text);
  }

  bool null() override { return keep({.is_null = true}); }
  bool boolean(bool /*value*/) override { return keep({}); }
  bool number_integer(std::int64_t /*value*/) override { return keep({}); }
  bool number_unsigned(std::uint64_t /*value*/) override { return keep({}); }
  bool number_float(double /*value*/, const std::string& /*digits*/) override { return keep({}); }
  bool string(std::string& value) override { return keep({.is_text = true, .text = value}); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return keep({}); }
  bool start_object(std::size_t /*elements*/) override {
    if (depth_ == 0) is_object_ = true;
    return begin();
  }
  bool start_array(std::size_t /*elements*/) override { return begin(); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(std::string& name) override {
    if (depth_ == 1) key_ = name;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    return false;
  }

 private:
  struct Field {
    bool is_null = false, is_text = false;
    std::string text = {};
  };

  bool keep(Field field) {
    const bool wanted = std::find(names_.begin(), names_.end(), key_) != names_.end();
    if (depth_ == 1 && is_object_ && wanted) fields_[key_] = std::move(field);
    return true;
  }
  bool begin() {
    keep({});
    ++depth_;
    return true;
  }
  bool end() {
    --depth_;
    return true;
  }

  const std::vector<std::string>& names_;
  std::map<std::string, Field> fields_;
  std::string key_;
  std::size_t depth_ = 0;
  bool is_object_ = false;
};

// "12.345": token ids.
std::vector<Index> parse_ids(const std::string& text) {
  std::vector<Index> ids;
  const char *at = text.data(), *const end = text.data() + text.size();
  while (at != end) {
    Index id = 0;
    const auto [stop, error] = std::from_chars(at, end, id);
    const bool separated = stop == end || (*stop == '.' && stop + 1 != end);
    if (error != std::errc() || id < 0 || !separated) {
      throw RequestError(400, "\"more\": expected ids of tokens with points between them, as in 12.345");
    }
    ids.push_back(id);
    at = stop == end ? end : stop + 1;
  }
  return ids;
}

}  // namespace

std::map<std::string, std::optional<std::string>> parse_texts(const std::string& body,
                                                              const std::vector<std::string>& names,
                                                              const char* expected) {
  TextFields fields(names);
  // The parser takes NUL, which JSON never has, for the end, and what follows would be ignored.
  const bool fine = body.find('\0') == std::string::npos && nlohmann::json::sax_parse(body, &fields);
  if (!fine) throw RequestError(400, "the body is not JSON in UTF-8");
  if (!fields.is_object()) {
    throw RequestError(400, fmt::format("expected a JSON object as the body: {}", expected));
  }
  std::map<std::string, std::optional<std::string>> texts;
  for (const std::string& name : names) {
    std::optional<std::string>& text = texts[name];
    if (!fields.is_null(name)) text = fields.text(name);
  }
  return texts;
}

std::string required_text(const std::map<std::string, std::optional<std::string>>& texts,
                          const std::string& name) {
  const std::optional<std::string>& text = texts.at(name);
  if (!text) throw RequestError(400, fmt::format("\"{}\": expected a string", name));
  return *text;
}

CaptureRequest parse_capture_request(const std::string& body) {
  const auto texts =
      parse_texts(body, {"model", "text", "text2", "more", "replaces"}, "{\"model\": .., \"text\": ..}");
  return {required_text(texts, "model"), required_text(texts, "text"), texts.at("text2"),
          parse_ids(texts.at("more").value_or("")), texts.at("replaces").value_or("")};
}

}  // namespace fovea::explorer
