// How much room a text takes, by tables of our own (font_tables.h): figures have the same layout
// everywhere, whichever fonts and libraries there are, and so the same SVG. What draws a text puts it at
// its anchor.
#pragma once

#include <string>
#include <string_view>

#include "plot/scene.h"

namespace fovea {

struct TextExtent {
  double width = 0;    // advance, in points
  double ascent = 0;   // above the baseline; of the line, not of its ink
  double descent = 0;  // below
  double height() const { return ascent + descent; }
};

// One line of UTF-8 in any script. The numbers are those of DejaVu Sans without kerning (with it "Text" is
// 9 % narrower, most words less than 1 %), of WenQuanYi Micro Hei for Chinese, Japanese and Korean, of Noto
// Color Emoji, and a guess for scripts that none of them has.
TextExtent measure_text(std::string_view text, const scene::Font& font);

// The text, or its beginning and end around … so that it is no wider than `width`. Characters that belong
// together (accents, joined emoji) stay together. At least one character stays.
std::string shorten_middle(std::string_view text, const scene::Font& font, double width);

}  // namespace fovea
