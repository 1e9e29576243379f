// Short ways to add to a scene what figures other than matrices are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plot/scene.h"
#include "plot/theme.h"

namespace fovea {

// A scene in the colours of the theme.
Scene themed_scene(Theme theme, Language language, const std::string& title);

struct TextStyle {
  double size = kLabelSize;
  Color color;
  bool bold = false;
  scene::Anchor anchor = scene::Anchor::start;
  double rotation = 0;
  scene::Family family = scene::Family::sans;
};
// `at` is half the height of capitals.
void add_text(Scene& scene, const std::string& text, scene::Point at, const TextStyle& style);

void add_line(Scene& scene, scene::Point from, scene::Point to, Color color, double width,
              const std::vector<double>& dash = {}, double opacity = 1);

// The y below the title, which finished() draws in the middle of the top; without a title the margin.
double below_title(const Scene& scene);

// The scene with its title, wide enough for it.
Figure finished(Scene scene, const ThemeColors& colors);

// Small lines of text from y on; returns the y below them.
double add_notes(Scene& scene, const std::vector<std::string>& notes, const ThemeColors& colors, double y);

double text_width(std::string_view text, double size, bool bold = false);

// Between two colours: 0 is the first.
Color mixed(Color a, Color b, double share);

}  // namespace fovea
