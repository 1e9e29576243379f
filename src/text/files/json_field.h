// A value of a JSON document together with its name, for messages that say where something is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/json_fwd.h"

namespace fovea {

// Throws Error "[tokenizer] tokenizer.json: normalizer.lowercase: a boolean was expected, got null". The
// document must outlive it.
class JsonField {
 public:
  JsonField(const Json& value, std::string where) : value_(&value), where_(std::move(where)) {}

  const Json& value() const { return *value_; }
  const std::string& where() const { return where_; }
  bool is_null() const;

  bool has(const char* name) const;              // an object with this member, which is not null
  JsonField operator[](const char* name) const;  // of an object; throws if it is missing
  JsonField at(std::size_t index) const;         // of a list; the caller knows the size
  JsonField or_null(const char* name) const;     // null if it is missing
  std::size_t size() const;                      // of a list

  const std::string& text() const;  // valid UTF-8, as the parser checks
  bool flag() const;
  std::int64_t integer(std::int64_t smallest, std::int64_t largest) const;
  double number() const;
  char32_t character() const;  // a text of one code point

  std::string text_or(const char* name, const char* otherwise) const;
  bool flag_or(const char* name, bool otherwise) const;

  std::string type() const { return (*this)["type"].text(); }
  [[noreturn]] void unknown_type(std::string_view expected) const;  // what `type` may be

 private:
  [[noreturn]] void mismatch(const char* expected) const;

  const Json* value_;
  std::string where_;
};

}  // namespace fovea
