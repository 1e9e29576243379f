#include "fovea/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/fail.h"
#include "core/lines.h"
#include "core/utf8.h"
#include "fovea/file.h"
#include "fovea/render.h"
#include "io/json.h"

namespace fovea {
namespace {

std::vector<std::string> split_on_white_space(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (is_white_space(point.value)) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      words.back() += text.substr(at, point.bytes);
      inside = true;
    }
    at += point.bytes;
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 50;  // all of them in any sentence that a person types
  return words.empty() ? "none" : listed(words, kMost);
}

// The number that is the whole of `text`; locale does not matter.
double parse_number(const std::string& text) {
  const char* begin = text.c_str() + (text[0] == '+' ? 1 : 0);
  const char* end = text.c_str() + text.size();
  double value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end) fail("\"{}\" is not a number", text);
  return value;
}

// The message of an Error without its "[words] ".
std::string reason_of(const Error& error) {
  const std::string message = error.what(), prefix = "[words] ";
  return message.rfind(prefix, 0) == 0 ? message.substr(prefix.size()) : message;
}

WordVectors parse_lines(std::string_view text, std::string_view name) {
  WordVectors vectors;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::vector<std::string> parts = split_on_white_space(line);
    ++number;
    if (parts.empty() || parts[0][0] == '#') continue;
    try {
      std::vector<double> vector;
      for (std::size_t i = 1; i < parts.size(); ++i) vector.push_back(parse_number(parts[i]));
      vectors.add(parts[0], std::move(vector));
    } catch (const Error& error) {
      fail("[words] {}, line {}: {}", name, number, reason_of(error));
    }
  }
  return vectors;
}

// ", line 3" of the first place where the word stands as a key; "" if it is written with escapes.
std::string line_of(std::string_view text, const std::string& word) {
  const std::size_t at = text.find('"' + word + '"');
  if (at == std::string_view::npos) return "";
  return fmt::format(", line {}",
                     1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

WordVectors parse_object(std::string_view text, std::string_view name) {
  const std::string where = fmt::format("[words] {}", name);
  const Json json = parse_json(text, where, {.unique_keys = true});
  WordVectors vectors;
  for (const auto& [word, numbers] : json.items()) {
    try {
      vectors.add(word, json_numbers(numbers, word));
    } catch (const Error& error) {  // the line is looked for only now: it costs a walk through the text
      fail("{}{}: {}", where, line_of(text, word), reason_of(error));
    }
  }
  return vectors;
}

}  // namespace

WordVectors WordVectors::builtin() {
  WordVectors vectors;
  vectors.add("我", {1, .2, .5, .8});
  vectors.add("喜欢", {.8, .9, .1, .3});
  vectors.add("学习", {.6, .4, .8, .7});
  vectors.add("AI", {.3, .7, .6, .9});
  vectors.add("技术", {.5, .5, .7, .6});
  vectors.add("编程", {.7, .3, .6, .8});
  vectors.add("很", {.4, .6, .3, .5});
  vectors.add("有趣", {.9, .8, .4, .2});
  vectors.add("深度", {.6, .7, .5, .8});
  vectors.add("是", {.5, .5, .5, .5});
  vectors.add("未来", {.8, .6, .7, .9});
  return vectors;
}

WordVectors WordVectors::load(const std::string& path) { return parse(read_file(path), path); }

WordVectors WordVectors::parse(std::string_view text, std::string_view name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == kByteOrderMark) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  WordVectors vectors = is_json ? parse_object(text, name) : parse_lines(text, name);
  if (vectors.size() == 0) fail("[words] {}: the file has no words", name);
  return vectors;
}

void WordVectors::add(std::string word, std::vector<double> vector) {
  if (word.empty()) fail("[words] a word is empty");
  if (split_on_white_space(word) != std::vector<std::string>{word}) {
    fail("[words] the word \"{}\" has white space in it", printable(word));
  }
  if (vector.empty()) fail("[words] {} has no numbers", word);
  if (contains(word)) fail("[words] {} appears twice", word);
  if (width_ != 0 && static_cast<Index>(vector.size()) != width_) {
    fail("[words] {} has {} numbers, {} has {}", word, vector.size(), words_.front(), width_);
  }
  for (const double value : vector) {
    if (!std::isfinite(value)) fail("[words] {} has the value {}, expected finite numbers", word, value);
  }
  width_ = static_cast<Index>(vector.size());
  words_.push_back(word);
  vectors_.emplace(std::move(word), std::move(vector));
}

bool WordVectors::contains(std::string_view word) const { return vectors_.find(word) != vectors_.end(); }

const std::vector<double>& WordVectors::vector(std::string_view word) const {
  const auto found = vectors_.find(word);
  if (found == vectors_.end())
    fail("[words] unknown word: {}; the vocabulary is: {}", word, joined(words_));
  return found->second;
}

EmbeddedSentence WordVectors::embed(std::string_view sentence) const {
  EmbeddedSentence result;
  result.tokens = split_on_white_space(sentence);
  if (result.tokens.empty()) fail("[words] the sentence has no words");
  std::vector<std::string> unknown;
  for (const std::string& token : result.tokens) {
    if (!contains(token) && std::find(unknown.begin(), unknown.end(), token) == unknown.end()) {
      unknown.push_back(token);
    }
  }
  if (!unknown.empty()) {
    fail("[words] unknown word{}: {}; the vocabulary is: {}", unknown.size() == 1 ? "" : "s",
         joined(unknown), joined(words_));
  }
  std::vector<std::vector<double>> rows;
  for (const std::string& token : result.tokens) rows.push_back(vector(token));
  result.x = Matrix::from_rows(rows);
  return result;
}

std::vector<std::string> word_sentences() {
  return {"我 喜欢 学习 AI 技术", "编程 很 有趣", "我 喜欢 编程"};
}

std::string unknown_word_sentence() { return "深度 学习 是 AI 技术 的 未来"; }

}  // namespace fovea
