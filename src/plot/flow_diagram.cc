#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/number_text.h"
#include "fovea/attention_diagram.h"
#include "plot/diagram_parts.h"

namespace fovea {
namespace {

constexpr double kColumnGap = 34, kRowGap = 34;

struct Placed {
  MatrixBlock block;
  BlockLayout layout;
  double center = 0;  // x of the middle of the cells
  double left() const { return center - layout.cells.width / 2 - layout.cells.x; }
  double right() const { return left() + layout.width; }
};

class FlowDiagram {
 public:
  FlowDiagram(const Account& account, const DiagramOptions& options)
      : account_(account),
        options_(options),
        style_{theme_colors(options.theme), std::clamp(options.digits, 0, 6)} {}

  Figure draw() {
    Scene scene = themed_scene(options_.theme, options_.language,
                               options_.title.value_or(account_.title.in(options_.language)));
    place_projections();
    double y = below_title(scene);
    y = draw_inputs(scene, y);
    y = draw_projections(scene, y);
    y = draw_scores(scene, y);
    y = draw_output(scene, y);
    scene.height = y + kMargin;
    scene.width = right_ + kMargin;
    return finished(std::move(scene), style_.colors);
  }

 private:
  MatrixBlock block_of(const Step& step) const {
    MatrixBlock block;
    block.name = step.title.in(options_.language);
    block.formula = step.formula;
    block.matrix = step.matrix;
    block.row_labels = step.row_labels;
    block.column_labels = step.column_labels;
    if (step.name == "weights") block.colors = MatrixColors::weights;
    return block;
  }
  Placed placed(const Step& step) const {
    Placed result{block_of(step), {}, 0};
    result.layout = layout_of(result.block, style_);
    return result;
  }

  // Q, K and V beside each other decide the columns.
  void place_projections() {
    double x = kMargin;
    for (const char* name : {"q", "k", "v"}) {
      Placed each = placed(step_of(account_, name, options_.head));
      each.center = x + each.layout.cells.x + each.layout.cells.width / 2;
      // Room for "· W_q [4, 4]" left of the first arrow.
      if (projections_.empty())
        each.center = std::max(each.center, kMargin + 7 + text_width("· W_q [00, 00]", kNoteSize));
      x = each.right() + kColumnGap;
      projections_.push_back(each);
    }
    right_ = x - kColumnGap;
  }

  scene::Box draw(Scene& scene, Placed& item, double y) {
    if (item.left() < kMargin) item.center += kMargin - item.left();
    right_ = std::max(right_, item.right());
    return add_block(scene, item.block, {item.left(), y}, style_);
  }
  static scene::Point below(const scene::Box& box) { return {box.x + box.width / 2, box.bottom() + 3}; }
  void note(Scene& scene, const std::string& text, scene::Point at,
            scene::Anchor anchor = scene::Anchor::start) const {
    add_text(scene, text, at, {.size = kNoteSize, .color = style_.colors.accent[0], .anchor = anchor});
  }

  double draw_inputs(Scene& scene, double y) {
    if (!account_.has("x")) return y;
    Placed x = placed(account_.step("x"));
    const bool cross = account_.has("memory");
    x.center = cross ? projections_[0].center : projections_[1].center;
    input_boxes_.push_back(draw(scene, x, y));
    double height = x.layout.height;
    if (cross) {
      Placed memory = placed(account_.step("memory"));
      memory.center =
          std::max((projections_[1].center + projections_[2].center) / 2,
                   x.right() + kColumnGap + memory.layout.cells.x + memory.layout.cells.width / 2);
      input_boxes_.push_back(draw(scene, memory, y));
      height = std::max(height, memory.layout.height);
    }
    return y + height + kRowGap + 10;
  }

  double draw_projections(Scene& scene, double y) {
    double height = 0;
    const char* const kWeights[] = {"w_q", "w_k", "w_v"};
    for (std::size_t i = 0; i < 3; ++i) {
      Placed& item = projections_[i];
      boxes_.push_back(draw(scene, item, y));
      height = std::max(height, item.layout.height);
      if (input_boxes_.empty()) continue;
      const scene::Point from = below(input_boxes_[i == 0 ? 0 : input_boxes_.size() - 1]);
      const scene::Point to{boxes_[i].center().x, y - 5};
      add_down_arrow(scene, from, to, style_.colors.muted);
      if (account_.has(kWeights[i])) {
        std::string letter = kWeights[i];
        letter[0] = 'W';
        const bool first = i == 0;  // whose arrow comes from the right
        note(scene, fmt::format("· {} {}", letter, account_.step(kWeights[i]).matrix.shape_text()),
             {to.x + (first ? -7 : 7), to.y - 9}, first ? scene::Anchor::end : scene::Anchor::start);
      }
    }
    return y + height + kRowGap;
  }

  // Scores, what was done to them, weights: below each other between Q and K.
  double draw_scores(Scene& scene, double y) {
    const double center = (boxes_[0].center().x + boxes_[1].center().x) / 2;
    scene::Point from{};
    for (const char* name : {"scores", "scaled", "capped", "biased", "masked", "weights"}) {
      if (!has_step(account_, name, options_.head)) continue;
      const std::string step = name;
      Placed item = placed(step_of(account_, name, options_.head));
      item.center = center;
      const scene::Box box = draw(scene, item, y);
      const scene::Point to{box.center().x, y - 4};
      if (step == "scores") {
        add_down_arrow(scene, below(boxes_[0]), {to.x - 12, to.y}, style_.colors.muted);
        add_down_arrow(scene, below(boxes_[1]), {to.x + 12, to.y}, style_.colors.muted);
      } else {
        add_arrow(scene, from, to, style_.colors.muted);
        note(scene, operation(step), {to.x + 8, (from.y + to.y) / 2});
      }
      from = below(box);
      weights_box_ = box;
      y += item.layout.height + kRowGap - 6;
    }
    return y + 6;
  }

  std::string operation(const std::string& step) const {
    const bool chinese = options_.language == Language::chinese;
    if (step == "scaled") {
      return fmt::format("× {}{}", short_number(account_.scale, 4),
                         std::abs(account_.scale * std::sqrt(static_cast<double>(account_.d_k)) - 1) < 1e-9
                             ? fmt::format(" = 1/√{}", account_.d_k)
                             : "");
    }
    if (step == "capped") return chinese ? "tanh 截断" : "cap by tanh";
    if (step == "biased") return chinese ? "+ 位置偏置" : "+ bias by position";
    if (step == "masked") return chinese ? "+ 掩码（隐藏处 −∞）" : "+ mask (−∞ hides)";
    return chinese ? "softmax：每行之和为 1" : "softmax: every row sums to 1";
  }

  double draw_output(Scene& scene, double y) {
    const bool head_output = account_.heads > 1 && has_step(account_, "head", options_.head);
    Placed item = placed(head_output ? step_of(account_, "head", options_.head) : account_.step("output"));
    item.center = (weights_box_.center().x + boxes_[2].center().x) / 2;
    const scene::Box box = draw(scene, item, y);
    const scene::Point to{box.center().x, y - 4};
    add_down_arrow(scene, below(weights_box_), {to.x - 12, to.y}, style_.colors.muted);
    // Straight down beside the scores first.
    const scene::Point from = below(boxes_[2]), turn{from.x, std::max(from.y, to.y - 46)};
    add_line(scene, from, turn, style_.colors.muted, 1.2);
    add_down_arrow(scene, turn, {to.x + 12, to.y}, style_.colors.muted);
    return y + item.layout.height;
  }

  const Account& account_;
  const DiagramOptions& options_;
  DiagramStyle style_;
  std::vector<Placed> projections_;      // Q, K, V
  std::vector<scene::Box> boxes_;        // of their cells
  std::vector<scene::Box> input_boxes_;  // X, and a memory
  scene::Box weights_box_;
  double right_ = 0;
};

}  // namespace

Figure flow_diagram(const Account& account, const DiagramOptions& options) {
  return FlowDiagram(account, options).draw();
}

}  // namespace fovea
