#include <algorithm>

#include "core/fail.h"
#include "fovea/attention_diagram.h"
#include "plot/diagram_parts.h"

namespace fovea {
namespace {

constexpr double kColumnGap = 40, kRowGap = 20;

// From left to right: Q, K, V with the columns of each head marked; one row per head; concatenation;
// output.
struct Placed {
  scene::Box cells;
  double left = 0, top = 0;  // of the whole block
  double right = 0;          // of its column
};

class MultiHeadDiagram {
 public:
  MultiHeadDiagram(const Account& account, const DiagramOptions& options)
      : account_(account),
        options_(options),
        style_{theme_colors(options.theme), std::clamp(options.digits, 0, 6)} {
    constexpr Index kMostHeads = 16;
    if (account.heads < 2 || account.heads > kMostHeads) {
      fail("[multi_head_diagram] the account has {} head{}, expected 2 to {}", account.heads,
           account.heads == 1 ? "" : "s", kMostHeads);
    }
  }

  Figure draw() {
    Scene scene = themed_scene(options_.theme, options_.language,
                               options_.title.value_or(account_.title.in(options_.language)));
    top_ = below_title(scene);
    const Column split = column_of(projections()), heads = column_of(head_blocks("weights")),
                 outputs = column_of(head_blocks("head")), joined = column_of(joined_blocks(), 34);
    height_ = std::max({split.height, heads.height, outputs.height, joined.height});
    double x = kMargin;
    const std::vector<Placed> from = draw(scene, split, x);
    const std::vector<Placed> weights = draw(scene, heads, x);
    const std::vector<Placed> results = draw(scene, outputs, x);
    const std::vector<Placed> last = draw(scene, joined, x);
    for (std::size_t h = 0; h < weights.size(); ++h) {
      for (const Placed& each : from) arrow(scene, each, weights[h], h);
      arrow(scene, weights[h], results[h], h);
      arrow(scene, results[h], last[0], h);
    }
    for (std::size_t i = 1; i < last.size(); ++i) {
      const scene::Box& above = last[i - 1].cells;
      add_arrow(scene, {above.center().x, above.bottom() + 3}, {above.center().x, last[i].top - 3},
                style_.colors.muted);
    }
    const std::string note = Text{"coloured lines mark the columns of each head in Q, K and V",
                                  "列上方的色条表示属于哪个头；每个头只看 Q、K、V 中属于自己的列"}
                                 .in(options_.language);
    scene.height = add_notes(scene, {note}, style_.colors, top_ + height_ + 14) + kMargin - 4;
    scene.width = std::max({x - kColumnGap + kMargin, 2 * kMargin + text_width(note, kNoteSize)});
    return finished(std::move(scene), style_.colors);
  }

 private:
  struct Column {
    std::vector<MatrixBlock> blocks;
    double cells = 0;  // x of all cells, behind the widest names of rows
    double width = 0, height = 0, gap = kRowGap;
  };

  Color color_of(std::size_t head) const {
    return style_.colors.accent[head % style_.colors.accent.size()];
  }
  std::string say(const Text& text) const { return text.in(options_.language); }

  MatrixBlock block_of(const Step& step) const {
    MatrixBlock block;
    block.name = say(step.title);
    block.matrix = step.matrix;
    block.row_labels = step.row_labels;
    if (step.name == "weights") {
      block.colors = MatrixColors::weights;
      block.column_labels = step.column_labels;
    }
    return block;
  }
  std::vector<Color> bands(Index columns) const {
    std::vector<Color> colors;
    for (Index c = 0; c < columns; ++c)
      colors.push_back(color_of(static_cast<std::size_t>(c * account_.heads / columns)));
    return colors;
  }

  std::vector<MatrixBlock> projections() const {
    std::vector<MatrixBlock> blocks;
    for (const char* name : {"q", "k", "v"}) {
      MatrixBlock block = block_of(account_.step(name));  // of all heads: the first of that name
      block.formula = account_.step(name).formula;
      block.column_bands = bands(block.matrix.columns());
      blocks.push_back(block);
    }
    return blocks;
  }
  std::vector<MatrixBlock> head_blocks(const char* name) const {
    std::vector<MatrixBlock> blocks;
    for (int h = 0; h < account_.heads; ++h) {
      const Step& step = account_.step(name, h);
      MatrixBlock block = block_of(step);
      block.name = fmt::format("{} {}", say({"Head", "头"}), h + 1);
      block.formula = step.name == "weights" ? say({"weights", "权重"}) : say({"output", "输出"});
      block.column_bands.assign(static_cast<std::size_t>(block.matrix.columns()),
                                color_of(static_cast<std::size_t>(h)));
      if (!block.column_labels.empty()) block.column_bands.clear();
      blocks.push_back(block);
    }
    return blocks;
  }
  std::vector<MatrixBlock> joined_blocks() const {
    std::vector<MatrixBlock> blocks;
    if (account_.has("concat")) {
      blocks.push_back(block_of(account_.step("concat")));
      blocks.back().column_bands = bands(blocks.back().matrix.columns());
    }
    if (account_.has("w_o")) {
      blocks.push_back(block_of(account_.step("w_o")));
      blocks.back().name = "· W_o";
      blocks.back().row_labels.clear();
    }
    blocks.push_back(block_of(account_.step("output")));
    if (!account_.has("concat")) blocks.back().column_bands = bands(blocks.back().matrix.columns());
    return blocks;
  }

  Column column_of(std::vector<MatrixBlock> blocks, double gap = kRowGap) const {
    Column column{std::move(blocks), 0, 0, 0, gap};
    for (const MatrixBlock& block : column.blocks) {
      column.cells = std::max(column.cells, layout_of(block, style_).cells.x);
    }
    for (const MatrixBlock& block : column.blocks) {
      const BlockLayout layout = layout_of(block, style_);
      column.width = std::max(column.width, column.cells - layout.cells.x + layout.width);
      column.height += layout.height + gap;
    }
    column.height -= gap;
    return column;
  }

  // Spread over the height of the diagram; moves x behind the column.
  std::vector<Placed> draw(Scene& scene, const Column& column, double& x) {
    const double gap =
        column.gap + (height_ - column.height) / static_cast<double>(column.blocks.size() + 1);
    double y = top_ + gap - column.gap;
    std::vector<Placed> boxes;
    for (const MatrixBlock& block : column.blocks) {
      const BlockLayout layout = layout_of(block, style_);
      boxes.push_back({add_block(scene, block, {x + column.cells - layout.cells.x, y}, style_), x, y,
                       x + column.width});
      y += layout.height + gap;
    }
    x += column.width + kColumnGap;
    return boxes;
  }

  void arrow(Scene& scene, const Placed& from, const Placed& to, std::size_t head) const {
    const double y =
        from.cells.center().y;  // straight to the end of the column, so that nothing is crossed
    add_line(scene, {from.cells.right() + 3, y}, {from.right, y}, color_of(head), 1);
    add_right_arrow(scene, {from.right, y}, {to.left - 4, to.cells.center().y}, color_of(head), 1);
  }

  const Account& account_;
  const DiagramOptions& options_;
  DiagramStyle style_;
  double top_ = 0, height_ = 0;
};

}  // namespace

Figure multi_head_diagram(const Account& account, const DiagramOptions& options) {
  return MultiHeadDiagram(account, options).draw();
}

}  // namespace fovea
