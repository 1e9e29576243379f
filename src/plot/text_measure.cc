#include "plot/text_measure.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/utf8.h"
#include "fovea/render.h"
#include "plot/font_tables.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

// Of the other fonts, in the same units.
struct Metrics {
  double advance, ascent, descent;
};
constexpr Metrics kIdeograph = {2048, 1918, 483};  // WenQuanYi Micro Hei
constexpr Metrics kEmoji = {2550, 1900, 500};      // Noto Color Emoji
constexpr double kHalfWidth = 1024;                // ｶﾅ
constexpr double kUnknown = 1229;                  // 0.6 em, of scripts without a table

constexpr char32_t kEmojiStyle = 0xFE0F, kKeyCap = 0x20E3;

// Where the entry of a character is, or −1.
std::ptrdiff_t exact_entry(char32_t c) {
  std::ptrdiff_t before = 0;
  for (const ExactRange& range : kExactRanges) {
    if (c < range.first) return -1;
    if (c <= range.last) return before + static_cast<std::ptrdiff_t>(c - range.first);
    before += static_cast<std::ptrdiff_t>(range.last - range.first + 1);
  }
  return -1;
}

double letter_advance(char32_t c, const scene::Font& font) {
  if (font.family == scene::Family::mono) return kMonoAdvance;
  if (const std::ptrdiff_t at = exact_entry(c); at >= 0)
    return (font.bold ? kBoldAdvances : kBookAdvances)[at];
  const auto* shared = std::find_if(std::begin(kSharedRanges), std::end(kSharedRanges),
                                    [c](const SharedRange& range) { return c <= range.last; });
  if (shared != std::end(kSharedRanges) && c >= shared->first)
    return font.bold ? shared->bold : shared->book;
  return c >= 0xFF61 && c <= 0xFFDC ? kHalfWidth : kUnknown;
}

bool is_wide_emoji(char32_t c) {  // among the characters of two columns; the others are East Asian
  return (c >= 0x231A && c < 0x2E80 && c != 0x2329 && c != 0x232A) || (c >= 0x1F000 && c < 0x1F200) ||
         (c >= 0x1F300 && c < 0x20000);
}

bool is_regional_indicator(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

// One user-perceived character: what its code points need together.
Metrics metrics_of(std::u32string_view cluster, const scene::Font& font) {
  Metrics sum = {0, kAscent, kDescent};
  for (const char32_t c : cluster) {
    const int columns = display_width(encode_utf8(c));
    if ((columns == 2 && is_wide_emoji(c)) || is_regional_indicator(c) || c == kEmojiStyle ||
        c == kKeyCap) {
      return kEmoji;
    }
    if (columns == 2) {
      sum = {sum.advance + kIdeograph.advance, kIdeograph.ascent, kIdeograph.descent};
    } else if (columns == 1) {
      sum.advance += letter_advance(c, font);
    }
  }
  return sum;
}

// Calls use(cluster, its end in bytes) for one user-perceived character after the other.
template <typename Use>
void for_each_cluster(std::string_view text, const Use& use) {
  std::u32string cluster;
  int state = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!cluster.empty() && is_grapheme_break(cluster.back(), point.value, state)) {
      use(cluster, at);
      cluster.clear();
    }
    cluster += point.value;
    at += point.bytes;
  }
  if (!cluster.empty()) use(cluster, text.size());
}

}  // namespace

TextExtent measure_text(std::string_view text, const scene::Font& font) {
  Metrics line = {0, kAscent, kDescent};
  for_each_cluster(text, [&](std::u32string_view cluster, std::size_t) {
    const Metrics one = metrics_of(cluster, font);
    line = {line.advance + one.advance, std::max(line.ascent, one.ascent),
            std::max(line.descent, one.descent)};
  });
  const double scale = font.size / kUnitsPerEm;
  return {line.advance * scale, line.ascent * scale, line.descent * scale};
}

std::string shorten_middle(std::string_view text, const scene::Font& font, double width) {
  if (measure_text(text, font).width <= width) return std::string(text);
  std::vector<std::size_t> cuts = {0};  // byte offsets before, between and after whole characters
  for_each_cluster(text, [&](std::u32string_view, std::size_t end) { cuts.push_back(end); });
  if (cuts.size() < 3) return std::string(text);
  // The beginning says more than the end: of an odd number of characters it gets the larger half.
  const auto shortened = [&](std::size_t kept) {
    const std::size_t head = (kept + 1) / 2, tail = kept / 2;
    return std::string(text.substr(0, cuts[head])) + "…" +
           std::string(text.substr(cuts[cuts.size() - 1 - tail]));
  };
  std::size_t fits = 1, too_many = cuts.size() - 1;
  while (too_many - fits > 1) {
    const std::size_t middle = (fits + too_many) / 2;
    (measure_text(shortened(middle), font).width <= width ? fits : too_many) = middle;
  }
  return shortened(fits);
}

}  // namespace fovea
