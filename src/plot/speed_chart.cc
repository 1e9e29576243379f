#include "fovea/speed_chart.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "plot/drawing.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

constexpr double kBarsWidth = 300, kBarHeight = 9, kBarGap = 2, kGroupGap = 11;

double longest_of(const std::vector<SpeedScenario>& scenarios) {
  if (scenarios.empty()) fail("[speed_chart] there are no scenarios");
  double longest = 1;
  for (const SpeedScenario& scenario : scenarios) {
    if (scenario.results.empty()) fail("[speed_chart] {}: there are no results", scenario.name);
    for (const SpeedResult& result : scenario.results) {
      if (!(result.times > 0) || std::isinf(result.times)) {
        fail("[speed_chart] {}: the time of {} is {}, expected a finite number > 0", scenario.name,
             result.competitor, result.times);
      }
      longest = std::max(longest, result.times);
    }
  }
  return longest;
}

// Everyone in the order of appearance; fovea is not among them.
std::vector<std::string> competitors_of(const std::vector<SpeedScenario>& scenarios) {
  std::vector<std::string> names;
  for (const SpeedScenario& scenario : scenarios) {
    for (const SpeedResult& result : scenario.results) {
      if (std::find(names.begin(), names.end(), result.competitor) == names.end()) {
        names.push_back(result.competitor);
      }
    }
  }
  return names;
}

struct SpeedBars {
  Scene& scene;
  const ThemeColors& colors;
  std::vector<std::string> names;  // of competitors
  double left = 0, high = 1;       // x of the axis; value at its end

  double x(double times) const { return left + kBarsWidth * times / high; }
  Color color(const std::string& name) const {  // fovea has the first accent
    const auto at = std::find(names.begin(), names.end(), name) - names.begin() + 1;
    return name == "fovea" ? colors.accent[0]
                           : colors.accent[static_cast<std::size_t>(at) % colors.accent.size()];
  }
  void rectangle(const scene::Box& box, Color fill) const {
    scene::Rectangle bar;
    bar.box = box;
    bar.fill = fill;
    scene.add(bar);
  }
  void bar(double y, const std::string& name, double times) const {
    rectangle({left, y, x(times) - left, kBarHeight}, color(name));
    const bool own = name == "fovea";
    add_text(scene, own ? "1" : fixed(times, 2) + " ×", {x(times) + 5, y + kBarHeight / 2},
             {.size = kNoteSize, .color = own ? colors.muted : colors.ink});
  }
  // The names of the colours; returns the y below them.
  double legend(double y) const {
    double at = left;
    std::vector<std::string> all = names;
    all.insert(all.begin(), "fovea");
    for (const std::string& name : all) {
      rectangle({at, y - 4, 8, 8}, color(name));
      add_text(scene, name, {at + 12, y},
               {.size = kLabelSize, .color = colors.ink, .bold = name == "fovea"});
      at += 12 + text_width(name, kLabelSize, name == "fovea") + 16;
    }
    scene.width = std::max(scene.width, at + kMargin);
    return y + 16;
  }
};

}  // namespace

Figure speed_chart(const std::vector<SpeedScenario>& scenarios, const SpeedChartOptions& options) {
  const double longest = longest_of(scenarios);
  const ThemeColors& colors = theme_colors(options.theme);
  const auto say = [&](const Text& text) { return text.in(options.language); };
  Scene scene =
      themed_scene(options.theme, options.language,
                   options.title.value_or(say({"Time for the same work", "完成同样计算所用的时间"})));
  double label_width = 0;
  for (const SpeedScenario& scenario : scenarios) {
    label_width = std::max(label_width, text_width(scenario.name, kLabelSize));
  }
  SpeedBars bars{scene, colors, competitors_of(scenarios), kMargin + label_width + 8, longest * 1.02};
  scene.width = bars.left + kBarsWidth + 40 + kMargin;
  const double top = bars.legend(below_title(scene) + 6);
  double bottom = top;
  for (const SpeedScenario& scenario : scenarios) {
    bottom += static_cast<double>(scenario.results.size() + 1) * (kBarHeight + kBarGap) + kGroupGap;
  }
  for (const Tick& tick : linear_ticks(0, bars.high, 6)) {
    const double x = bars.left + kBarsWidth * tick.share;
    add_line(scene, {x, top}, {x, bottom}, colors.grid, 0.6);
    add_text(scene, tick.text, {x, bottom + 9},
             {.size = kNoteSize, .color = colors.muted, .anchor = scene::Anchor::middle});
  }
  double y = top + kGroupGap / 2;
  for (const SpeedScenario& scenario : scenarios) {
    const double begin = y;
    bars.bar(y, "fovea", 1);
    y += kBarHeight + kBarGap;
    for (const SpeedResult& result : scenario.results) {
      bars.bar(y, result.competitor, result.times);
      y += kBarHeight + kBarGap;
    }
    add_text(scene, scenario.name, {bars.left - 7, (begin + y - kBarGap) / 2},
             {.size = kLabelSize, .color = colors.ink, .anchor = scene::Anchor::end});
    y += kGroupGap;
  }
  add_line(scene, {bars.left, top}, {bars.left, bottom}, colors.ink, 0.8);
  add_text(scene, say({"time relative to fovea; shorter is faster", "相对于 fovea 的时间；越短越快"}),
           {bars.left + kBarsWidth / 2, bottom + 24},
           {.size = kAxisTitleSize, .color = colors.ink, .anchor = scene::Anchor::middle});
  y = bottom + 36;
  if (!options.note.empty()) y = add_notes(scene, {options.note}, colors, y);
  scene.width = std::max(scene.width, 2 * kMargin + text_width(options.note, kNoteSize));
  scene.height = y + kMargin - 4;
  return finished(std::move(scene), colors);
}

}  // namespace fovea
