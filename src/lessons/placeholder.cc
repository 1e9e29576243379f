#include "lessons/placeholder.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "lessons/text_file.h"

namespace fovea {
namespace {

[[noreturn]] void malformed(std::string_view text) {
  fail("[lessons] got {{{}}}, expected {{id.item}}, {{id(control=1).item[row,column]|format}}", text);
}

template <typename Number>
Number parsed_number(std::string_view digits, std::string_view whole) {
  Number value = {};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) malformed(whole);
  return value;
}

// What stands between two brackets, cut out of `text`; nothing if there is no such bracket.
bool cut_brackets(std::string_view& before, std::string_view& inside, char open, char close,
                  std::string_view whole) {
  const std::size_t begin = before.find(open);
  if (begin == std::string_view::npos) return false;
  if (before.back() != close) malformed(whole);
  inside = before.substr(begin + 1, before.size() - begin - 2);
  before = before.substr(0, begin);
  return true;
}

void parse_controls(Placeholder& result, std::string_view list, std::string_view whole) {
  for (const std::string& part : split_trimmed(list, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) malformed(whole);
    result.input.controls[part.substr(0, equals)] = parsed_number<double>(part.substr(equals + 1), whole);
  }
}

// "1,048,576"
std::string with_commas(double value) {
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return value < 0 ? "-" + digits : digits;
}

// "86.7 %"; Chinese has no space there.
std::string percent_in(double share, Language language) {
  std::string text = percent(share);
  if (language == Language::chinese) std::erase(text, ' ');
  return text;
}

std::string formatted(double value, char format, Language language) {
  if (format == '%') return percent_in(value, language);
  if (format == 's') return short_number(value);
  if (format == 'i') return with_commas(value);
  return fixed(value, format - '0');
}

// Calls text(part) and number(placeholder) in the order in which they stand.
template <typename TakeText, typename TakeNumber>
void split_placeholders(std::string_view text, const TakeText& take_text, const TakeNumber& take_number) {
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    take_text(text.substr(0, open));
    if (open == text.size()) return;
    if (text.substr(open).starts_with("{{")) {
      take_text("{");
      text.remove_prefix(open + 2);
      continue;
    }
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) fail("[lessons] a {{ is not closed: \"{}\"", text.substr(open));
    take_number(parse_placeholder(text.substr(open + 1, close - open - 1)));
    text.remove_prefix(close + 1);
  }
}

}  // namespace

Placeholder parse_placeholder(std::string_view text) {
  Placeholder result;
  result.text = text;
  std::string_view rest = text, inside;
  const std::size_t bar = rest.find('|');
  if (bar != std::string_view::npos) {
    const std::string_view format = rest.substr(bar + 1);
    if (format.size() != 1 || std::string_view("012345678%si").find(format[0]) == std::string_view::npos) {
      malformed(text);
    }
    result.format = format[0];
    rest = rest.substr(0, bar);
  }
  const std::size_t open = rest.find('(');
  const std::size_t point = rest.find('.', open == std::string_view::npos ? 0 : rest.find(')', open));
  if (point == std::string_view::npos || point == 0 || point + 1 == rest.size()) malformed(text);
  std::string_view id = rest.substr(0, point), item = rest.substr(point + 1);
  if (cut_brackets(id, inside, '(', ')', text)) parse_controls(result, inside, text);
  if (cut_brackets(item, inside, '[', ']', text)) {
    const std::vector<std::string> places = split_trimmed(inside, ',');
    if (places.size() > 2) malformed(text);
    result.row = parsed_number<Index>(places[0], text);
    if (places.size() == 2) result.column = parsed_number<Index>(places[1], text);
  }
  if (id.empty() || item.empty()) malformed(text);
  result.id = id;
  result.item = item;
  return result;
}

std::vector<Placeholder> placeholders_in(std::string_view text) {
  std::vector<Placeholder> found;
  split_placeholders(
      text, [](std::string_view) {}, [&](Placeholder one) { found.push_back(std::move(one)); });
  return found;
}

const Live& LessonNumbers::live(const std::string& id, const LiveInput& input) {
  if (!input.matrices.empty()) fail("[lessons] numbers of a text take controls only");
  std::string key = id;
  for (const auto& [name, value] : input.controls) key += fmt::format(" {}={}", name, value);
  const auto found = computed_.find(key);
  if (found != computed_.end()) return found->second;
  return computed_.emplace(key, fovea::live(id, language_, input, models_)).first->second;
}

std::string LessonNumbers::value_of(const Placeholder& placeholder) {
  const Live& source = live(placeholder.id, placeholder.input);
  if (!source.missing.empty()) {
    fail("[lessons] {{{}}} needs the model {}, which is not installed", placeholder.text, source.missing);
  }
  if (placeholder.row < 0) return formatted(source.number(placeholder.item), placeholder.format, language_);
  const Matrix& matrix = source.matrix(placeholder.item);
  if (placeholder.row >= matrix.rows() || placeholder.column >= matrix.columns()) {
    fail("[lessons] {{{}}}: the matrix is {}", placeholder.text, matrix.shape_text());
  }
  if (placeholder.column >= 0) {
    return formatted(matrix(placeholder.row, placeholder.column), placeholder.format, language_);
  }
  std::string row;
  for (const double value : matrix.row(placeholder.row)) {
    row += (row.empty() ? "[" : ", ") + formatted(value, placeholder.format, language_);
  }
  return row + "]";
}

std::string LessonNumbers::resolved(std::string_view text) {
  std::string result;
  split_placeholders(
      text, [&](std::string_view part) { result += part; },
      [&](const Placeholder& one) { result += value_of(one); });
  return result;
}

}  // namespace fovea
