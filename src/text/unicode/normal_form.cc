#include "text/unicode/normal_form.h"

#include <algorithm>

#include "text/unicode/unicode.h"

namespace fovea {
namespace {

// A character of the new text. `consumed` characters of the old one end with it: 0 for the further parts of
// a decomposition, 2 for a composition of two.
struct NewCharacter {
  char32_t value;
  int combining_class;
  int consumed;
};

// Characters get their origin by position: the order of marks may have changed, and tokenizers that compute
// offsets count characters.
AlignedCharacters aligned(const std::vector<NewCharacter>& text, const AlignedCharacters& old) {
  AlignedCharacters result;
  result.reserve(text.size());
  std::size_t next = 0;
  for (const NewCharacter& each : text) {
    const std::size_t from = each.consumed > 0 || next == 0 ? next : next - 1;
    result.push_back({each.value, old[std::min(from, old.size() - 1)].origin});
    next += static_cast<std::size_t>(each.consumed);
  }
  return result;
}

std::vector<NewCharacter> decompose_all(const AlignedCharacters& old, bool compatibility) {
  std::vector<NewCharacter> text;
  text.reserve(old.size());
  std::size_t marks = 0;  // at the end of the text, not yet in order
  const auto sort_marks = [&] {
    std::stable_sort(
        text.end() - static_cast<std::ptrdiff_t>(marks), text.end(),
        [](const NewCharacter& a, const NewCharacter& b) { return a.combining_class < b.combining_class; });
    marks = 0;
  };
  char32_t parts[kLongestDecomposition];
  for (const AlignedCharacter& character : old) {
    const std::size_t count = decompose(character.value, compatibility, parts);
    for (std::size_t i = 0; i < count; ++i) {
      const int order = combining_class(parts[i]);
      if (order == 0 && marks > 1) sort_marks();
      marks = order == 0 ? 0 : marks + 1;
      text.push_back({parts[i], order, i == 0 ? 1 : 0});
    }
  }
  if (marks > 1) sort_marks();
  return text;
}

// In place: each starter takes the marks behind it that it can, unless a mark of the same or a higher class
// stands between.
void compose_all(std::vector<NewCharacter>& text) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t starter = kNone, written = 0;
  int last_class = -1;  // of the marks kept since the starter; -1: none
  for (const NewCharacter each : text) {
    const bool blocked = last_class >= each.combining_class && last_class != -1;
    const char32_t whole =
        starter == kNone || blocked || each.value < 0x300 ? 0 : compose(text[starter].value, each.value);
    if (whole != 0) {
      text[starter].value = whole;
      text[starter].consumed += each.consumed;
      continue;
    }
    if (each.combining_class == 0) {
      starter = written;
      last_class = -1;
    } else if (starter != kNone) {
      last_class = each.combining_class;
    }
    text[written++] = each;
  }
  text.resize(written);
}

bool is_unchanged(std::string_view text, NormalForm form) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c < 0x80) continue;
    if (!form.compose || form.compatibility || may_change_when_composed(c)) return false;
  }
  return true;
}

}  // namespace

AlignedCharacters decomposed(const AlignedCharacters& characters, bool compatibility) {
  return aligned(decompose_all(characters, compatibility), characters);
}

void apply_normal_form(AlignedText& text, NormalForm form) {
  if (is_unchanged(text.bytes(), form)) return;
  const AlignedCharacters old = text.characters();
  std::vector<NewCharacter> characters = decompose_all(old, form.compatibility);
  if (form.compose) compose_all(characters);
  text.assign(aligned(characters, old));
}

}  // namespace fovea
