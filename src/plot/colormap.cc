#include "fovea/colormap.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/fail.h"
#include "plot/colormap_tables.h"

namespace fovea {
namespace {

int hex_digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

Color stop(std::string_view stops, std::size_t index) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint8_t>(16 * hex_digit(stops[at]) + hex_digit(stops[at + 1]));
  };
  return {byte(6 * index), byte(6 * index + 2), byte(6 * index + 4)};
}

std::uint8_t between(std::uint8_t a, std::uint8_t b, double share) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

Colormap::Table interpolate(std::string_view stops) {
  const std::size_t last = stops.size() / 6 - 1;
  Colormap::Table table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double at = static_cast<double>(i * last) / static_cast<double>(table.size() - 1);
    const auto left = std::min(static_cast<std::size_t>(at), last - 1);
    const double share = at - static_cast<double>(left);
    const Color a = stop(stops, left), b = stop(stops, left + 1);
    table[i] = {between(a.red, b.red, share), between(a.green, b.green, share),
                between(a.blue, b.blue, share)};
  }
  return table;
}

}  // namespace

std::string to_hex(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

Colormap::Colormap(std::string_view name) : name_(name) {
  const auto* found = std::find_if(std::begin(kColormaps), std::end(kColormaps),
                                   [&](const ColormapStops& map) { return map.name == name; });
  if (found == std::end(kColormaps)) {
    fail("[colormap] got \"{}\", expected one of {}", name, fmt::join(names(), ", "));
  }
  table_ = interpolate(found->stops);
}

std::vector<std::string> Colormap::names() {
  std::vector<std::string> all;
  for (const ColormapStops& map : kColormaps) all.emplace_back(map.name);
  return all;
}

Color Colormap::color(double t) const {
  if (!(t > 0)) return table_.front();
  return table_[static_cast<std::size_t>(std::min(t * 256, 255.0))];
}

}  // namespace fovea
