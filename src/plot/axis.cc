#include "plot/axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "plot/readable_text.h"
#include "plot/text_measure.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

constexpr double kTickLength = 3;
constexpr double kTickGap = 3;        // between tick and text
constexpr double kLongestLabel = 96;  // points; longer tokens are shortened
constexpr double kSin45 = 0.70710678;

// The tallest line that any two of these texts can form, for a font of one point: fonts of other scripts
// have their own ascent and descent.
double line_height_per_point(const std::vector<std::string>& tokens) {
  constexpr scene::Font kFont{10, false, scene::Family::sans};
  constexpr double kRounding = 1.01;
  double ascent = 0, descent = 0;
  for (const std::string& token : std::set<std::string>(tokens.begin(), tokens.end())) {
    const TextExtent extent = measure_text(readable_token(token), kFont);
    ascent = std::max(ascent, extent.ascent), descent = std::max(descent, extent.descent);
  }
  return kRounding * (ascent + descent) / kFont.size;
}

}  // namespace

Axis Axis::positions(const Setup& setup) {
  Axis axis(setup);
  const scene::Font font{setup.size, false, scene::Family::sans};
  const TextExtent longest = measure_text(grouped(setup.count - 1), font);
  const bool left = setup.side == Side::left;
  const double cell = setup.length / static_cast<double>(setup.count);
  const double room = left ? 1.1 * longest.height() : longest.width + 6;
  // Every position, or about a dozen.
  axis.step_ = room <= cell ? 1 : round_step(std::max(room, setup.length / 12) / cell);
  for (Index i = 0; i < setup.count; i += axis.step_) {
    axis.entries_.push_back({(static_cast<double>(i) + 0.5) * cell, grouped(i)});
  }
  axis.thickness_ = kTickLength + kTickGap + (left ? longest.width : longest.height());
  return axis;
}

Axis Axis::tokens(const Setup& setup, const std::vector<std::string>& tokens) {
  Axis axis(setup);
  const bool left = setup.side == Side::left;
  const double cell = setup.length / static_cast<double>(setup.count);
  // Lines at 45° are apart by the sine of the distance of their ends.
  const double room_per_point = line_height_per_point(tokens) / (left ? 1 : kSin45);
  const double fitting = std::floor(4 * cell / room_per_point) / 4;
  if (fitting >= setup.smallest) {
    axis.setup_.size = std::min(setup.size, fitting);
  } else {
    axis.setup_.size = std::max(setup.smallest, setup.size - 2);
    axis.step_ = static_cast<Index>(std::ceil(room_per_point * axis.setup_.size / cell));
  }
  const scene::Font font{axis.setup_.size, false, scene::Family::sans};
  const double half_line = room_per_point * axis.setup_.size / 2;
  axis.rotation_ = left ? 0 : -45;
  double reach = 0;
  for (Index i = 0; i < setup.count; i += axis.step_) {
    std::string text =
        shorten_middle(readable_token(tokens[static_cast<std::size_t>(i)]), font, kLongestLabel);
    const double offset = (static_cast<double>(i) + 0.5) * cell;
    const double width = measure_text(text, font).width;
    const double slanted = (width + half_line) * kSin45;
    reach = std::max(reach, left ? width : slanted);
    if (!left) axis.overhang_ = std::max(axis.overhang_, slanted - offset);
    axis.entries_.push_back({offset, std::move(text)});
  }
  axis.thickness_ = kTickLength + kTickGap + reach;
  return axis;
}

void Axis::draw(Scene& scene, scene::Point origin, const ThemeColors& colors) const {
  using namespace scene;  // NOLINT: shapes
  const Stroke stroke{colors.ink, 0.6, {}};
  const scene::Font font{setup_.size, false, scene::Family::sans};
  for (const Entry& entry : entries_) {
    if (setup_.side == Side::left) {
      const double y = origin.y + entry.offset;
      scene.add(Polyline{{{origin.x - kTickLength, y}, {origin.x, y}}, stroke, {}, false, false, 1});
      scene.add(Label{entry.text,
                      {origin.x - kTickLength - kTickGap, y},
                      font,
                      colors.ink,
                      Anchor::end,
                      VerticalAnchor::middle});
      continue;
    }
    const double x = origin.x + entry.offset;
    scene.add(Polyline{{{x, origin.y}, {x, origin.y + kTickLength}}, stroke, {}, false, false, 1});
    if (rotation_ != 0) {
      scene.add(Label{entry.text,
                      {x + 1, origin.y + kTickLength + kTickGap},
                      font,
                      colors.ink,
                      Anchor::end,
                      VerticalAnchor::middle,
                      rotation_});
    } else {
      scene.add(Label{entry.text,
                      {x, origin.y + kTickLength + kTickGap + 0.8 * setup_.size},
                      font,
                      colors.ink,
                      Anchor::middle});
    }
  }
}

}  // namespace fovea
