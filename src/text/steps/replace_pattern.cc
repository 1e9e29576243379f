#include "text/steps/replace_pattern.h"

#include "core/fail.h"
#include "core/utf8.h"
#include "io/messages.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

using Match = ReplacePattern::Match;

std::optional<Match> find_white_space(std::string_view text, std::size_t from) {
  std::size_t begin = text.size();
  for (std::size_t at = from; at < text.size();) {
    const std::size_t here = at;
    const bool space = is_white_space(next_code_point(text, at));
    if (space && begin == text.size()) begin = here;
    if (!space && begin != text.size()) return Match{begin, here};
  }
  if (begin == text.size()) return std::nullopt;
  return Match{begin, text.size()};
}

std::optional<Match> find_spaces(std::string_view text, std::size_t from) {
  const std::size_t begin = text.find("  ", from);
  if (begin == text.npos) return std::nullopt;
  const std::size_t end = text.find_first_not_of(' ', begin);
  return Match{begin, end == text.npos ? text.size() : end};
}

}  // namespace

ReplacePattern ReplacePattern::read(const JsonField& json) {
  if (json.has("String")) return ReplacePattern(json["String"].text());
  ReplacePattern pattern(json["Regex"].text());
  if (pattern.text_ == " {2,}") {
    pattern.kind_ = Kind::two_or_more_spaces;
  } else if (pattern.text_ == "\\s+") {
    pattern.kind_ = Kind::white_space;
  } else {
    fail("{}: unsupported regular expression {}", json.where(), in_quotes(pattern.text_));
  }
  return pattern;
}

std::optional<Match> ReplacePattern::find(std::string_view text, std::size_t from) const {
  if (kind_ == Kind::white_space) return find_white_space(text, from);
  if (kind_ == Kind::two_or_more_spaces) return find_spaces(text, from);
  const std::size_t begin = text_.empty() ? text.npos : text.find(text_, from);
  if (begin == text.npos) return std::nullopt;
  return Match{begin, begin + text_.size()};
}

}  // namespace fovea
