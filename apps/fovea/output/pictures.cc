#include "output/pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "fovea/attention_bars.h"
#include "fovea/attention_lines.h"
#include "fovea/head_grid.h"
#include "fovea/layer_head_matrix.h"
#include "fovea/mask_picture.h"
#include "fovea/measure_definitions.h"
#include "fovea/reading.h"
#include "output/output.h"

namespace fovea::command {
namespace {

// For the picture of one of the chosen heads.
HeatmapOptions heatmap_options(const PictureInput& input, std::size_t head, const PictureStyle& style) {
  HeatmapOptions options;
  options.queries = input.query_labels, options.keys = input.key_labels;
  options.title = style.title, options.query_title = style.query_title, options.key_title = style.key_title;
  options.bar_title = style.bar_title;
  options.colormap = style.colormap.value_or("");
  options.range = style.range;
  if (head < input.masks.size()) options.mask = input.masks[head];
  options.values = style.values;
  options.theme = style.theme, options.language = style.language;
  if (input.is_thumbnail()) options.full_queries = input.queries, options.full_keys = input.keys;
  return options;
}

// Norms have no natural end, and another name than weights.
PictureStyle style_for(const PictureInput& input, PictureStyle style) {
  if (!input.heads.front().passed_on) return style;
  if (!style.bar_title) style.bar_title = tr("Norm passed on").in(style.language);
  if (!style.range) style.range = ColorRange::data();
  return style;
}

TerminalHeatmap styled(TerminalHeatmap heatmap, const PictureStyle& style) {
  heatmap.digits = style.digits.value_or(3);
  return heatmap;
}

void check_terminal_range(const PictureStyle& style) {
  if (style.range && style.range->kind == ColorRange::Kind::logarithm)
    throw UsageError("--range log needs -o FILE: the terminal only has a linear colour scale");
}

TerminalHeatmap terminal_of_head(const PictureInput& input, std::size_t head, const PictureStyle& style) {
  check_terminal_range(style);
  return styled(terminal_heatmap(input.value(head), heatmap_options(input, head, style)), style);
}

}  // namespace

Picture heatmap_picture(PictureInput input, const PictureStyle& given) {
  PictureStyle style = style_for(input, given);
  const bool passed_on = input.heads.front().passed_on;
  if (!style.title && (input.layers > 1 || input.layer_heads > 1 || passed_on)) {
    style.title = fmt::format(
        "{} · {}{}", input.model.empty() ? tr("Attention weights").in(style.language) : input.model,
        input.heads.front().name(), passed_on ? " · " + tr("passed on").in(style.language) : "");
  }
  PictureStyle figure_style = style;
  // Means over many keys span orders of magnitude: linear colours would show one corner.
  if (input.is_thumbnail() && !given.range) figure_style.range = ColorRange::logarithm();
  return {[=] { return heatmap(input.value(0), heatmap_options(input, 0, figure_style)); },
          [=](const TerminalOptions& options) {
            return to_terminal(terminal_of_head(input, 0, style), options);
          }};
}

Picture grid_picture(const PictureInput& input, const PictureStyle& given) {
  const PictureStyle style = style_for(input, given);
  const auto figure = [=] {
    HeadGridOptions options;
    options.heatmap = heatmap_options(input, 0, style);
    options.panel_masks = input.masks;
    const std::vector<HeadChoice>& places = input.heads;
    std::vector<Index> layers, heads;
    for (const HeadChoice& place : places) {
      if (std::find(layers.begin(), layers.end(), place.layer) == layers.end())
        layers.push_back(place.layer);
      if (std::find(heads.begin(), heads.end(), place.head) == heads.end()) heads.push_back(place.head);
    }
    const auto count = static_cast<Index>(layers.size() * heads.size());
    const bool whole =
        count == static_cast<Index>(places.size()) && places.front().merge == HeadMerge::none;
    const Shape& shape = input.values.shape();
    if (whole && layers.size() > 1) {
      options.layers = layers, options.heads = heads;
      return head_grid(input.values.reshaped({static_cast<Index>(layers.size()),
                                              static_cast<Index>(heads.size()), shape[1], shape[2]}),
                       options);
    }
    if (whole && !style.title) {
      options.heatmap.title = (places.front().passed_on ? tr("Layer {0}: what heads pass on", layers[0])
                                                        : tr("Layer {0} Attention Heads", layers[0]))
                                  .in(style.language);
    }
    const bool all_heads =
        whole && static_cast<Index>(heads.size()) == input.layer_heads && input.layers == 1;
    if (!all_heads) {
      for (const HeadChoice& place : places) options.panel_titles.push_back(place.name());
    }
    return head_grid(input.values, options);
  };
  const auto terminal = [=](const TerminalOptions& options) {
    std::vector<TerminalHeatmap> panels;
    for (std::size_t i = 0; i < input.heads.size(); ++i) {
      panels.push_back(terminal_of_head(input, i, style));
      panels.back().title = input.heads[i].name();
      if (!style.colormap) panels.back().colormap = "Blues";
    }
    return (style.title ? *style.title + "\n\n" : "") + to_terminal(panels, options);
  };
  return {figure, terminal};
}

Picture difference_picture(const Tensor& a, const Tensor& b, const PictureInput& names,
                           const PictureStyle& given) {
  PictureStyle style = style_for(names, given);
  style.range = given.range;
  const auto terminal = [=](const TerminalOptions& options) {
    check_terminal_range(style);
    return to_terminal(styled(terminal_difference(a, b, heatmap_options(names, 0, style)), style), options);
  };
  return {[=] { return difference_heatmap(a, b, heatmap_options(names, 0, style)); }, terminal};
}

Picture mask_kind_picture(const Mask& mask, Index n, Index m, const PictureInput& names,
                          const PictureStyle& style) {
  const auto figure = [=] {
    MaskPictureOptions options;
    options.queries = names.query_labels, options.keys = names.key_labels;
    options.title = style.title, options.query_title = style.query_title,
    options.key_title = style.key_title;
    options.colormap = style.colormap.value_or(options.colormap);
    options.theme = style.theme, options.language = style.language;
    return mask_picture(mask, n, m, options);
  };
  const auto terminal = [=](const TerminalOptions& options) {
    // One cell per pair, or the visible share of tiles for large ones.
    constexpr Index kMost = 512;
    const Index rows = std::min(n, kMost), columns = std::min(m, kMost);
    TerminalHeatmap h;
    h.values = Tensor({rows, columns});
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const Tile tile{0, 0, i * n / rows, (i + 1) * n / rows, j * m / columns, (j + 1) * m / columns};
        const TileClass kind = mask.classify(tile, n, m);
        h.values(i, j) = kind == TileClass::full ? 1.0f : kind == TileClass::partial ? 0.5f : 0.0f;
      }
    }
    h.rows = n, h.columns = m;
    h.row_labels = rows == n ? names.query_labels : std::vector<std::string>{};
    h.column_labels = columns == m ? names.key_labels : std::vector<std::string>{};
    h.low = 0, h.high = 1, h.numbers = false;
    h.colormap = style.colormap.value_or("Blues");
    h.title = style.title.value_or(mask.describe(n, m));
    return to_terminal(h, options);
  };
  return {figure, terminal};
}

Picture lines_picture(const PictureInput& input, double mass, std::optional<Index> query,
                      const PictureStyle& style) {
  const auto figure = [=] {
    AttentionLinesOptions options;
    options.queries = input.query_labels, options.keys = input.key_labels;
    for (const HeadChoice& head : input.heads) options.head_names.push_back(head.name());
    options.title = style.title;
    options.mass = mass, options.query = query;
    options.theme = style.theme, options.language = style.language;
    return attention_lines(input.values, options);
  };
  // Lines cannot cross in a terminal; what each query looks at most says the same.
  const auto terminal = [=](const TerminalOptions& options) {
    std::string text;
    const auto names = [](const std::vector<std::string>& given, Index count) {
      std::vector<std::string> result = given;
      for (Index i = static_cast<Index>(result.size()); i < count; ++i) result.push_back(std::to_string(i));
      return result;
    };
    for (std::size_t i = 0; i < input.heads.size(); ++i) {
      Reading reading;
      reading.weights = Matrix::from(input.value(i));
      reading.tokens = names(input.query_labels, input.queries);
      reading.memory_tokens = names(input.key_labels, input.keys);
      RenderOptions render{options.language, options.colors != TerminalColors::none, 3, options.width};
      text += fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", input.heads[i].name(),
                          read_top(reading, render));
    }
    return text;
  };
  return {figure, terminal};
}

Picture bars_picture(const ReceivedAttention& received, const PictureStyle& style) {
  const double even = static_cast<double>(received.queries) /
                      static_cast<double>(std::max<std::size_t>(received.values.size(), 1));
  const auto figure = [=] {
    AttentionBarsOptions options;
    options.labels = received.key_labels;
    options.title = style.title, options.value_title = style.bar_title;
    if (received.passed_on) {
      if (!options.title) options.title = tr("Passed on from each key").in(style.language);
      if (!options.value_title) options.value_title = tr("Norms passed on, summed").in(style.language);
    } else {
      options.reference = even;
      options.reference_name = tr("even: {0:.3g}", even).in(style.language);
    }
    options.theme = style.theme, options.language = style.language;
    return attention_bars(received.values, options);
  };
  const auto terminal = [=](const TerminalOptions& options) {
    TerminalBars bars;
    bars.values = received.values;
    bars.labels = received.key_labels;
    for (std::size_t j = bars.labels.size(); j < bars.values.size(); ++j)
      bars.labels.push_back(std::to_string(j));
    const Message title = received.passed_on ? tr("Passed on from each key")
                          : static_cast<Index>(bars.values.size()) > bars.most
                              ? tr("Attention received, averaged over neighbouring keys")
                              : tr("Attention received");
    bars.title = style.title.value_or(title.in(style.language));
    bars.digits = style.digits.value_or(3);
    return to_terminal(bars, options);
  };
  return {figure, terminal};
}

Picture measure_picture(const MeasureTable& table, PictureStyle style) {
  const MeasureDefinition& definition = measure_definition(table.measure);
  if (!style.title && table.measure != Measure::entropy) {
    style.title =
        tr("{0} by layer and head", Text{definition.name, definition.title.zh}).in(style.language);
  }
  if (!style.bar_title && table.measure != Measure::entropy)
    style.bar_title = definition.title.in(style.language);
  const auto figure = [=] {
    LayerHeadMatrixOptions options;
    options.title = style.title, options.bar_title = style.bar_title;
    options.layers = table.layers, options.heads = table.heads;
    options.colormap = style.colormap.value_or(options.colormap);
    if (style.range && style.range->kind == ColorRange::Kind::fixed) {
      options.low = style.range->low, options.high = style.range->high;
    }
    options.digits = style.digits.value_or(2);
    options.theme = style.theme, options.language = style.language;
    return layer_head_matrix(table.values, options);
  };
  const auto terminal = [=](const TerminalOptions& options) {
    TerminalHeatmap h;
    h.values = table.values.to_tensor();
    for (const Index layer : table.layers) h.row_labels.push_back(fmt::format("L{}", layer));
    for (const Index head : table.heads) h.column_labels.push_back(fmt::format("H{}", head));
    h.colormap = style.colormap.value_or("viridis");
    h.digits = style.digits.value_or(2);
    const auto [least, largest] =
        std::minmax_element(table.values.values().begin(), table.values.values().end());
    if (*least < *largest) h.low = *least, h.high = *largest;
    h.title = style.title.value_or(tr("Mean entropy of the rows, in nats").in(style.language));
    return to_terminal(h, options);
  };
  return {figure, terminal};
}

// "sort" of "models/sort/".
static std::string folder_name(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder + "/.").lexically_normal().parent_path();
  return path.filename().string();
}

Picture training_picture(const TrainingCurve& curve, const std::string& folder, const PictureStyle& style) {
  const std::string title = style.title.value_or(one_line(folder_name(folder)));
  const auto figure = [=] {
    TrainingChartOptions options;
    options.title = title;
    options.theme = style.theme, options.language = style.language;
    return training_chart(curve, options);
  };
  const auto terminal = [=](const TerminalOptions& options) { return to_terminal(curve, title, options); };
  return {figure, terminal};
}

Picture growth_picture(const GrowthData& data, const PictureStyle& style) {
  const auto figure = [=] {
    GrowthChartOptions options;
    options.title = style.title, options.note = data.note;
    options.theme = style.theme, options.language = style.language;
    return growth_chart(data.series, options);
  };
  const auto terminal = [=](const TerminalOptions& options) {
    std::string text;
    for (const GrowthSeries& series : data.series) {
      TerminalBars bars;
      bars.title = fmt::format("{} ∝ n^{:.2f} (ms)", series.name, growth_exponent(series.points));
      std::vector<GrowthPoint> points = series.points;
      std::sort(points.begin(), points.end(),
                [](const GrowthPoint& a, const GrowthPoint& b) { return a.n < b.n; });
      for (const GrowthPoint& point : points) {
        bars.labels.push_back(std::to_string(point.n));
        bars.values.push_back(point.seconds * 1e3);
      }
      text += (text.empty() ? "" : "\n") + to_terminal(bars, options);
    }
    return text + "\n" + data.note + "\n";
  };
  return {figure, terminal};
}

Picture speed_picture(const SpeedData& data, const PictureStyle& style) {
  const auto figure = [=] {
    SpeedChartOptions options;
    options.title = style.title, options.note = data.note;
    options.theme = style.theme, options.language = style.language;
    return speed_chart(data.scenarios, options);
  };
  const auto terminal = [=](const TerminalOptions& options) {
    std::string text;
    for (const SpeedScenario& scenario : data.scenarios) {
      TerminalBars bars;
      bars.title = scenario.name;
      bars.labels = {"fovea"};
      bars.values = {1};
      for (const SpeedResult& result : scenario.results) {
        bars.labels.push_back(result.competitor);
        bars.values.push_back(result.times);
      }
      text += (text.empty() ? "" : "\n") + to_terminal(bars, options);
    }
    const std::string note =
        tr("Time relative to fovea; shorter is faster.").in(style.language) + " " + data.note;
    return text + "\n" + note + "\n";
  };
  return {figure, terminal};
}

Picture diagram_picture(const Account& account, DiagramKind kind, Index query, int head,
                        const PictureStyle& style) {
  const auto figure = [=] {
    const DiagramOptions options{.title = style.title,
                                 .query = query,
                                 .head = head,
                                 .digits = style.digits.value_or(2),
                                 .theme = style.theme,
                                 .language = style.language};
    if (kind == DiagramKind::flow) return flow_diagram(account, options);
    if (kind == DiagramKind::interplay) return query_key_value_diagram(account, options);
    if (kind == DiagramKind::words) return word_scores_diagram(account, options);
    return multi_head_diagram(account, options);
  };
  const auto terminal = [=](const TerminalOptions& options) {
    const bool color = options.colors != TerminalColors::none;
    return to_terminal(account,
                       RenderOptions{options.language, color, style.digits.value_or(4), options.width});
  };
  return {figure, terminal};
}

}  // namespace fovea::command
