#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "fovea/attention_diagram.h"
#include "plot/diagram_parts.h"
#include "plot/readable_text.h"

namespace fovea {
namespace {

constexpr double kRow = 26, kCell = 15, kBarWidth = 90;

// One line per key: its name, its vector, the score, the weight, its value.
class InterplayDiagram {
 public:
  InterplayDiagram(const Account& account, const DiagramOptions& options)
      : account_(account),
        options_(options),
        style_{theme_colors(options.theme), std::clamp(options.digits, 0, 6)},
        q_(step_of(account, "q", options.head).matrix),
        k_(step_of(account, "k", options.head).matrix),
        v_(step_of(account, "v", options.head).matrix),
        weights_(step_of(account, "weights", options.head).matrix),
        scores_(last_scores(account, options.head)) {
    if (options.query < 0 || options.query >= q_.rows()) {
      fail("[query_key_value_diagram] query {} does not exist: there are {}, 0 to {}", options.query,
           q_.rows(), q_.rows() - 1);
    }
    constexpr Index kMostKeys = 24, kWidest = 12;
    if (k_.rows() > kMostKeys || k_.columns() > kWidest || v_.columns() > kWidest) {
      fail("[query_key_value_diagram] keys {} and values {}: at most {} keys of width {} can be drawn",
           k_.shape_text(), v_.shape_text(), kMostKeys, kWidest);
    }
  }

  Figure draw() {
    Scene scene = themed_scene(options_.theme, options_.language,
                               options_.title.value_or(account_.title.in(options_.language)));
    const double top = below_title(scene);
    lay_out(top);
    draw_heads(scene);
    draw_query(scene);
    for (Index j = 0; j < k_.rows(); ++j) draw_key(scene, j);
    draw_sum(scene);
    scene.width = value_x_ + row_width(v_) + kMargin + 6;
    scene.height = sum_y_ + kCell / 2 + 12 + kMargin;
    return finished(std::move(scene), style_.colors);
  }

 private:
  static const Matrix& last_scores(const Account& account, int head) {
    for (const char* name : {"masked", "biased", "capped", "scaled", "scores"}) {
      if (has_step(account, name, head)) return step_of(account, name, head).matrix;
    }
    fail("[query_key_value_diagram] the account has no scores");
  }
  std::string say(const Text& text) const { return text.in(options_.language); }
  std::string query_name() const { return name(account_.tokens, options_.query); }
  static std::string name(const std::vector<std::string>& tokens, Index i) {
    return readable_token(tokens[static_cast<std::size_t>(i)]);
  }
  double y_of(Index key) const { return first_y_ + kRow * static_cast<double>(key); }
  double cell_width(const Matrix& m) const {
    double width = 0;
    for (const double value : m.values())
      width = std::max(width, text_width(cell_number(value, style_.digits), 7.5));
    return width + 6;
  }
  double row_width(const Matrix& m) const { return cell_width(m) * static_cast<double>(m.columns()); }

  // From left to right: query, names of the keys, keys, scores, weights, values.
  void lay_out(double top) {
    double names = 0;
    for (Index j = 0; j < k_.rows(); ++j)
      names = std::max(names, text_width(name(account_.memory_tokens, j), kLabelSize));
    first_y_ = top + 46;
    query_x_ = kMargin;
    name_x_ =
        query_x_ + std::max(row_width(q_), text_width(query_name(), kLabelSize, true) + 50) + 46 + names;
    key_x_ = name_x_ + 7;
    score_x_ = key_x_ + row_width(k_) + 58;
    weight_x_ = score_x_ + 30;
    value_x_ = weight_x_ + kBarWidth + 62;
    sum_y_ = y_of(k_.rows()) + 16;
    query_y_ = (y_of(0) + y_of(k_.rows() - 1)) / 2;
  }

  void draw_heads(Scene& scene) {
    const auto head = [&](const Text& text, const char* formula, double x, scene::Anchor anchor) {
      add_text(scene, say(text), {x, first_y_ - 34},
               {.size = kLabelSize, .color = style_.colors.ink, .bold = true, .anchor = anchor});
      add_text(scene, formula, {x, first_y_ - 21},
               {.size = kNoteSize, .color = style_.colors.muted, .anchor = anchor});
    };
    const bool same = &scores_ == &step_of(account_, "scores", options_.head).matrix;
    head({"Query", "查询"}, "q", query_x_, scene::Anchor::start);
    head({"Keys", "键"}, "k", key_x_, scene::Anchor::start);
    head({"Score", "分数"}, same ? "q·k" : "q·k/√d_k", score_x_, scene::Anchor::end);
    head({"Weight", "权重"}, "softmax", weight_x_, scene::Anchor::start);
    head({"Values", "值"}, "v", value_x_, scene::Anchor::start);
  }

  void draw_vector(Scene& scene, const Matrix& m, Index row, double x, double y, double strength = 1) {
    const double width = cell_width(m), largest = largest_of(m);
    for (Index c = 0; c < m.columns(); ++c) {
      CellPaint paint = cell_paint(m(row, c), largest, MatrixColors::signed_values, style_.colors);
      scene::Rectangle cell;
      cell.box = {x + width * static_cast<double>(c), y - kCell / 2, width, kCell};
      cell.fill = mixed(style_.colors.background, paint.fill, strength);
      cell.stroke = scene::Stroke{style_.colors.grid, 0.5, {}};
      scene.add(cell);
      add_text(scene, cell_number(m(row, c), style_.digits), cell.box.center(),
               {.size = 7.5,
                .color = strength < 0.5 ? style_.colors.muted : paint.ink,
                .anchor = scene::Anchor::middle});
    }
  }

  void draw_query(Scene& scene) {
    add_text(scene, query_name(), {query_x_, query_y_ - 16},
             {.size = kLabelSize, .color = style_.colors.accent[0], .bold = true});
    draw_vector(scene, q_, options_.query, query_x_, query_y_);
  }

  void draw_key(Scene& scene, Index j) {
    const double y = y_of(j), weight = weights_(options_.query, j);
    const double score = scores_(options_.query, j);
    const std::string key = name(account_.memory_tokens, j);
    add_right_arrow(scene, {query_x_ + row_width(q_) + 4, query_y_},
                    {name_x_ - text_width(key, kLabelSize) - 5, y},
                    mixed(style_.colors.grid, style_.colors.accent[0], weight), 0.8 + 2 * weight);
    add_text(scene, key, {name_x_, y},
             {.size = kLabelSize, .color = style_.colors.ink, .anchor = scene::Anchor::end});
    draw_vector(scene, k_, j, key_x_, y);
    add_text(scene, cell_number(score, style_.digits), {score_x_, y},
             {.size = kLabelSize, .color = style_.colors.ink, .anchor = scene::Anchor::end});
    scene::Rectangle bar;
    bar.box = {weight_x_, y - 5, std::max(0.5, kBarWidth * weight), 10};
    bar.fill = style_.colors.accent[0];
    bar.radius = 1.5;
    scene.add(bar);
    add_text(scene, cell_number(weight, std::max(3, style_.digits)),
             {weight_x_ + kBarWidth * weight + 5, y}, {.size = kNoteSize, .color = style_.colors.ink});
    add_text(scene, "×", {value_x_ - 11, y},
             {.size = kLabelSize, .color = style_.colors.muted, .anchor = scene::Anchor::middle});
    draw_vector(scene, v_, j, value_x_, y, 0.25 + 0.75 * weight);
  }

  // Below the values: their sum, which is the output of this query.
  void draw_sum(Scene& scene) {
    const Matrix& output = account_.heads > 1 && has_step(account_, "head", options_.head)
                               ? step_of(account_, "head", options_.head).matrix
                               : account_.output();
    add_line(scene, {value_x_, sum_y_ - 16}, {value_x_ + row_width(v_), sum_y_ - 16}, style_.colors.ink,
             0.8);
    add_text(
        scene,
        fmt::format(fmt::runtime(say({"Output for {} = Σ weight · value", "{} 的输出 = Σ 权重 · 值"})),
                    query_name()),
        {value_x_ - 20, sum_y_},
        {.size = kLabelSize, .color = style_.colors.accent[0], .bold = true, .anchor = scene::Anchor::end});
    add_text(scene, "=", {value_x_ - 11, sum_y_},
             {.size = kLabelSize, .color = style_.colors.muted, .anchor = scene::Anchor::middle});
    if (output.columns() == v_.columns()) draw_vector(scene, output, options_.query, value_x_, sum_y_);
  }

  const Account& account_;
  const DiagramOptions& options_;
  DiagramStyle style_;
  const Matrix &q_, &k_, &v_, &weights_, &scores_;
  double first_y_ = 0, query_y_ = 0, sum_y_ = 0;
  double query_x_ = 0, name_x_ = 0, key_x_ = 0, score_x_ = 0, weight_x_ = 0, value_x_ = 0;
};

}  // namespace

Figure query_key_value_diagram(const Account& account, const DiagramOptions& options) {
  return InterplayDiagram(account, options).draw();
}

}  // namespace fovea
