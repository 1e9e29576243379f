#include "fovea/training_chart.h"

#include <algorithm>

#include "plot/drawing.h"
#include "plot/loss_scale.h"

namespace fovea {
namespace {

constexpr double kChartWidth = 430, kChartHeight = 260;
constexpr std::size_t kPale = 1200, kStrong = 150;  // points of the two lines

struct ChartPlace {
  const LossScale& scale;
  double left = 0, top = 0;
  double first = 0, last = 1;  // steps

  scene::Point at(const LossPoint& point) const {
    const double x = (static_cast<double>(point.step) - first) / std::max(1.0, last - first);
    return {left + kChartWidth * x, top + kChartHeight * (1 - scale.share(point.loss))};
  }
};

void add_curve(Scene& scene, const std::vector<LossPoint>& points, const ChartPlace& place, Color color,
               double width, double opacity) {
  scene::Polyline line;
  line.stroke = scene::Stroke{color, width, {}};
  line.opacity = opacity;
  for (const LossPoint& point : points) line.points.push_back(place.at(point));
  if (line.points.size() == 1) line.points.push_back(line.points.front());
  scene.add(line);
}

void add_chart_grid(Scene& scene, const ChartPlace& place, const ThemeColors& colors) {
  for (const Tick& tick : place.scale.ticks(6)) {
    const double y = place.top + kChartHeight * (1 - tick.share);
    add_line(scene, {place.left, y}, {place.left + kChartWidth, y}, colors.grid, 0.6);
    add_text(scene, tick.text, {place.left - 5, y},
             {.size = kNoteSize, .color = colors.muted, .anchor = scene::Anchor::end});
  }
  const Index step = round_step((place.last - place.first) / 6);
  for (Index n = 0; n <= static_cast<Index>(place.last); n += step) {
    if (static_cast<double>(n) < place.first) continue;
    const double x = place.left + kChartWidth * (static_cast<double>(n) - place.first) /
                                      std::max(1.0, place.last - place.first);
    add_line(scene, {x, place.top}, {x, place.top + kChartHeight}, colors.grid, 0.6);
    add_text(scene, grouped(n), {x, place.top + kChartHeight + 10},
             {.size = kNoteSize, .color = colors.muted, .anchor = scene::Anchor::middle});
  }
  scene::Rectangle frame;
  frame.box = {place.left, place.top, kChartWidth, kChartHeight};
  frame.stroke = scene::Stroke{colors.ink, 0.8, {}};
  scene.add(frame);
}

void add_dot(Scene& scene, scene::Point at, const ThemeColors& colors) {
  scene::Circle dot;
  dot.center = at;
  dot.radius = 2.6;
  dot.fill = colors.accent[1];
  dot.stroke = scene::Stroke{colors.background, 0.7, {}};
  scene.add(dot);
}

// What line and dots are, in the upper right corner, where a loss that falls leaves room.
void add_legend(Scene& scene, const ChartPlace& place, const ThemeColors& colors, Language language,
                bool held_out) {
  const double right = place.left + kChartWidth - 8;
  const auto name = [&](const Text& text, double y) {
    const std::string& words = text.in(language);
    add_text(scene, words, {right, y}, {.color = colors.ink, .anchor = scene::Anchor::end});
    return right - text_width(words, kLabelSize);
  };
  const double line_y = place.top + 12, dot_y = place.top + 27;
  const double line_end = name({"training", "训练"}, line_y) - 6;
  add_line(scene, {line_end - 16, line_y}, {line_end, line_y}, colors.accent[0], 1.6);
  if (held_out) add_dot(scene, {name({"held-out data", "留出数据"}, dot_y) - 10, dot_y}, colors);
}

}  // namespace

Figure training_chart(const TrainingCurve& curve, const TrainingChartOptions& options) {
  check_curve(curve);
  const ThemeColors& colors = theme_colors(options.theme);
  const auto say = [&](const Text& text) { return text.in(options.language); };
  Scene scene =
      themed_scene(options.theme, options.language, options.title.value_or(say({"Training", "训练"})));
  const LossScale scale(curve);
  ChartPlace place = {scale};
  place.left = kMargin + kAxisTitleSize + 8 + text_width("0.0000", kNoteSize) + 6;
  place.top = below_title(scene);
  place.first = 0;
  place.last = static_cast<double>(curve.steps.back().step);
  if (!curve.held_out.empty()) {
    place.last = std::max(place.last, static_cast<double>(curve.held_out.back().step));
  }
  add_chart_grid(scene, place, colors);
  add_curve(scene, mean_points(curve.steps, kPale), place, colors.accent[0], 0.6, 0.35);
  add_curve(scene, mean_points(curve.steps, kStrong), place, colors.accent[0], 1.6, 1);
  for (const LossPoint& point : curve.held_out) add_dot(scene, place.at(point), colors);
  add_legend(scene, place, colors, options.language, !curve.held_out.empty());
  add_text(scene, say({"step", "步"}), {place.left + kChartWidth / 2, place.top + kChartHeight + 26},
           {.size = kAxisTitleSize, .color = colors.ink, .anchor = scene::Anchor::middle});
  add_text(scene, say({"loss", "损失"}), {kMargin + kAxisTitleSize / 2, place.top + kChartHeight / 2},
           {.size = kAxisTitleSize, .color = colors.ink, .anchor = scene::Anchor::middle, .rotation = -90});
  std::vector<std::string> notes;
  if (!options.note.empty()) notes.push_back(options.note);
  const double y = add_notes(scene, notes, colors, place.top + kChartHeight + 38);
  scene.width =
      std::max(place.left + kChartWidth + kMargin + 14, 2 * kMargin + text_width(options.note, kNoteSize));
  scene.height = y + kMargin - 4;
  return finished(std::move(scene), colors);
}

}  // namespace fovea
