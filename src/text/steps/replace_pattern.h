// What Replace and Split look for: a text, or one of a few regular expressions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/files/json_field.h"

namespace fovea {

// {"String": ".."} or {"Regex": ".."}. Of regular expressions, those of published tokenizers are known by
// their exact text: " {2,}" and "\s+". Others are an Error that quotes them.
class ReplacePattern {
 public:
  explicit ReplacePattern(std::string text) : text_(std::move(text)) {}
  static ReplacePattern read(const JsonField& json);

  struct Match {
    std::size_t begin, end;
  };
  // The first match at or behind `from`. An empty pattern matches nothing.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

 private:
  enum class Kind { text, two_or_more_spaces, white_space };
  Kind kind_ = Kind::text;
  std::string text_;
};

}  // namespace fovea
