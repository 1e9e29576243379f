#include "fovea/growth_chart.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "plot/drawing.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

constexpr double kWidth = 400, kHeight = 270;

// Logarithmic axes: a position in points for n and seconds.
struct Axes {
  double left = 0, top = 0;
  double low_n = 0, high_n = 0, low_s = 0, high_s = 0;  // logarithms
  double x(double n) const { return left + kWidth * (std::log(n) - low_n) / (high_n - low_n); }
  double y(double s) const { return top + kHeight * (high_s - std::log(s)) / (high_s - low_s); }
};

void check(const std::vector<GrowthSeries>& series) {
  if (series.empty()) fail("[growth_chart] there are no series");
  for (const GrowthSeries& each : series) {
    for (const GrowthPoint& point : each.points) {
      if (point.n < 1 || !(point.seconds > 0) || std::isinf(point.seconds)) {
        fail("[growth_chart] {}: {} seconds at n = {}; expected n ≥ 1 and times > 0", each.name,
             point.seconds, point.n);
      }
    }
    const bool two = !each.points.empty() &&
                     std::any_of(each.points.begin(), each.points.end(),
                                 [&](const GrowthPoint& p) { return p.n != each.points.front().n; });
    if (!two) fail("[growth_chart] {}: expected at least two different n", each.name);
  }
}

Axes axes_of(const std::vector<GrowthSeries>& series) {
  Axes axes;
  axes.low_n = axes.low_s = HUGE_VAL, axes.high_n = axes.high_s = -HUGE_VAL;
  for (const GrowthSeries& each : series) {
    for (const GrowthPoint& point : each.points) {
      const double n = std::log(static_cast<double>(point.n)), s = std::log(point.seconds);
      axes.low_n = std::min(axes.low_n, n), axes.high_n = std::max(axes.high_n, n);
      axes.low_s = std::min(axes.low_s, s), axes.high_s = std::max(axes.high_s, s);
    }
  }
  const double room_n = 0.04 * (axes.high_n - axes.low_n);
  const double room_s = std::max(0.3, 0.06 * (axes.high_s - axes.low_s));
  axes.low_n -= room_n, axes.high_n += room_n;
  axes.low_s -= room_s, axes.high_s += room_s;
  return axes;
}

std::string time_text(double seconds) {
  if (seconds >= 1) return short_number(seconds, 2) + " s";
  if (seconds >= 1e-3) return short_number(seconds * 1e3, 2) + " ms";
  return short_number(seconds * 1e6, 2) + " µs";
}

// 1, 2 and 5 times powers of ten of seconds; only the powers where that would be too many.
std::vector<double> time_ticks(const Axes& axes) {
  const double decades = (axes.high_s - axes.low_s) / std::log(10.0);
  const int first = static_cast<int>(std::floor(axes.low_s / std::log(10.0)));
  const int last = static_cast<int>(std::floor(axes.high_s / std::log(10.0)));
  const int step = std::max(1, (last - first) / 8);
  std::vector<double> ticks;
  for (int power = first; power <= last; power += step) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double seconds = factor * std::pow(10.0, power), at = std::log(seconds);
      if ((factor == 1 || decades < 3.2) && at >= axes.low_s && at <= axes.high_s) ticks.push_back(seconds);
    }
  }
  return ticks;
}

// Every n that was measured, where their names do not collide.
void add_grid(Scene& scene, const std::vector<GrowthSeries>& series, const Axes& axes,
              const ThemeColors& colors) {
  std::vector<Index> counts;
  for (const GrowthSeries& each : series) {
    for (const GrowthPoint& point : each.points) counts.push_back(point.n);
  }
  std::sort(counts.begin(), counts.end());
  double last_end = -HUGE_VAL;
  for (const Index n : counts) {
    const double x = axes.x(static_cast<double>(n)), half = text_width(grouped(n), kNoteSize) / 2;
    if (x - half < last_end + 6) continue;
    last_end = x + half;
    add_line(scene, {x, axes.top}, {x, axes.top + kHeight}, colors.grid, 0.6);
    add_text(scene, grouped(n), {x, axes.top + kHeight + 10},
             {.size = kNoteSize, .color = colors.muted, .anchor = scene::Anchor::middle});
  }
  for (const double seconds : time_ticks(axes)) {
    const double y = axes.y(seconds);
    add_line(scene, {axes.left, y}, {axes.left + kWidth, y}, colors.grid, 0.6);
    add_text(scene, time_text(seconds), {axes.left - 5, y},
             {.size = kNoteSize, .color = colors.muted, .anchor = scene::Anchor::end});
  }
  scene::Rectangle frame;
  frame.box = {axes.left, axes.top, kWidth, kHeight};
  frame.stroke = scene::Stroke{colors.ink, 0.8, {}};
  scene.add(frame);
}

void add_series(Scene& scene, const GrowthSeries& series, const Axes& axes, Color color,
                const ThemeColors& colors) {
  std::vector<GrowthPoint> points = series.points;
  std::sort(points.begin(), points.end(),
            [](const GrowthPoint& a, const GrowthPoint& b) { return a.n < b.n; });
  scene::Polyline line;
  line.stroke = scene::Stroke{color, 1.6, {}};
  for (const GrowthPoint& point : points) {
    line.points.push_back({axes.x(static_cast<double>(point.n)), axes.y(point.seconds)});
  }
  scene.add(line);
  for (const scene::Point& at : line.points) {
    scene::Circle dot;
    dot.center = at;
    dot.radius = 2.8;
    dot.fill = color;
    dot.stroke = scene::Stroke{colors.background, 0.8, {}};
    scene.add(dot);
  }
}

// 2.02 as ²·⁰².
std::string superscript(double value) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fixed(value, 2)) text += c == '-' ? "⁻" : c == '.' ? "·" : kDigits[c - '0'];
  return text;
}

// Names beside the last points, moved apart where they would collide; returns the right end of them.
double add_names(Scene& scene, const std::vector<GrowthSeries>& series, const Axes& axes,
                 const ThemeColors& colors) {
  struct Name {
    scene::Point at;
    std::size_t index;
  };
  std::vector<Name> names;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto last =
        std::max_element(series[i].points.begin(), series[i].points.end(),
                         [](const GrowthPoint& a, const GrowthPoint& b) { return a.n < b.n; });
    names.push_back({{axes.x(static_cast<double>(last->n)) + 9, axes.y(last->seconds)}, i});
  }
  std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.at.y < b.at.y; });
  constexpr double kDistance = 25, kNear = 120;
  double right = axes.left + kWidth;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(names[j].at.x - names[i].at.x) < kNear) {
        names[i].at.y = std::max(names[i].at.y, names[j].at.y + kDistance);
      }
    }
    const auto& [at, index] = names[i];
    // Beside the frame if the name would cross it.
    const double width = text_width(series[index].name, kLabelSize, true);
    const double x = at.x + width > axes.left + kWidth - 4 ? axes.left + kWidth + 8 : at.x;
    const std::string slope = "∝ n" + superscript(growth_exponent(series[index].points));
    add_text(scene, series[index].name, {x, at.y - 5},
             {.size = kLabelSize, .color = colors.accent[index % colors.accent.size()], .bold = true});
    add_text(scene, slope, {x, at.y + 7}, {.size = kNoteSize, .color = colors.muted});
    right = std::max({right, x + width, x + text_width(slope, kNoteSize)});
  }
  return right;
}

}  // namespace

double growth_exponent(const std::vector<GrowthPoint>& given) {
  std::vector<GrowthPoint> points = given;
  std::sort(points.begin(), points.end(),
            [](const GrowthPoint& a, const GrowthPoint& b) { return a.n < b.n; });
  if (points.size() > 3)
    points.erase(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2));
  double n = 0, s = 0, nn = 0, ns = 0;
  const auto count = static_cast<double>(points.size());
  for (const GrowthPoint& point : points) {
    const double x = std::log(static_cast<double>(point.n)), y = std::log(point.seconds);
    n += x, s += y, nn += x * x, ns += x * y;
  }
  const double spread = count * nn - n * n;
  if (points.size() < 2 || !(spread > 0)) fail("[growth_exponent] expected at least two different n");
  return (count * ns - n * s) / spread;
}

Figure growth_chart(const std::vector<GrowthSeries>& series, const GrowthChartOptions& options) {
  check(series);
  const ThemeColors& colors = theme_colors(options.theme);
  const auto say = [&](const Text& text) { return text.in(options.language); };
  Scene scene = themed_scene(
      options.theme, options.language,
      options.title.value_or(say({"Time against the number of tokens", "时间随词元数的增长"})));
  Axes axes = axes_of(series);
  axes.left = kMargin + kAxisTitleSize + 8 + text_width("100 ms", kNoteSize) + 6;
  axes.top = below_title(scene);
  add_grid(scene, series, axes, colors);
  for (std::size_t i = 0; i < series.size(); ++i) {
    add_series(scene, series[i], axes, colors.accent[i % colors.accent.size()], colors);
  }
  const double right = add_names(scene, series, axes, colors);
  add_text(scene, say({"tokens n", "词元数 n"}), {axes.left + kWidth / 2, axes.top + kHeight + 26},
           {.size = kAxisTitleSize, .color = colors.ink, .anchor = scene::Anchor::middle});
  add_text(scene, say({"time", "时间"}), {kMargin + kAxisTitleSize / 2, axes.top + kHeight / 2},
           {.size = kAxisTitleSize, .color = colors.ink, .anchor = scene::Anchor::middle, .rotation = -90});
  double y = axes.top + kHeight + 38;
  std::vector<std::string> notes;
  if (!options.note.empty()) notes.push_back(options.note);
  y = add_notes(scene, notes, colors, y);
  scene.width = std::max({right + kMargin, 2 * kMargin + text_width(options.note, kNoteSize)});
  scene.height = y + kMargin - 4;
  return finished(std::move(scene), colors);
}

}  // namespace fovea
