// Pieces of SVG as text.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// Safe between tags and inside quotes: & < > " escaped; what XML 1.0 cannot hold (control characters,
// U+FFFE, U+FFFF, bytes that are no UTF-8) becomes U+FFFD.
std::string escape_xml(std::string_view text);

std::string svg_number(double value);  // at most 3 decimals, no trailing zeros: "12.5", never "-0"

}  // namespace fovea
