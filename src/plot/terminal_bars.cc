#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/render.h"
#include "plot/terminal_paint.h"

namespace fovea {
namespace {

// A bar of eighths of a column.
std::string bar(double columns) {
  constexpr std::string_view kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(columns * 8));
  return repeat("█", eighths / 8) + std::string(kParts[eighths % 8]);
}

// At most `most` bars: means of neighbours, named by their positions.
TerminalBars bars_in_groups(const TerminalBars& all) {
  TerminalBars groups = all;
  groups.values.clear(), groups.labels.clear();
  const std::size_t count = all.values.size(), most = static_cast<std::size_t>(all.most);
  for (std::size_t g = 0; g < most; ++g) {
    const std::size_t begin = g * count / most, end = (g + 1) * count / most;
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j) sum += all.values[j];
    groups.values.push_back(sum / static_cast<double>(end - begin));
    groups.labels.push_back(end - begin > 1 ? fmt::format("{}–{}", begin, end - 1) : all.labels[begin]);
  }
  return groups;
}

}  // namespace

std::string to_terminal(const TerminalBars& bars, const TerminalOptions& options) {
  if (bars.labels.size() != bars.values.size()) {
    fail("[terminal bars] got {} labels, expected {}", bars.labels.size(), bars.values.size());
  }
  if (bars.most < 1) fail("[terminal bars] got room for {} bars, expected at least one", bars.most);
  if (static_cast<Index>(bars.values.size()) > bars.most) return to_terminal(bars_in_groups(bars), options);
  double largest = 0;
  int label_width = 0, number_width = 0;
  for (std::size_t i = 0; i < bars.values.size(); ++i) {
    if (!(bars.values[i] >= 0) || std::isinf(bars.values[i])) {
      fail("[terminal bars] value {} is {}, expected a finite value ≥ 0", i, bars.values[i]);
    }
    largest = std::max(largest, bars.values[i]);
    label_width = std::max(label_width, std::min(20, display_width(printable(bars.labels[i]))));
    number_width = std::max(number_width, display_width(fixed(bars.values[i], bars.digits)));
  }
  const bool color = options.colors != TerminalColors::none;
  const double room = std::max(8, std::min(options.width - label_width - number_width - 4, 60));
  std::string text;
  if (!bars.title.empty()) text += styled(printable(bars.title), Style::bold, color) + "\n\n";
  const Color ink = Colormap("viridis").color(0.55);
  for (std::size_t i = 0; i < bars.values.size(); ++i) {
    const std::string blocks = bar(largest > 0 ? room * bars.values[i] / largest : 0);
    text += pad_left(shorten(printable(bars.labels[i]), label_width), label_width) + "  " +
            pad_left(fixed(bars.values[i], bars.digits), number_width);
    if (!blocks.empty()) {
      text += "  " + foreground(ink, options.colors) + blocks + (color ? std::string(kReset) : "");
    }
    text += "\n";
  }
  return text;
}

}  // namespace fovea
