// The kinds of `fovea plot`: each as a figure for a file and as a picture for the terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fovea/attention_diagram.h"
#include "fovea/figure.h"
#include "fovea/growth_chart.h"
#include "fovea/heatmap.h"
#include "fovea/speed_chart.h"
#include "fovea/terminal_picture.h"
#include "fovea/training_chart.h"
#include "inputs/picture_input.h"

namespace fovea::command {

// How it is to look; what is not given follows the kind.
struct PictureStyle {
  std::optional<std::string> title, key_title, query_title, bar_title;
  std::optional<std::string> colormap;
  std::optional<ColorRange> range;
  Theme theme = Theme::light;
  Language language = Language::english;
  bool values = true;
  std::optional<int> digits;
};

struct Picture {
  std::function<Figure()> figure;
  std::function<std::string(const TerminalOptions&)> terminal;
};

Picture heatmap_picture(PictureInput input, const PictureStyle& style);
Picture grid_picture(const PictureInput& input, const PictureStyle& style);
Picture difference_picture(const Tensor& a, const Tensor& b, const PictureInput& names,
                           const PictureStyle& style);
Picture mask_kind_picture(const Mask& mask, Index n, Index m, const PictureInput& names,
                          const PictureStyle& style);
Picture lines_picture(const PictureInput& input, double mass, std::optional<Index> query,
                      const PictureStyle& style);
Picture bars_picture(const ReceivedAttention& received, const PictureStyle& style);
Picture measure_picture(const MeasureTable& table, PictureStyle style);
Picture growth_picture(const GrowthData& data, const PictureStyle& style);
Picture speed_picture(const SpeedData& data, const PictureStyle& style);
Picture training_picture(const TrainingCurve& curve, const std::string& folder, const PictureStyle& style);

enum class DiagramKind { flow, interplay, words, heads };
Picture diagram_picture(const Account& account, DiagramKind kind, Index query, int head,
                        const PictureStyle& style);

}  // namespace fovea::command
