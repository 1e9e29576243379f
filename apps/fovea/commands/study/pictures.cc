// Pictures of a study.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "commands/study/views.h"
#include "fovea/error.h"
#include "fovea/heatmap.h"
#include "fovea/layer_head_matrix.h"
#include "fovea/measure_definitions.h"
#include "fovea/terminal_picture.h"

namespace fovea::command {
namespace {

struct StudyMatrix {
  Tensor values;
  HeatmapOptions options;
};

std::vector<std::string> names_of_heads(const Study& study) {
  std::vector<std::string> names;
  for (Index h = 0; h < study.layers() * study.heads(); ++h) names.push_back(head_name(study, h));
  return names;
}

float finite(double value) { return std::isnan(value) ? 0.0f : static_cast<float>(value); }

// Heads × distance: the share of the profile that each distance holds.
StudyMatrix distances(const Study& study, const Context& context) {
  constexpr Index kFarthest = 16;
  const Index farthest = std::min(kFarthest, study.options().length - 1);
  const Index heads = study.layers() * study.heads();
  StudyMatrix matrix{Tensor({heads, 2 * farthest + 1}), {}};
  for (Index h = 0; h < heads; ++h) {
    for (Index d = -farthest; d <= farthest; ++d) {
      matrix.values(h, d + farthest) = finite(study.at_distance(h, d));
    }
  }
  for (Index d = -farthest; d <= farthest; ++d) matrix.options.keys.push_back(fmt::format("{:+}", d));
  matrix.options.queries = names_of_heads(study);
  matrix.options.title = context.say(tr("Mean weight by distance"));
  matrix.options.key_title = context.say(tr("Tokens after the query (− before)"));
  matrix.options.range = ColorRange::row_maximum();
  return matrix;
}

StudyMatrix positions(const Study& study, Measure measure, const Context& context) {
  const Index heads = study.layers() * study.heads(), length = study.options().length;
  StudyMatrix matrix{Tensor({heads, length}), {}};
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < length; ++i) matrix.values(h, i) = finite(study.at_position(h, measure, i).mean);
  }
  for (Index i = 0; i < length; ++i) matrix.options.keys.push_back(fmt::format("{}", i));
  matrix.options.queries = names_of_heads(study);
  matrix.options.title = context.say(tr("{0} by position", measure_definition(measure).name));
  matrix.options.key_title = context.say(tr("Position of the query"));
  return matrix;
}

StudyMatrix similarity(const Study& study, const Context& context) {
  const HeadSimilarity similar = study.similarity();
  const auto heads = static_cast<Index>(similar.order.size());
  StudyMatrix matrix{Tensor({heads, heads}), {}};
  for (Index a = 0; a < heads; ++a) {
    for (Index b = 0; b < heads; ++b) {
      matrix.values(a, b) = finite(similar.divergence(similar.order[static_cast<std::size_t>(a)],
                                                      similar.order[static_cast<std::size_t>(b)]));
    }
    matrix.options.keys.push_back(head_name(study, similar.order[static_cast<std::size_t>(a)]));
  }
  matrix.options.queries = matrix.options.keys;
  matrix.options.title = context.say(tr("How differently heads look (Jensen–Shannon divergence)"));
  matrix.options.key_title = "";
  matrix.options.bar_title = context.say(tr("nats; dark: alike"));
  return matrix;
}

void show_matrix(const Context& context, StudyMatrix matrix, const std::string& path) {
  matrix.options.values = false;
  matrix.options.query_title = "";
  matrix.options.colormap = "viridis";
  matrix.options.language = context.language;
  if (!path.empty()) return save_figure(path, heatmap(matrix.values, matrix.options));
  context.print(to_terminal(
      terminal_heatmap(matrix.values, matrix.options),
      {.colors = terminal_colors(context.color), .width = context.width, .language = context.language}));
}

}  // namespace

void show_study_picture(const Context& context, const Study& study, const std::string& kind,
                        Measure measure, const std::string& path) {
  if (study.counts().texts == 0) throw Error("[study] there is nothing to draw: the study has no texts");
  if (kind == "distances") {
    show_matrix(context, distances(study, context), path);
  } else if (kind == "positions") {
    show_matrix(context, positions(study, measure, context), path);
  } else if (kind == "similarity") {
    show_matrix(context, similarity(study, context), path);
  } else {
    Matrix values(study.layers(), study.heads());
    for (Index h = 0; h < study.layers() * study.heads(); ++h) {
      values(h / study.heads(), h % study.heads()) =
          static_cast<double>(finite(study.value(h, measure).mean));
    }
    const std::string title =
        context.say(tr("{0}, mean over {1} texts", measure_definition(measure).name, study.counts().texts));
    if (path.empty()) {
      Tensor cells({study.layers(), study.heads()});
      for (Index h = 0; h < study.layers() * study.heads(); ++h) {
        cells(h / study.heads(), h % study.heads()) =
            static_cast<float>(values(h / study.heads(), h % study.heads()));
      }
      TerminalHeatmap picture{cells, {}, {}};
      picture.title = title;
      context.print(to_terminal(picture, {.colors = terminal_colors(context.color),
                                          .width = context.width,
                                          .language = context.language}));
      return;
    }
    LayerHeadMatrixOptions options;
    options.title = title;
    options.bar_title = measure_definition(measure).name;
    options.language = context.language;
    save_figure(path, layer_head_matrix(values, options));
  }
  if (!path.empty()) print_message(fmt::format("{} → {}", kind, path));
}

}  // namespace fovea::command
