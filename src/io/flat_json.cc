#include "fovea/flat_json.h"

#include "core/fail.h"
#include "io/json.h"
#include "io/messages.h"

namespace fovea {
namespace {

std::string plain_text(const Json& value, const std::string& key, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  fail("{}: {} holds {}, expected a text, a number, true or false, or a list of them", where,
       in_quotes(key), value.type_name());
}

}  // namespace

FlatJson load_flat_json(const std::string& path) {
  const std::string where = "[json] " + path;
  const Json document = load_json(path, {.unique_keys = true});
  if (!document.is_object()) fail("{}: an object was expected, got {}", where, document.type_name());
  FlatJson result;
  for (const auto& [key, value] : document.items()) {
    std::vector<std::string>& texts = result[key];
    if (value.is_array()) {
      for (const Json& each : value) texts.push_back(plain_text(each, key, where));
    } else if (!value.is_null()) {
      texts.push_back(plain_text(value, key, where));
    }
  }
  return result;
}

}  // namespace fovea
