// Writes JSON: for people, objects over several lines and arrays of numbers on one; for programs, without
// spaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/language.h"
#include "fovea/matrix.h"

namespace fovea {

enum class JsonStyle { readable, compact };

// Values that are not finite become the strings "-inf", "inf", "nan"; doubles have as many digits as the
// round trip needs; bytes that are no UTF-8 become U+FFFD.
class FOVEA_API JsonWriter {
 public:
  explicit JsonWriter(JsonStyle style = JsonStyle::readable) : compact_(style == JsonStyle::compact) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  JsonWriter& key(std::string_view name);  // before each value of an object: json.key("n").integer(3)

  void string(std::string_view text);
  void number(double value);
  void number_or_null(double value);  // null for NaN: there is no such value
  void integer(Index value);
  void boolean(bool value);
  void null();
  void numbers(const std::vector<double>& values);
  void integers(const std::vector<Index>& values);
  void strings(const std::vector<std::string>& values);
  void matrix(const Matrix& matrix);  // a list of rows
  void shape(const Shape& shape);
  void text(const Text& text);  // {"en": .., "zh": ..}

  std::string take();  // the document; a readable one ends with a newline

 private:
  void begin(char bracket);
  void end(char bracket);
  void before_value();
  void new_line();
  const char* separator() const { return compact_ ? "," : ", "; }  // between values on one line

  bool compact_;
  std::string out_;
  std::vector<bool> has_items_;  // per open bracket
  bool after_key_ = false;
};

}  // namespace fovea
