// The members of a JSON object in a file, with messages that name the file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "fovea/shape.h"
#include "io/json.h"

namespace fovea {

class JsonFields {
 public:
  JsonFields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail("{}: expected an object, got {}", where_, object.type_name());
  }
  const std::string& where() const { return where_; }

  const Json& member(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) fail("{}: {} is missing", where_, name);
    return *found;
  }
  bool has(const char* name) const { return object_.contains(name); }
  const Json& list(const char* name) const { return checked(name, &Json::is_array, "a list"); }
  std::string text(const char* name) const {
    return checked(name, &Json::is_string, "a text").get<std::string>();
  }
  Index integer(const char* name) const {
    return checked(name, &Json::is_number_integer, "an integer").get<Index>();
  }
  float number(const char* name) const {
    return static_cast<float>(checked(name, &Json::is_number, "a number").get<double>());
  }
  std::vector<Index> integers(const char* name) const {
    std::vector<Index> values;
    for (const Json& item : list(name)) {
      if (!item.is_number_integer())
        fail("{}: {} should hold integers, has {}", where_, name, item.type_name());
      values.push_back(item.get<Index>());
    }
    return values;
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> values;
    for (const Json& item : list(name)) {
      if (!item.is_string()) fail("{}: {} should hold strings, has {}", where_, name, item.type_name());
      values.push_back(item.get<std::string>());
    }
    return values;
  }

 private:
  const Json& checked(const char* name, bool (Json::*is)() const noexcept, const char* expected) const {
    const Json& value = member(name);
    if (!(value.*is)()) fail("{}: {} should be {}, is {}", where_, name, expected, value.type_name());
    return value;
  }

  const Json& object_;
  std::string where_;
};

}  // namespace fovea
