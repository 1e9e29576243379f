#include <algorithm>
#include <cmath>

#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/render.h"
#include "fovea/training_chart.h"
#include "plot/loss_scale.h"
#include "plot/terminal_paint.h"

namespace fovea {
namespace {

constexpr int kLines = 16;

enum class Mark : char { none, mean, evaluation };

}  // namespace

std::string to_terminal(const TrainingCurve& curve, const std::string& title,
                        const TerminalOptions& options) {
  check_curve(curve);
  const LossScale scale(curve);
  const auto line_of = [&](double share) {
    return static_cast<int>(std::lround((1 - share) * (kLines - 1)));
  };
  std::vector<std::string> labels(kLines);
  int label_width = 0;
  for (const Tick& tick : scale.ticks(5)) labels[static_cast<std::size_t>(line_of(tick.share))] = tick.text;
  for (const std::string& label : labels) label_width = std::max(label_width, display_width(label));

  const int columns = std::clamp(options.width - label_width - 3, 10, 90);
  Index last = std::max<Index>(1, curve.steps.back().step);
  if (!curve.held_out.empty()) last = std::max(last, curve.held_out.back().step);
  std::vector<std::vector<Mark>> cells(kLines, std::vector<Mark>(static_cast<std::size_t>(columns)));
  const auto put = [&](const LossPoint& point, Mark mark) {
    const double x = static_cast<double>(point.step) / static_cast<double>(last) * (columns - 1);
    cells[static_cast<std::size_t>(line_of(scale.share(point.loss)))]
         [static_cast<std::size_t>(std::clamp<long>(std::lround(x), 0, columns - 1))] = mark;
  };
  for (const LossPoint& point : mean_points(curve.steps, static_cast<std::size_t>(columns))) {
    put(point, Mark::mean);
  }
  for (const LossPoint& point : curve.held_out) put(point, Mark::evaluation);

  const bool color = options.colors != TerminalColors::none;
  const Color loss_ink = Colormap("viridis").color(0.45), held_ink = Colormap("viridis").color(0.85);
  std::string text;
  if (!title.empty()) text += styled(printable(title), Style::bold, color) + "\n\n";
  for (std::size_t y = 0; y < kLines; ++y) {
    std::string line = pad_left(labels[y], label_width) + (labels[y].empty() ? " │" : " ┤");
    std::size_t end = cells[y].size();  // no spaces at the end of a line
    while (end > 0 && cells[y][end - 1] == Mark::none) --end;
    for (std::size_t x = 0; x < end; ++x) {
      const Mark mark = cells[y][x];
      if (mark == Mark::none) {
        line += ' ';
      } else {
        line += foreground(mark == Mark::mean ? loss_ink : held_ink, options.colors) +
                (mark == Mark::mean ? "·" : "●") + (color ? std::string(kReset) : "");
      }
    }
    text += line + "\n";
  }
  const std::string end = grouped(last);
  text += pad_left("", label_width) + " └" + repeat("─", columns) + "\n";
  text += pad_left("", label_width + 2) + "0" + pad_left(end, columns - 1) + "\n";
  const Text key = {"· loss of the steps   ● on held-out data", "· 各步的损失   ● 留出数据上的损失"};
  return text + pad_left("", label_width + 2) + key.in(options.language) + "\n";
}

}  // namespace fovea
