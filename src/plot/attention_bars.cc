#include "fovea/attention_bars.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "plot/drawing.h"
#include "plot/readable_text.h"
#include "plot/text_measure.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

constexpr Index kMostBars = 80, kMostColumns = 512;
constexpr double kPlotWidth = 330, kColumnsWidth = 470, kColumnsHeight = 210;

struct Chart {
  const std::vector<double>& values;
  const AttentionBarsOptions& options;
  const ThemeColors& colors;
  double high;  // end of the axis
  std::vector<Tick> ticks;

  const std::string& say(const Text& text) const { return text.in(options.language); }
};

double check(const std::vector<double>& values, const AttentionBarsOptions& options) {
  if (values.empty()) fail("[attention_bars] there are no values");
  if (!options.labels.empty() && options.labels.size() != values.size()) {
    fail("[attention_bars] got {} labels, expected {}", options.labels.size(), values.size());
  }
  double largest = options.reference.value_or(0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0) || std::isinf(values[i])) {
      fail("[attention_bars] value {} is {}, expected a finite value ≥ 0", i, values[i]);
    }
    largest = std::max(largest, values[i]);
  }
  return largest > 0 ? largest : 1;
}

void add_bar(Scene& scene, const scene::Box& box, Color color) {
  scene::Rectangle bar;
  bar.box = box;
  bar.fill = color;
  scene.add(bar);
}

std::string value_title(const Chart& chart) {
  return chart.options.value_title.value_or(
      chart.say({"sum of the weights over all queries", "所有查询的权重之和"}));
}

// Names on the left, numbers at the ends of the bars.
void draw_bars(Scene& scene, const Chart& chart) {
  const auto count = static_cast<double>(chart.values.size());
  const double row = std::clamp(640 / count, 11.0, 18.0), size = std::min(kLabelSize, row * 0.72);
  std::vector<std::string> labels;
  double label_width = 0;
  for (std::size_t i = 0; i < chart.values.size(); ++i) {
    const std::string text =
        chart.options.labels.empty() ? std::to_string(i) : readable_token(chart.options.labels[i]);
    labels.push_back(shorten_middle(text, {size, false, scene::Family::sans}, 140));
    label_width = std::max(label_width, text_width(labels.back(), size));
  }
  const double left = kMargin + label_width + 7, numbers = 44;
  scene.width = left + kPlotWidth + numbers + kMargin;
  const double top = below_title(scene) + 8, bottom = top + row * count;
  const auto x_of = [&](double value) { return left + kPlotWidth * value / chart.high; };
  for (const Tick& tick : chart.ticks) {
    const double x = left + kPlotWidth * tick.share;
    add_line(scene, {x, top}, {x, bottom}, chart.colors.grid, 0.6);
    add_text(scene, tick.text, {x, bottom + 9},
             {.size = kNoteSize, .color = chart.colors.muted, .anchor = scene::Anchor::middle});
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double y = top + row * static_cast<double>(i), middle = y + row / 2;
    add_bar(scene, {left, y + row * 0.14, x_of(chart.values[i]) - left, row * 0.72},
            chart.colors.accent[0]);
    add_text(scene, labels[i], {left - 6, middle},
             {.size = size, .color = chart.colors.ink, .anchor = scene::Anchor::end});
    add_text(
        scene, fixed(chart.values[i], 3), {left + kPlotWidth + numbers, middle},
        {.size = std::min(kNoteSize, size), .color = chart.colors.muted, .anchor = scene::Anchor::end});
  }
  add_line(scene, {left, top}, {left, bottom}, chart.colors.ink, 0.8);
  if (chart.options.reference) {
    const double x = x_of(*chart.options.reference);
    add_line(scene, {x, top - 4}, {x, bottom}, chart.colors.accent[1], 1.1, {4, 3});
    add_text(scene, chart.options.reference_name, {x, top - 9},
             {.size = kNoteSize, .color = chart.colors.accent[1], .anchor = scene::Anchor::middle});
  }
  add_text(scene, value_title(chart), {left + kPlotWidth / 2, bottom + 25},
           {.size = kAxisTitleSize, .color = chart.colors.ink, .anchor = scene::Anchor::middle});
  scene.height = bottom + 34 + kMargin;
}

// Means of neighbours, so that at most kMostColumns are left: value i belongs to column ⌊i·C/N⌋.
std::vector<double> columns_of(const std::vector<double>& values) {
  const auto count = static_cast<Index>(values.size()), columns = std::min(count, kMostColumns);
  std::vector<double> sums(static_cast<std::size_t>(columns), 0), sizes(sums.size(), 0);
  for (Index i = 0; i < count; ++i) {
    const auto column = static_cast<std::size_t>(i * columns / count);
    sums[column] += values[static_cast<std::size_t>(i)];
    ++sizes[column];
  }
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] /= sizes[c];
  return sums;
}

void draw_columns(Scene& scene, const Chart& chart) {
  const std::vector<double> columns = columns_of(chart.values);
  const auto count = static_cast<Index>(chart.values.size());
  double tick_width = 0;
  for (const Tick& tick : chart.ticks) tick_width = std::max(tick_width, text_width(tick.text, kNoteSize));
  const double left = kMargin + kAxisTitleSize + 8 + tick_width + 6;
  scene.width = left + kColumnsWidth + kMargin + 6;
  const double top = below_title(scene) + 8, bottom = top + kColumnsHeight;
  for (const Tick& tick : chart.ticks) {
    const double y = bottom - kColumnsHeight * tick.share;
    add_line(scene, {left, y}, {left + kColumnsWidth, y}, chart.colors.grid, 0.6);
    add_text(scene, tick.text, {left - 5, y},
             {.size = kNoteSize, .color = chart.colors.muted, .anchor = scene::Anchor::end});
  }
  // One outline: hundreds of rectangles would show seams.
  scene::Polyline area;
  area.closed = true;
  area.fill = chart.colors.accent[0];
  const double step = kColumnsWidth / static_cast<double>(columns.size());
  area.points.push_back({left, bottom});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double y = bottom - kColumnsHeight * columns[c] / chart.high;
    area.points.push_back({left + step * static_cast<double>(c), y});
    area.points.push_back({left + step * static_cast<double>(c + 1), y});
  }
  area.points.push_back({left + kColumnsWidth, bottom});
  scene.add(area);
  add_line(scene, {left, bottom}, {left + kColumnsWidth, bottom}, chart.colors.ink, 0.8);
  for (Index tick = 0, tick_step = round_step(static_cast<double>(count) / 8); tick < count;
       tick += tick_step) {
    const double x = left + kColumnsWidth * (static_cast<double>(tick) + 0.5) / static_cast<double>(count);
    add_line(scene, {x, bottom}, {x, bottom + 3}, chart.colors.ink, 0.6);
    add_text(scene, grouped(tick), {x, bottom + 10},
             {.size = kNoteSize, .color = chart.colors.muted, .anchor = scene::Anchor::middle});
  }
  if (chart.options.reference) {
    const double y = bottom - kColumnsHeight * *chart.options.reference / chart.high;
    add_line(scene, {left, y}, {left + kColumnsWidth, y}, chart.colors.accent[1], 1.1, {4, 3});
    add_text(scene, chart.options.reference_name, {left + kColumnsWidth - 3, y - 7},
             {.size = kNoteSize, .color = chart.colors.accent[1], .anchor = scene::Anchor::end});
  }
  add_text(scene, value_title(chart), {kMargin + kAxisTitleSize / 2, (top + bottom) / 2},
           {.size = kAxisTitleSize,
            .color = chart.colors.ink,
            .anchor = scene::Anchor::middle,
            .rotation = -90});
  add_text(scene, chart.say({"key position", "键的位置"}), {left + kColumnsWidth / 2, bottom + 26},
           {.size = kAxisTitleSize, .color = chart.colors.ink, .anchor = scene::Anchor::middle});
  double y = bottom + 38;
  if (static_cast<Index>(columns.size()) < count) {
    const std::string note = fmt::format(fmt::runtime(chart.say({"{} values in {} columns, each the mean "
                                                                 "of its values",
                                                                 "{} 个值缩为 {} 列：每列是平均值"})),
                                         grouped(count), columns.size());
    y = add_notes(scene, {note}, chart.colors, y);
  }
  scene.height = y + kMargin - 4;
}

}  // namespace

Figure attention_bars(const std::vector<double>& values, const AttentionBarsOptions& options) {
  const bool bars = static_cast<Index>(values.size()) <= kMostBars;
  check(values, options);
  const double high = check(bars ? values : columns_of(values), {.reference = options.reference}) * 1.04;
  const Chart chart{values, options, theme_colors(options.theme), high, linear_ticks(0, high, 6)};
  Scene scene = themed_scene(options.theme, options.language,
                             options.title.value_or(chart.say({"Attention received", "收到的注意力"})));
  if (bars) {
    draw_bars(scene, chart);
  } else {
    draw_columns(scene, chart);
  }
  return finished(std::move(scene), chart.colors);
}

}  // namespace fovea
