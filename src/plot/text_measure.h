// How much room a text takes: pango with the fonts that the pictures use.
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

// One line of UTF-8 in any script; characters that DejaVu lacks come from the fonts of kFontFamilies.
TextExtent measure_text(std::string_view text, const scene::Font& font);

// The text, or its beginning and end around … so that it is no wider than `width`. Characters that belong
// together (accents, joined emoji) stay together. At least one character stays.
std::string shorten_middle(std::string_view text, const scene::Font& font, double width);

}  // namespace fovea
