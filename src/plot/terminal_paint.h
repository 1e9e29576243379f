// Colours and shades of terminal pictures.
#pragma once

#include <string>
#include <string_view>

#include "fovea/colormap.h"
#include "fovea/terminal_picture.h"

namespace fovea {

// Where a value stands between the ends of the colours.
struct TerminalScale {
  Colormap map{"viridis"};
  double low = 0, high = 1;

  double share(double value) const { return high > low ? (value - low) / (high - low) : 0; }
  Color color(double value) const { return map.color(share(value)); }
  bool signed_values() const { return low < 0 && high > 0; }
};

std::string foreground(Color color, TerminalColors colors);  // the ANSI sequence; none without colours
std::string background(Color color, TerminalColors colors);
inline constexpr std::string_view kReset = "\x1b[0m";

Color readable_on(Color background);  // black or white

// ' ', ░, ▒, ▓ or █ for a share of 0 to 1.
std::string_view shade(double share);
// The same for a value of a scale; for scales with both signs by the distance from 0.
std::string_view shade(double value, const TerminalScale& scale);

// "0.000 ▕░▒▓█▏ 0.633", in colours where there are some.
std::string legend(const TerminalScale& scale, const TerminalOptions& options);

}  // namespace fovea
