#include "fovea/layer_head_matrix.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "fovea/colormap.h"
#include "plot/drawing.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

constexpr double kGap = 5;  // between the matrix and its means

struct Layout {
  double left = 0, top = 0, cell = 32, cell_height = 22;
  Index layers = 0, heads = 0;
  // The means stand behind a gap, at index `layers` or `heads`.
  scene::Box box(Index layer, Index head) const {
    return {left + cell * static_cast<double>(head) + (head == heads ? kGap : 0),
            top + cell_height * static_cast<double>(layer) + (layer == layers ? kGap : 0), cell,
            cell_height};
  }
  double right() const { return box(0, heads).right(); }
  double bottom() const { return box(layers, 0).bottom(); }
};

struct Paint {
  Colormap map;
  double low = 0, high = 1;
  int digits = 2;
  Color color(double value) const { return map.color(high > low ? (value - low) / (high - low) : 0.5); }
};

Color ink_on(Color background) {
  const double brightness = 0.299 * background.red + 0.587 * background.green + 0.114 * background.blue;
  return brightness > 140 ? Color{0x1F, 0x23, 0x28} : Color{255, 255, 255};
}

void add_cell(Scene& scene, const scene::Box& box, double value, const Paint& paint) {
  const Color color = paint.color(value);
  scene::Rectangle cell;
  cell.box = box;
  cell.fill = color;
  scene.add(cell);
  add_text(scene, fixed(value, paint.digits), box.center(),
           {.size = 8, .color = ink_on(color), .anchor = scene::Anchor::middle});
}

double mean_of(const Matrix& values, Index layer, Index head) {  // −1: over all
  double sum = 0;
  Index count = 0;
  for (Index l = 0; l < values.rows(); ++l) {
    for (Index h = 0; h < values.columns(); ++h) {
      if ((layer >= 0 && l != layer) || (head >= 0 && h != head)) continue;
      sum += values(l, h);
      ++count;
    }
  }
  return sum / static_cast<double>(count);
}

void add_cells(Scene& scene, const Matrix& values, const Layout& layout, const Paint& paint) {
  for (Index l = 0; l < values.rows(); ++l) {
    for (Index h = 0; h < values.columns(); ++h) add_cell(scene, layout.box(l, h), values(l, h), paint);
    add_cell(scene, layout.box(l, layout.heads), mean_of(values, l, -1), paint);
  }
  for (Index h = 0; h < values.columns(); ++h) {
    add_cell(scene, layout.box(layout.layers, h), mean_of(values, -1, h), paint);
  }
  add_cell(scene, layout.box(layout.layers, layout.heads), mean_of(values, -1, -1), paint);
}

std::string number_of(const std::vector<Index>& numbers, Index i) {
  return std::to_string(numbers.empty() ? i : numbers[static_cast<std::size_t>(i)]);
}

void add_labels(Scene& scene, const Layout& layout, const LayerHeadMatrixOptions& options) {
  const ThemeColors& colors = theme_colors(options.theme);
  const std::string mean = Text{"mean", "平均"}.in(options.language);
  for (Index l = 0; l <= layout.layers; ++l) {
    add_text(scene, l == layout.layers ? mean : number_of(options.layers, l),
             {layout.left - 6, layout.box(l, 0).center().y},
             {.size = kLabelSize, .color = colors.ink, .anchor = scene::Anchor::end});
  }
  for (Index h = 0; h <= layout.heads; ++h) {
    add_text(scene, h == layout.heads ? mean : number_of(options.heads, h),
             {layout.box(0, h).center().x, layout.bottom() + 10},
             {.size = kLabelSize, .color = colors.ink, .anchor = scene::Anchor::middle});
  }
  const double body_right = layout.box(0, layout.heads - 1).right();
  const double body_bottom = layout.box(layout.layers - 1, 0).bottom();
  add_text(scene, Text{"Head", "头"}.in(options.language),
           {(layout.left + body_right) / 2, layout.bottom() + 27},
           {.size = kAxisTitleSize, .color = colors.ink, .anchor = scene::Anchor::middle});
  add_text(scene, Text{"Layer", "层"}.in(options.language),
           {kMargin + kAxisTitleSize / 2, (layout.top + body_bottom) / 2},
           {.size = kAxisTitleSize, .color = colors.ink, .anchor = scene::Anchor::middle, .rotation = -90});
}

// Right of the matrix; returns where it ends.
double add_bar(Scene& scene, const Layout& layout, const Paint& paint,
               const LayerHeadMatrixOptions& options, const std::string& title) {
  const ThemeColors& colors = theme_colors(options.theme);
  const scene::Box box{layout.right() + 16, layout.top, 11, layout.bottom() - layout.top};
  const Colormap::Table& table = paint.map.table();
  scene.add(scene::Gradient{box, {table.begin(), table.end()}});
  double widest = 0;
  if (paint.high > paint.low) {
    for (const Tick& tick : linear_ticks(paint.low, paint.high, 6)) {
      const double y = box.bottom() - box.height * tick.share;
      add_line(scene, {box.right(), y}, {box.right() + 3, y}, colors.ink, 0.6);
      add_text(scene, tick.text, {box.right() + 6, y}, {.size = kNoteSize, .color = colors.ink});
      widest = std::max(widest, text_width(tick.text, kNoteSize));
    }
  }
  const double x = box.right() + 6 + widest + 12;
  add_text(scene, title, {x, box.center().y},
           {.size = kLabelSize, .color = colors.ink, .anchor = scene::Anchor::middle, .rotation = -90});
  return x + kLabelSize / 2;
}

void check(const Matrix& values, const LayerHeadMatrixOptions& options) {
  if (values.rows() < 1 || values.columns() < 1) {
    fail("[layer_head_matrix] expected values [L, H], got {}", values.shape_text());
  }
  const auto check_numbers = [](const char* what, std::size_t got, Index expected) {
    if (got == 0 || static_cast<Index>(got) == expected) return;
    fail("[layer_head_matrix] got {} numbers of {}, expected {}", got, what, expected);
  };
  check_numbers("layers", options.layers.size(), values.rows());
  check_numbers("heads", options.heads.size(), values.columns());
  for (const double value : values.values()) {
    if (!std::isfinite(value)) fail("[layer_head_matrix] a value is {}, expected finite values", value);
  }
}

}  // namespace

Figure layer_head_matrix(const Matrix& values, const LayerHeadMatrixOptions& options) {
  check(values, options);
  const auto say = [&](const Text& text) { return text.in(options.language); };
  const auto [least, largest] = std::minmax_element(values.values().begin(), values.values().end());
  const Paint paint{Colormap(options.colormap), options.low.value_or(*least),
                    options.high.value_or(*largest), options.digits};
  Scene scene = themed_scene(options.theme, options.language,
                             options.title.value_or(say({"Entropy by layer and head", "各层各头的熵"})));
  const std::string bar_title =
      options.bar_title.value_or(say({"mean entropy of a row (nats)", "每行熵的平均（nat）"}));
  Layout layout;
  layout.layers = values.rows(), layout.heads = values.columns();
  double numbers = 0;
  for (const double value : values.values()) {
    numbers = std::max(numbers, text_width(fixed(value, options.digits), 8));
  }
  layout.cell = std::max(28.0, numbers + 8);
  // The title of the colour bar runs beside it.
  layout.cell_height =
      std::max(22.0, (text_width(bar_title, kLabelSize) + 8) / static_cast<double>(layout.layers + 1));
  layout.left = kMargin + kAxisTitleSize + 10 + text_width(say({"mean", "平均"}), kLabelSize) + 6;
  layout.top = below_title(scene);
  add_cells(scene, values, layout, paint);
  add_labels(scene, layout, options);
  scene.height = layout.bottom() + 34 + kMargin;
  scene.width = add_bar(scene, layout, paint, options, bar_title) + kMargin;
  return finished(std::move(scene), theme_colors(options.theme));
}

}  // namespace fovea
