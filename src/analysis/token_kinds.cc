#include "analysis/token_kinds.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/utf8.h"
#include "fovea/ascii.h"

namespace fovea {
namespace {

// The name of a special token in lower case, without its brackets; empty for other tokens.
std::string special_name(std::string_view token) {
  const auto inside = [&](std::string_view open, std::string_view close) -> std::string_view {
    if (token.size() <= open.size() + close.size() || !token.starts_with(open) || !token.ends_with(close))
      return {};
    return token.substr(open.size(), token.size() - open.size() - close.size());
  };
  std::string_view name = inside("<|", "|>");
  if (name.empty()) name = inside("<", ">");
  if (name.empty()) name = inside("[", "]");
  std::string lower;
  for (const char c : name) {
    lower += ascii_lower_case(c);
    const bool letter = lower.back() >= 'a' && lower.back() <= 'z';
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '/' && c != '-') return "";
  }
  const bool has_letter =
      std::any_of(lower.begin(), lower.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  const bool byte = lower.size() == 4 && lower.starts_with("0x");
  return has_letter && !byte ? lower : "";
}

struct Range {
  char32_t first, last;
};

// ASCII symbols, and the punctuation of Unicode in the scripts that tokenizers are mostly made for.
constexpr std::array<Range, 38> kPunctuation = {{
    {'!', '/'},       {':', '@'},       {'[', '`'},       {'{', '~'},       {0x00A1, 0x00A1},
    {0x00A7, 0x00A7}, {0x00AB, 0x00AB}, {0x00B6, 0x00B7}, {0x00BB, 0x00BB}, {0x00BF, 0x00BF},
    {0x037E, 0x037E}, {0x0387, 0x0387}, {0x055A, 0x055F}, {0x0589, 0x058A}, {0x05BE, 0x05BE},
    {0x05C0, 0x05C0}, {0x05F3, 0x05F4}, {0x060C, 0x060D}, {0x061B, 0x061B}, {0x061D, 0x061F},
    {0x066A, 0x066D}, {0x06D4, 0x06D4}, {0x0964, 0x0965}, {0x0E4F, 0x0E4F}, {0x2010, 0x2027},
    {0x2030, 0x205E}, {0x2E00, 0x2E2E}, {0x2E30, 0x2E4F}, {0x3001, 0x3003}, {0x3008, 0x3011},
    {0x3014, 0x301F}, {0x30FB, 0x30FB}, {0xFE10, 0xFE19}, {0xFE30, 0xFE6B}, {0xFF01, 0xFF0F},
    {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65},
}};

bool is_punctuation(char32_t value) {
  const auto holds = [&](const Range& range) { return value >= range.first && value <= range.last; };
  return std::any_of(kPunctuation.begin(), kPunctuation.end(), holds);
}

bool all_punctuation(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid || !is_punctuation(point.value)) return false;
    at += point.bytes;
  }
  return !text.empty();
}

}  // namespace

bool is_unknown_token(std::string_view token) { return special_name(token) == "unk"; }

bool is_special_token(std::string_view token) {
  const std::string name = special_name(token);
  return !name.empty() && name != "unk";
}

bool begins_block(std::string_view token) {
  constexpr std::string_view kNames[] = {
      "cls", "s", "bos", "begin_of_text", "begin_of_sentence", "im_start", "start_of_turn"};
  return std::find(std::begin(kNames), std::end(kNames), special_name(token)) != std::end(kNames);
}

bool ends_block(std::string_view token) {
  constexpr std::string_view kNames[] = {"sep",    "/s",          "eos",    "endoftext", "end_of_text",
                                         "im_end", "end_of_turn", "eot_id", "eot",       "end_of_sentence"};
  return std::find(std::begin(kNames), std::end(kNames), special_name(token)) != std::end(kNames);
}

bool is_punctuation_token(std::string_view token) {
  if (is_special_token(token)) return false;
  for (const std::string_view mark : {"##", "\u0120", "\u2581"}) {
    if (token.size() > mark.size() && token.starts_with(mark) && all_punctuation(token.substr(mark.size())))
      return true;
  }
  return all_punctuation(token);
}

}  // namespace fovea
