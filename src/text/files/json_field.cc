#include "text/files/json_field.h"

#include <cmath>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/json.h"
#include "io/messages.h"

namespace fovea {
namespace {

const Json kNull = nullptr;

}  // namespace

void JsonField::mismatch(const char* expected) const {
  fail("{}: expected {}, got {}", where_, expected, value_->type_name());
}

bool JsonField::is_null() const { return value_->is_null(); }

bool JsonField::has(const char* name) const {
  const auto member = value_->find(name);
  return value_->is_object() && member != value_->end() && !member->is_null();
}

JsonField JsonField::operator[](const char* name) const {
  if (!value_->is_object()) mismatch("an object");
  const auto member = value_->find(name);
  if (member == value_->end()) fail("{}: \"{}\" is missing", where_, name);
  return {*member, fmt::format("{}.{}", where_, name)};
}

JsonField JsonField::at(std::size_t index) const {
  return {(*value_)[index], fmt::format("{}[{}]", where_, index)};
}

JsonField JsonField::or_null(const char* name) const {
  if (!value_->is_object()) mismatch("an object");
  if (!has(name)) return {kNull, fmt::format("{}.{}", where_, name)};
  return (*this)[name];
}

std::size_t JsonField::size() const {
  if (!value_->is_array()) mismatch("a list");
  return value_->size();
}

const std::string& JsonField::text() const {
  if (!value_->is_string()) mismatch("a string");
  return value_->get_ref<const std::string&>();
}

bool JsonField::flag() const {
  if (!value_->is_boolean()) mismatch("a boolean");
  return value_->get<bool>();
}

std::int64_t JsonField::integer(std::int64_t smallest, std::int64_t largest) const {
  if (!value_->is_number_integer()) mismatch("a whole number");
  const bool huge = value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  const std::int64_t number = huge ? INT64_MAX : value_->get<std::int64_t>();
  if (number < smallest || number > largest) {
    fail("{}: got {}, expected a whole number from {} to {}", where_, value_->dump(), smallest, largest);
  }
  return number;
}

double JsonField::number() const {
  if (!value_->is_number()) mismatch("a number");
  const double number = value_->get<double>();
  if (!std::isfinite(number)) fail("{}: the number is not finite", where_);
  return number;
}

char32_t JsonField::character() const {
  const std::string& one = text();
  const CodePoint point = one.empty() ? CodePoint{0, 0, true} : decode_utf8(one, 0);
  if (one.empty() || point.bytes != one.size()) {
    fail("{}: expected one character, got {}", where_, in_quotes(one));
  }
  return point.value;
}

std::string JsonField::text_or(const char* name, const char* otherwise) const {
  return has(name) ? (*this)[name].text() : otherwise;
}

bool JsonField::flag_or(const char* name, bool otherwise) const {
  return has(name) ? (*this)[name].flag() : otherwise;
}

void JsonField::unknown_type(std::string_view expected) const {
  fail("{}: unknown type {}; supported: {}", where_, in_quotes(type()), expected);
}

}  // namespace fovea
