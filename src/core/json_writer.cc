#include "fovea/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "core/utf8.h"

namespace fovea {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid) {
      result += encode_utf8(point.value);
    } else if (point.value == '"' || point.value == '\\') {
      result += '\\';
      result += text[at];
    } else if (point.value == '\n') {
      result += "\\n";
    } else if (point.value == '\t') {
      result += "\\t";
    } else if (point.value < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(point.value));
    } else {
      result += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return result + '"';
}

std::string number_text(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  return fmt::format("{}", value);  // the shortest form that reads back as the same double
}

template <typename T, typename Format>
std::string list_of(const std::vector<T>& values, const char* separator, Format format) {
  std::string result = "[";
  for (const T& value : values) result += (result.size() == 1 ? "" : separator) + format(value);
  return result + "]";
}

}  // namespace

void JsonWriter::new_line() {
  if (compact_) return;
  out_ += '\n';
  out_.append(2 * has_items_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  new_line();
}

void JsonWriter::begin(char bracket) {
  before_value();
  out_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::end(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) new_line();
  out_ += bracket;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  out_ += quoted(name) + (compact_ ? ":" : ": ");
  after_key_ = true;
  return *this;
}

void JsonWriter::string(std::string_view text) {
  before_value();
  out_ += quoted(text);
}

void JsonWriter::number(double value) {
  before_value();
  out_ += number_text(value);
}

void JsonWriter::number_or_null(double value) {
  before_value();
  out_ += std::isnan(value) ? "null" : number_text(value);
}

void JsonWriter::integer(Index value) {
  before_value();
  out_ += std::to_string(value);
}

void JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
}

void JsonWriter::null() {
  before_value();
  out_ += "null";
}

void JsonWriter::integers(const std::vector<Index>& values) {
  before_value();
  out_ += list_of(values, separator(), [](Index value) { return std::to_string(value); });
}

void JsonWriter::numbers(const std::vector<double>& values) {
  before_value();
  out_ += list_of(values, separator(), number_text);
}

void JsonWriter::strings(const std::vector<std::string>& values) {
  before_value();
  out_ += list_of(values, separator(), quoted);
}

void JsonWriter::matrix(const Matrix& matrix) {
  begin_array();
  for (Index i = 0; i < matrix.rows(); ++i) numbers(matrix.row(i));
  end_array();
}

void JsonWriter::shape(const Shape& shape) {
  std::vector<Index> sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  integers(sizes);
}

void JsonWriter::text(const Text& text) {
  begin_object();
  key("en");
  string(text.en);
  key("zh");
  string(text.zh);
  end_object();
}

std::string JsonWriter::take() {
  if (!compact_) out_ += '\n';
  return std::move(out_);
}

}  // namespace fovea
