#include "plot/drawing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plot/text_measure.h"

namespace fovea {

using scene::Point;

Scene themed_scene(Theme theme, Language language, const std::string& title) {
  Scene result;
  result.background = theme_colors(theme).background;
  result.title = title;
  result.language = language;
  return result;
}

void add_text(Scene& scene, const std::string& text, Point at, const TextStyle& style) {
  if (text.empty()) return;
  scene::Label label;
  label.text = text;
  label.at = at;
  label.font = {style.size, style.bold, style.family};
  label.color = style.color;
  label.anchor = style.anchor;
  label.vertical = scene::VerticalAnchor::middle;
  label.rotation = style.rotation;
  scene.add(label);
}

void add_line(Scene& scene, Point from, Point to, Color color, double width,
              const std::vector<double>& dash, double opacity) {
  scene::Polyline line;
  line.points = {from, to};
  line.stroke = scene::Stroke{color, width, dash};
  line.opacity = opacity;
  scene.add(line);
}

double below_title(const Scene& scene) { return kMargin + (scene.title.empty() ? 0 : kTitleSize + 12); }

Figure finished(Scene scene, const ThemeColors& colors) {
  scene.width = std::max(scene.width, 2 * kMargin + text_width(scene.title, kTitleSize, true));
  add_text(scene, scene.title, {scene.width / 2, kMargin + kTitleSize / 2},
           {.size = kTitleSize, .color = colors.ink, .bold = true, .anchor = scene::Anchor::middle});
  return Figure(std::move(scene));
}

double add_notes(Scene& scene, const std::vector<std::string>& notes, const ThemeColors& colors, double y) {
  for (const std::string& note : notes) {
    add_text(scene, note, {kMargin, y + kNoteSize / 2}, {.size = kNoteSize, .color = colors.muted});
    y += kNoteSize + 4;
  }
  return y;
}

double text_width(std::string_view text, double size, bool bold) {
  return measure_text(text, {size, bold, scene::Family::sans}).width;
}

Color mixed(Color a, Color b, double share) {
  const auto mix = [share](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
  };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

}  // namespace fovea
