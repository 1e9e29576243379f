#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "fovea/attention_diagram.h"
#include "plot/diagram_parts.h"
#include "plot/readable_text.h"
#include "plot/text_measure.h"

namespace fovea {
namespace {

constexpr double kGap = 22, kBoxHeight = 20, kRowHeight = 88;

struct Words {
  std::vector<std::string> labels;
  std::vector<double> x;  // left ends
  double width = 52;      // of every box
  double center(Index i) const { return x[static_cast<std::size_t>(i)] + width / 2; }
};

Words words_of(const std::vector<std::string>& tokens, double left) {
  Words words;
  for (const std::string& token : tokens) {
    words.labels.push_back(
        shorten_middle(readable_token(token), {kLabelSize, false, scene::Family::sans}, 90));
    words.width = std::max(words.width, text_width(words.labels.back(), kLabelSize) + 14);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i)
    words.x.push_back(left + static_cast<double>(i) * (words.width + kGap));
  return words;
}

// From the top of the query's box over to the key; a small loop for the query itself.
void add_arc(Scene& scene, double from, double to, double y, double longest, double weight, Color color) {
  const double distance = std::abs(to - from);
  const double height = distance < 1 ? 17 : 14 + 24 * distance / longest;
  scene::Curve curve;
  curve.from = {distance < 1 ? from - 8 : from, y};
  curve.to = {distance < 1 ? to + 8 : to, y};
  curve.control1 = {curve.from.x, y - height * 1.3};
  curve.control2 = {curve.to.x, y - height * 1.3};
  curve.stroke = {color, 0.6 + 3.2 * weight, {}};
  curve.arrow = true;
  curve.opacity = 0.3 + 0.7 * weight;
  scene.add(curve);
}

}  // namespace

Figure word_scores_diagram(const Account& account, const DiagramOptions& options) {
  const Matrix& weights = step_of(account, "weights", options.head).matrix;
  const bool is_scaled = has_step(account, "scaled", options.head);
  const Matrix& scores = step_of(account, is_scaled ? "scaled" : "scores", options.head).matrix;
  constexpr Index kMostQueries = 12, kMostKeys = 16;
  if (weights.rows() > kMostQueries || weights.columns() > kMostKeys) {
    fail("[word_scores_diagram] {} queries and {} keys: at most {} and {} can be drawn", weights.rows(),
         weights.columns(), kMostQueries, kMostKeys);
  }
  const ThemeColors& colors = theme_colors(options.theme);
  const int digits = std::clamp(options.digits, 0, 6);
  Scene scene = themed_scene(options.theme, options.language,
                             options.title.value_or(account.title.in(options.language)));
  const bool self = account.tokens == account.memory_tokens;
  double left = kMargin;
  for (const std::string& token : account.tokens) {
    left = std::max(left, kMargin + text_width(readable_token(token), kLabelSize, true) + 26);
  }
  const Words words = words_of(account.memory_tokens, left);
  const double right = words.x.back() + words.width;
  const double longest = std::max(1.0, words.center(weights.columns() - 1) - words.center(0));
  double y = below_title(scene);
  for (Index i = 0; i < weights.rows(); ++i) {
    const double box_y = y + 42;
    const std::string query = readable_token(account.tokens[static_cast<std::size_t>(i)]);
    add_text(scene, query + " →", {kMargin, box_y + kBoxHeight / 2},
             {.size = kLabelSize, .color = colors.accent[0], .bold = true});
    for (Index j = 0; j < weights.columns(); ++j) {
      const double weight = weights(i, j);
      const CellPaint paint = cell_paint(weight, 1, MatrixColors::weights, colors);
      scene::Rectangle box;
      box.box = {words.x[static_cast<std::size_t>(j)], box_y, words.width, kBoxHeight};
      box.fill = paint.fill;
      box.radius = 4;
      box.stroke =
          self && i == j ? scene::Stroke{colors.accent[1], 1.8, {}} : scene::Stroke{colors.grid, 0.7, {}};
      scene.add(box);
      add_text(scene, words.labels[static_cast<std::size_t>(j)], box.box.center(),
               {.size = kLabelSize, .color = paint.ink, .anchor = scene::Anchor::middle});
      if (self && weight > 0) {
        add_arc(scene, words.center(i), words.center(j), box_y - 2, longest, weight, colors.accent[0]);
      }
      add_text(scene, cell_number(weight, std::max(3, digits)), {words.center(j), box_y + kBoxHeight + 8},
               {.size = kNoteSize, .color = colors.ink, .bold = true, .anchor = scene::Anchor::middle});
      add_text(scene, cell_number(scores(i, j), digits), {words.center(j), box_y + kBoxHeight + 18},
               {.size = 7, .color = colors.muted, .anchor = scene::Anchor::middle});
    }
    y += self ? kRowHeight : kRowHeight - 36;
  }
  const Text note = is_scaled ? Text{"bold: weight; below it: scaled score q·k/√d_k",
                                     "粗体：权重；其下：缩放后的分数 q·k/√d_k"}
                              : Text{"bold: weight; below it: score q·k", "粗体：权重；其下：分数 q·k"};
  y = add_notes(scene, {note.in(options.language)}, colors, y + 10);
  scene.width = right + kMargin;
  scene.height = y + kMargin - 4;
  return finished(std::move(scene), colors);
}

}  // namespace fovea
