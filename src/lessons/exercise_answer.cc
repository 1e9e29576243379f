// Answers as they are typed, written by a program, or stored in a file: untrusted.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "core/fail.h"
#include "core/utf8.h"
#include "fovea/ascii.h"
#include "fovea/exercises.h"
#include "fovea/file.h"
#include "fovea/npy.h"
#include "io/json.h"

namespace fovea {
namespace {

constexpr int kAllDecimals = 8;                  // more than that nobody types
constexpr std::size_t kMostNumbers = 1 << 20;    // an answer is small
constexpr Index kLargestFile = Index{16} << 20;  // bytes

// Digits after the point in the shortest text that reads back as the same number.
template <typename Float>
int decimals_of(Float value) {
  if (!std::isfinite(value)) return 0;
  std::array<char, 512> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const char* point = std::find(text.data(), end, '.');
  return point == end || error != std::errc() ? 0 : static_cast<int>(end - point) - 1;
}

template <typename Values>
std::optional<int> decimals_typed(const Values& values) {
  int most = 0;
  for (const auto value : values) most = std::max(most, decimals_of(value));
  return most > kAllDecimals ? std::nullopt : std::optional<int>(most);
}

// Python writes NaN and Infinity, C++ nan and inf, which are no JSON. Outside of strings they become ones.
std::string with_quoted_words(std::string_view text) {
  std::string result;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) in_string = !in_string;
    std::size_t length = 0;
    for (const std::string_view word : {"-infinity", "infinity", "-inf", "inf", "-nan", "nan"}) {
      if (in_string || length > 0) break;
      if (ascii_lower_case(std::string(text.substr(i, word.size()))) == word) length = word.size();
    }
    if (length == 0) {
      result += c;
      continue;
    }
    result += '"' + std::string(text.substr(i, length)) + '"';
    i += length - 1;
  }
  return result;
}

double number_in(const Json& value, const std::string& where) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const std::string word = ascii_lower_case(value.get<std::string>());
    const double infinity = std::numeric_limits<double>::infinity();
    if (word == "nan" || word == "-nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf" || word == "infinity") return infinity;
    if (word == "-inf" || word == "-infinity") return -infinity;
  }
  fail("{}: got {}, expected a number", where, printable(value.dump().substr(0, 40)));
}

void add_numbers(const Json& value, std::size_t depth, std::vector<Index>& extents, NumberArray& numbers,
                 const std::string& where) {
  if (!value.is_array()) {
    if (depth < extents.size()) fail("{}: some rows are numbers, others lists", where);
    if (numbers.values.size() == kMostNumbers) fail("{}: more than {} numbers", where, kMostNumbers);
    numbers.values.push_back(number_in(value, where));
    return;
  }
  const auto size = static_cast<Index>(value.size());
  if (depth == extents.size()) {
    if (!numbers.values.empty() || depth >= static_cast<std::size_t>(kMaxRank)) {
      fail("{}: the lists are nested unevenly, or deeper than {}", where, kMaxRank);
    }
    extents.push_back(size);
  }
  if (extents[depth] != size) {
    fail("{}: rows of {} and of {} numbers; all must be equally long", where, extents[depth], size);
  }
  for (const Json& each : value) add_numbers(each, depth + 1, extents, numbers, where);
}

NumberArray numbers_in(const Json& value, const std::string& where) {
  NumberArray numbers;
  std::vector<Index> extents;
  add_numbers(value, 0, extents, numbers, where);
  if (numbers.values.empty()) fail("{}: there are no numbers in it", where);
  if (extents.empty()) extents.push_back(1);
  numbers.shape = Shape(extents);
  return numbers;
}

// Numbers without names: what was asked for, unless only the other part has that many; or weights and
// output one after the other.
Answer answer_of(const Exercise& exercise, NumberArray numbers, std::optional<int> decimals) {
  const std::vector<Problem> problems = exercise_problems(exercise.id);
  const Solution right = solve(problems.front());
  const auto count = numbers.values.size(), outputs = right.output.values.size(),
             weights = right.weights.values.size();
  Answer answer;
  if (exercise.kind == ExerciseKind::by_hand && count == weights + outputs) {
    const auto middle = numbers.values.begin() + static_cast<std::ptrdiff_t>(weights);
    answer.weights = {right.weights.shape, {numbers.values.begin(), middle}};
    answer.output = {right.output.shape, {middle, numbers.values.end()}};
    answer.weights_decimals = answer.output_decimals = decimals;
    return answer;
  }
  bool is_weights = exercise.answer == "weights";
  if (exercise.kind == ExerciseKind::by_hand && count != (is_weights ? weights : outputs) &&
      count == (is_weights ? outputs : weights)) {
    is_weights = !is_weights;
  }
  (is_weights ? answer.weights : answer.output) = std::move(numbers);
  (is_weights ? answer.weights_decimals : answer.output_decimals) = decimals;
  return answer;
}

Answer answer_in_json(const Exercise& exercise, std::string_view text, const std::string& where) {
  const Json json = parse_json(with_quoted_words(text), where);
  if (!json.is_object()) {
    NumberArray numbers = numbers_in(json, where);
    const std::optional<int> decimals = decimals_typed(numbers.values);
    return answer_of(exercise, std::move(numbers), decimals);
  }
  Answer answer;
  if (json.contains("output")) answer.output = numbers_in(json["output"], where + " \"output\"");
  if (json.contains("weights") && !json["weights"].is_null()) {
    answer.weights = numbers_in(json["weights"], where + " \"weights\"");
  }
  if (answer.output.empty() && answer.weights.empty()) {
    fail("{}: there is neither \"output\" nor \"weights\" in it", where);
  }
  answer.output_decimals = decimals_typed(answer.output.values);
  answer.weights_decimals = decimals_typed(answer.weights.values);
  return answer;
}

std::string replaced(const std::string& text, std::string_view what, char by) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool here = text.compare(at, what.size(), what) == 0;
    result += here ? by : text[at];
    at += here ? what.size() : 1;
  }
  return result;
}

// "0.23, 0.63; 0.14": separators are for the eye only.
Answer answer_in_words(const Exercise& exercise, std::string text) {
  for (const std::string_view minus : {"−", "–"}) text = replaced(text, minus, '-');
  for (const std::string_view separator : {"，", "、", "；", ",", ";"})
    text = replaced(text, separator, ' ');
  std::istringstream words(text);
  NumberArray numbers;
  int most = 0;
  for (std::string word; words >> word;) {
    double value = 0;
    const std::string lower = ascii_lower_case(word);
    const char* begin = lower.data() + (lower.front() == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, lower.data() + lower.size(), value);
    if (error != std::errc() || end != lower.data() + lower.size()) {
      fail("[answer] got \"{}\", expected numbers such as 0.231 0.629 0.14, or [[0.231, 0.629, 0.14]]",
           printable(word.substr(0, 40)));
    }
    if (numbers.values.size() == kMostNumbers) fail("[answer] more than {} numbers", kMostNumbers);
    numbers.values.push_back(value);
    // Zeros at the end count: who types 0.500 means three decimals.
    const std::size_t point = lower.find('.');
    const bool plain = lower.find('e') == std::string::npos;
    most = std::max(most, plain && point != std::string::npos ? static_cast<int>(lower.size() - point) - 1
                                                              : decimals_of(value));
  }
  if (numbers.values.empty()) fail("[answer] got nothing, expected numbers");
  numbers.shape = Shape{static_cast<Index>(numbers.values.size())};
  return answer_of(exercise, std::move(numbers),
                   most > kAllDecimals ? std::nullopt : std::optional<int>(most));
}

// "L0H3", "0 3", "layer 0, head 3", {"layer": 0, "head": 3}: the numbers in it, two by two.
Answer heads_in(std::string_view text) {
  std::vector<Index> found;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    Index value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (error != std::errc() || found.size() == 64)
      found.assign(1, 0), i = text.size();
    else
      found.push_back(value), i = static_cast<std::size_t>(end - text.data());
  }
  if (found.empty() || found.size() % 2 != 0) {
    fail("[answer] got \"{}\", expected a layer and a head, both counted from 0: L0H3",
         printable(text.substr(0, 40)));
  }
  Answer answer;
  for (std::size_t i = 0; i < found.size(); i += 2) answer.heads.push_back({found[i], found[i + 1]});
  return answer;
}

}  // namespace

Answer parse_answer(std::string_view id, std::string_view text) {
  const Exercise& asked = exercise(id);
  if (asked.kind == ExerciseKind::model) return heads_in(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) fail("[answer] got nothing, expected numbers");
  if (text[first] == '[' || text[first] == '{') return answer_in_json(asked, text, "[answer]");
  return answer_in_words(asked, std::string(text));
}

Answer load_answer(std::string_view id, const std::string& path) {
  const Exercise& asked = exercise(id);
  if (!ascii_lower_case(path).ends_with(".npy")) return parse_answer(id, read_file(path, kLargestFile));
  if (asked.kind == ExerciseKind::model)
    fail("[answer] {}: expected the name of a head, not an array", path);
  const Tensor array = load_npy(path);
  const float* begin = array.data();
  const std::vector<float> values(begin, begin + array.shape().elements());
  if (values.empty()) fail("[answer] {}: there are no numbers in it", path);
  return answer_of(asked, {array.shape(), {values.begin(), values.end()}}, decimals_typed(values));
}

}  // namespace fovea
