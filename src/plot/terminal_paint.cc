#include "plot/terminal_paint.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/number_text.h"
#include "core/text_layout.h"

namespace fovea {
namespace {

int distance(int a, int b) { return (a - b) * (a - b); }

// The nearest of the 216 colours of the cube and the 24 greys of xterm.
int palette_entry(Color color) {
  constexpr int kLevels[] = {0, 95, 135, 175, 215, 255};
  const auto nearest = [&](int value) {
    int best = 0;
    for (int i = 1; i < 6; ++i) {
      if (std::abs(kLevels[i] - value) < std::abs(kLevels[best] - value)) best = i;
    }
    return best;
  };
  const int r = nearest(color.red), g = nearest(color.green), b = nearest(color.blue);
  const int mean = (color.red + color.green + color.blue) / 3;
  const int grey = std::clamp((mean - 8 + 5) / 10, 0, 23), level = 8 + 10 * grey;
  const int cube_error = distance(kLevels[r], color.red) + distance(kLevels[g], color.green) +
                         distance(kLevels[b], color.blue);
  const int grey_error =
      distance(level, color.red) + distance(level, color.green) + distance(level, color.blue);
  return grey_error < cube_error ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

std::string sequence(int layer, Color color, TerminalColors colors) {
  if (colors == TerminalColors::none) return "";
  if (colors == TerminalColors::palette) return fmt::format("\x1b[{};5;{}m", layer, palette_entry(color));
  return fmt::format("\x1b[{};2;{};{};{}m", layer, color.red, color.green, color.blue);
}

}  // namespace

std::string foreground(Color color, TerminalColors colors) { return sequence(38, color, colors); }
std::string background(Color color, TerminalColors colors) { return sequence(48, color, colors); }

Color readable_on(Color background) {
  const double brightness = 0.299 * background.red + 0.587 * background.green + 0.114 * background.blue;
  return brightness > 140 ? Color{0, 0, 0} : Color{255, 255, 255};
}

std::string_view shade(double share) {
  constexpr std::string_view kShades[] = {" ", "░", "▒", "▓", "█"};
  return kShades[static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 4))];
}

std::string_view shade(double value, const TerminalScale& scale) {
  if (!scale.signed_values()) return shade(scale.share(value));
  return shade(std::abs(value) / std::max(-scale.low, scale.high));
}

std::string legend(const TerminalScale& scale, const TerminalOptions& options) {
  constexpr int kSteps = 24;
  std::string bar;
  for (int i = 0; i < kSteps; ++i) {
    const double value = scale.low + (scale.high - scale.low) * (i + 0.5) / kSteps;
    if (options.colors == TerminalColors::none) {
      bar += shade(value, scale);
    } else {
      bar += background(scale.color(value), options.colors) + " ";
    }
  }
  if (options.colors != TerminalColors::none) bar += kReset;
  const bool edge = options.colors == TerminalColors::none;  // shades begin with a space
  return fmt::format("{} {}{}{} {}", short_number(scale.low, 3), edge ? "▕" : "", bar, edge ? "▏" : "",
                     short_number(scale.high, 3));
}

}  // namespace fovea
