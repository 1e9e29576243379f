#include "fovea/attention_lines.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "plot/drawing.h"
#include "plot/readable_text.h"
#include "plot/text_measure.h"

namespace fovea {
namespace {

constexpr double kBetween = 190;  // from the queries to the keys

struct Line {
  Index head, query, key;
  double weight;
};

ConstView three_axes(ConstView weights) {
  if (weights.shape().rank() == 2) return weights.insert_axis(0);
  if (weights.shape().rank() == 3) return weights;
  fail("[attention_lines] expected weights [N, M] or [H, N, M], got {}", weights.shape().to_string());
}

void check_count(const char* what, std::size_t got, Index expected) {
  if (got == 0 || static_cast<Index>(got) == expected) return;
  fail("[attention_lines] got {} {}, expected {}", got, what, expected);
}

void check(ConstView weights, const AttentionLinesOptions& options) {
  const Shape& shape = weights.shape();
  if (shape.elements() == 0 || std::max(shape[1], shape[2]) > kMostLineTokens) {
    fail("[attention_lines] got {} queries and {} keys, expected 1 to {}: more lines cannot be told apart",
         shape[1], shape[2], kMostLineTokens);
  }
  check_count("labels of queries", options.queries.size(), shape[1]);
  check_count("names of keys", options.keys.size(), shape[2]);
  check_count("labels of heads", options.head_names.size(), shape[0]);
  if (!(options.mass > 0 && options.mass <= 1))
    fail("[attention_lines] mass is {}, expected 0 < mass ≤ 1", options.mass);
  if (options.query && (*options.query < 0 || *options.query >= shape[1])) {
    fail("[attention_lines] query {} does not exist: there are {}, 0 to {}", *options.query, shape[1],
         shape[1] - 1);
  }
}

// The largest weights of one row that hold the share.
void add_row(ConstView weights, Index head, Index query, double share, std::vector<Line>& lines) {
  std::vector<Line> row;
  double sum = 0;
  for (Index key = 0; key < weights.shape()[2]; ++key) {
    const double weight = static_cast<double>(weights(head, query, key));
    if (!(weight >= 0) || std::isinf(weight)) {
      fail("[attention_lines] the weight of head {}, query {}, key {} is {}", head, query, key, weight);
    }
    sum += weight;
    if (weight > 0) row.push_back({head, query, key, weight});
  }
  std::stable_sort(row.begin(), row.end(),
                   [](const Line& a, const Line& b) { return a.weight > b.weight; });
  double held = 0;
  for (const Line& line : row) {
    if (held >= share * sum * (1 - 1e-7)) break;  // float32 sums
    held += line.weight;
    lines.push_back(line);
  }
}

std::vector<Line> lines_of(ConstView weights, const AttentionLinesOptions& options) {
  std::vector<Line> lines;
  for (Index head = 0; head < weights.shape()[0]; ++head) {
    for (Index query = 0; query < weights.shape()[1]; ++query) {
      if (options.query && *options.query != query) continue;
      add_row(weights, head, query, options.mass, lines);
    }
  }
  // The strongest are drawn last, on top.
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.weight < b.weight; });
  return lines;
}

std::vector<std::string> labels_of(const std::vector<std::string>& names, Index count, double size) {
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i) {
    const std::string text =
        names.empty() ? std::to_string(i) : readable_token(names[static_cast<std::size_t>(i)]);
    labels.push_back(shorten_middle(text, {size, false, scene::Family::sans}, 130));
  }
  return labels;
}

double widest(const std::vector<std::string>& labels, double size) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label, size));
  return width;
}

// Where everything stands.
struct Layout {
  double row = 17, size = kLabelSize;
  double left = 0, right = 0, top = 0;  // x of the lines' ends, y of the first row
  double y(Index token) const { return top + (static_cast<double>(token) + 0.5) * row; }
};

// Squares with names, in lines no wider than `width`; returns the y below.
double add_legend(Scene& scene, Index heads, const AttentionLinesOptions& options, double width, double y) {
  if (heads == 1) return y;
  const ThemeColors& colors = theme_colors(options.theme);
  double x = kMargin;
  for (Index head = 0; head < heads; ++head) {
    const std::string name = options.head_names.empty()
                                 ? fmt::format("Head {}", head)
                                 : options.head_names[static_cast<std::size_t>(head)];
    const double length = 12 + text_width(name, kNoteSize) + 10;
    if (x > kMargin && x + length > width) {
      x = kMargin;
      y += kNoteSize + 6;
    }
    scene::Rectangle square;
    square.box = {x, y, kNoteSize, kNoteSize};
    square.fill = colors.accent[static_cast<std::size_t>(head) % colors.accent.size()];
    square.radius = 1.5;
    scene.add(square);
    add_text(scene, name, {x + 12, y + kNoteSize / 2}, {.size = kNoteSize, .color = colors.ink});
    x += length;
  }
  return y + kNoteSize + 12;
}

void add_lines(Scene& scene, const std::vector<Line>& lines, const Layout& layout, Index heads,
               const ThemeColors& colors) {
  const double largest = lines.empty() ? 1 : lines.back().weight;
  const double step = std::min(2.2, layout.row / (static_cast<double>(heads) + 1));
  for (const Line& line : lines) {
    const double share = line.weight / largest;
    const double shift = (static_cast<double>(line.head) - static_cast<double>(heads - 1) / 2) * step;
    const scene::Point from{layout.left, layout.y(line.query) + shift};
    const scene::Point to{layout.right, layout.y(line.key) + shift};
    const double bend = 0.42 * (to.x - from.x);
    scene::Curve curve;
    curve.from = from, curve.control1 = {from.x + bend, from.y};
    curve.control2 = {to.x - bend, to.y}, curve.to = to;
    curve.stroke = {
        colors.accent[static_cast<std::size_t>(line.head) % colors.accent.size()], 0.5 + 2.1 * share, {}};
    curve.opacity = 0.08 + 0.87 * share;
    scene.add(curve);
  }
}

void add_tokens(Scene& scene, const std::vector<std::string>& labels, const Layout& layout, bool left,
                const std::optional<Index>& chosen, const ThemeColors& colors) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool faded = left && chosen && *chosen != static_cast<Index>(i);
    add_text(scene, labels[i], {left ? layout.left - 5 : layout.right + 5, layout.y(static_cast<Index>(i))},
             {.size = layout.size,
              .color = faded ? colors.muted : colors.ink,
              .bold = left && chosen && !faded,
              .anchor = left ? scene::Anchor::end : scene::Anchor::start});
  }
}

}  // namespace

Figure attention_lines(ConstView given, const AttentionLinesOptions& options) {
  const ConstView weights = three_axes(given);
  check(weights, options);
  const Index heads = weights.shape()[0], queries = weights.shape()[1], keys = weights.shape()[2];
  const std::vector<Line> lines = lines_of(weights, options);
  const ThemeColors& colors = theme_colors(options.theme);
  const Text title{"Attention, from each query to the keys", "注意力：从每个查询到各个键"};
  Scene scene =
      themed_scene(options.theme, options.language, options.title.value_or(title.in(options.language)));

  Layout layout;
  layout.row = std::clamp(900.0 / static_cast<double>(std::max(queries, keys)), 7.5, 17.0);
  layout.size = std::min(kLabelSize, layout.row * 0.8);
  const std::vector<std::string> left = labels_of(options.queries, queries, layout.size);
  const std::vector<std::string> right = labels_of(options.keys, keys, layout.size);
  const Text query_title{"Query", "查询"}, key_title{"Key", "键"};
  const double left_width =
      std::max(widest(left, layout.size), text_width(query_title.in(options.language), kNoteSize));
  layout.left = kMargin + left_width + 5;
  layout.right = layout.left + kBetween;
  scene.width = layout.right + 5 + std::max(widest(right, layout.size), 30.0) + kMargin;

  const std::string note = fmt::format(
      fmt::runtime(Text{"the largest weights, adding up to {} of each query; widest line: {}",
                        "每个查询中合计占 {} 的最大权重；最粗的线：{}"}
                       .in(options.language)),
      short_number(100 * options.mass, 1) + " %", fixed(lines.empty() ? 0 : lines.back().weight, 3));
  scene.width = std::max({scene.width, 2 * kMargin + text_width(note, kNoteSize)});
  double y = below_title(scene);
  y = add_legend(scene, heads, options, scene.width - kMargin, y);
  add_text(scene, query_title.in(options.language), {layout.left - 5, y + 4},
           {.size = kNoteSize, .color = colors.muted, .anchor = scene::Anchor::end});
  add_text(scene, key_title.in(options.language), {layout.right + 5, y + 4},
           {.size = kNoteSize, .color = colors.muted});
  layout.top = y + 12;
  add_lines(scene, lines, layout, heads, colors);
  add_tokens(scene, left, layout, true, options.query, colors);
  add_tokens(scene, right, layout, false, std::nullopt, colors);
  y = layout.top + layout.row * static_cast<double>(std::max(queries, keys)) + 10;
  scene.height = add_notes(scene, {note}, colors, y) + kMargin - 4;
  return finished(std::move(scene), colors);
}

}  // namespace fovea
