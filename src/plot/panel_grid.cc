#include "plot/panel_grid.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "plot/axis.h"
#include "plot/panel.h"
#include "plot/text_measure.h"
#include "plot/theme.h"

namespace fovea {
namespace {

using namespace scene;  // NOLINT: shapes

constexpr double kGap = 7;  // between neighbouring parts
constexpr double kBarWidth = 11;
constexpr double kBarGap = 16;  // from the panels to the bar
constexpr double kTickLength = 3;

constexpr scene::Font kTitleFont{kTitleSize, true, Family::sans};
constexpr scene::Font kAxisTitleFont{kAxisTitleSize, false, Family::sans};
constexpr scene::Font kPanelTitleFont{kLabelSize, false, Family::sans};
constexpr scene::Font kNoteFont{kNoteSize, false, Family::sans};
constexpr scene::Font kTickFont{kLabelSize, false, Family::sans};

double widest(const std::vector<std::string>& texts, const scene::Font& font) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, measure_text(text, font).width);
  return width;
}

// The room of a line of this text, with a gap; 0 if there is none.
double line_room(const std::string& text, const scene::Font& font) {
  return text.empty() ? 0 : measure_text(text, font).height() + kGap;
}

class Layout {
 public:
  explicit Layout(const PanelGrid& grid) : grid_(grid), colors_(theme_colors(grid.theme)) {
    rows_ = (static_cast<Index>(grid.panels.size()) + grid.columns - 1) / grid.columns;
    const bool titled = std::any_of(grid.panels.begin(), grid.panels.end(),
                                    [](const Panel& panel) { return !panel.title.empty(); });
    panel_title_ = titled ? measure_text("Hg", kPanelTitleFont).height() + 2 : 0;
    gap_y_ = kGap + panel_title_;
    inner_width_ = static_cast<double>(grid.columns) * (grid.panel_width + kGap) - kGap;
    inner_height_ = static_cast<double>(rows_) * (grid.panel_height + gap_y_) - gap_y_;
    choose_axes();
    measure();
  }

  Figure draw() {
    scene_.background = colors_.background;
    scene_.title = grid_.title;
    scene_.language = grid_.language;
    draw_panels();
    draw_axes();
    draw_titles();
    draw_bar();
    draw_notes();
    return Figure(std::move(scene_));
  }

 private:
  std::optional<Axis> make_axis(Axis::Side side) const {
    const bool left = side == Axis::Side::left;
    const HeatData& data = grid_.panels.front().data;
    const Axis::Setup setup{side, left ? data.queries : data.keys,
                            left ? grid_.panel_height : grid_.panel_width,
                            grid_.all_labels ? kLabelSize - 1.5 : kLabelSize};
    const std::vector<std::string>& tokens = left ? grid_.queries : grid_.keys;
    const bool long_axis = (left ? data.queries : data.keys) > kMostTokens;
    if (tokens.empty() || long_axis) {
      return grid_.all_labels && !long_axis ? std::nullopt : std::optional(Axis::positions(setup));
    }
    Axis axis = Axis::tokens(setup, tokens);
    return grid_.all_labels && axis.step() > 1 ? std::nullopt : std::optional(std::move(axis));
  }

  void choose_axes() {
    left_axis_ = make_axis(Axis::Side::left);
    bottom_axis_ = make_axis(Axis::Side::bottom);
  }

  void measure() {
    const double row_titles =
        grid_.row_titles.empty() ? 0 : widest(grid_.row_titles, kPanelTitleFont) + kGap;
    const double left_labels = left_axis_ ? left_axis_->thickness() : 0;
    const double query_title = line_room(grid_.query_title, kAxisTitleFont);
    const double overhang = bottom_axis_ ? bottom_axis_->overhang() : 0;
    left_ = kMargin + std::max(query_title + row_titles + left_labels, overhang);
    row_title_right_ = left_ - left_labels - kGap;
    query_title_x_ = left_ - left_labels - row_titles - kGap;

    top_ = kMargin + line_room(grid_.title, kTitleFont) + panel_title_ +
           (grid_.column_titles.empty() ? 0 : measure_text("Hg", kPanelTitleFont).height() + 2);
    bottom_labels_ = bottom_axis_ ? bottom_axis_->thickness() : 0;

    const double bar_texts =
        kTickLength + 3 + widest(tick_texts(), kTickFont) + line_room(grid_.bar.title, kAxisTitleFont);
    const double right = inner_width_ + kBarGap + kBarWidth + bar_texts + kMargin;
    scene_.width = left_ + right;
    // Whatever is wider than the panels widens the page, to the right.
    const double title_width = measure_text(grid_.title, kTitleFont).width;
    title_x_ = std::max(left_ + inner_width_ / 2, kMargin + title_width / 2);
    scene_.width = std::max(scene_.width, title_x_ + title_width / 2 + kMargin);
    scene_.width = std::max(scene_.width, widest(grid_.notes, kNoteFont) + 2 * kMargin);

    const double below = bottom_labels_ + line_room(grid_.key_title, kAxisTitleFont);
    const double note_height = 1.35 * kNoteSize * static_cast<double>(grid_.notes.size());
    scene_.height = top_ + inner_height_ + below + (grid_.notes.empty() ? 0 : kGap + note_height) + kMargin;
  }

  std::vector<std::string> tick_texts() const {
    std::vector<std::string> texts;
    for (const Tick& tick : grid_.bar.ticks) texts.push_back(tick.text);
    return texts;
  }

  Box panel_box(Index index) const {
    const Index column = index % grid_.columns, row = index / grid_.columns;
    return {left_ + static_cast<double>(column) * (grid_.panel_width + kGap),
            top_ + static_cast<double>(row) * (grid_.panel_height + gap_y_), grid_.panel_width,
            grid_.panel_height};
  }

  void draw_panels() {
    for (std::size_t i = 0; i < grid_.panels.size(); ++i) {
      const Panel& panel = grid_.panels[i];
      const Box box = panel_box(static_cast<Index>(i));
      draw_panel(scene_, panel, box, {grid_.values, grid_.cell_lines, grid_.theme});
      scene_.add(Label{shorten_middle(panel.title, kPanelTitleFont, box.width),
                       {box.center().x, box.y - 4},
                       kPanelTitleFont,
                       colors_.ink,
                       Anchor::middle});
    }
  }

  // Beside the first column, and below the last panel of each column.
  void draw_axes() {
    const auto count = static_cast<Index>(grid_.panels.size());
    for (Index i = 0; i < count; ++i) {
      const Box box = panel_box(i);
      if (left_axis_ && i % grid_.columns == 0) left_axis_->draw(scene_, {box.x, box.y}, colors_);
      if (bottom_axis_ && i + grid_.columns >= count)
        bottom_axis_->draw(scene_, {box.x, box.bottom()}, colors_);
    }
    for (std::size_t row = 0; row < grid_.row_titles.size(); ++row) {
      const Box box = panel_box(static_cast<Index>(row) * grid_.columns);
      scene_.add(Label{grid_.row_titles[row],
                       {row_title_right_, box.center().y},
                       kPanelTitleFont,
                       colors_.ink,
                       Anchor::end,
                       VerticalAnchor::middle});
    }
    for (std::size_t column = 0; column < grid_.column_titles.size(); ++column) {
      const Box box = panel_box(static_cast<Index>(column));
      scene_.add(Label{grid_.column_titles[column],
                       {box.center().x, box.y - 4},
                       kPanelTitleFont,
                       colors_.ink,
                       Anchor::middle});
    }
  }

  void draw_titles() {
    const TextExtent title = measure_text(grid_.title, kTitleFont);
    scene_.add(
        Label{grid_.title, {title_x_, kMargin + title.ascent}, kTitleFont, colors_.ink, Anchor::middle});
    const TextExtent key = measure_text(grid_.key_title, kAxisTitleFont);
    key_title_bottom_ =
        top_ + inner_height_ + bottom_labels_ + (grid_.key_title.empty() ? 0 : kGap + key.height());
    scene_.add(Label{grid_.key_title,
                     {left_ + inner_width_ / 2, key_title_bottom_ - key.descent},
                     kAxisTitleFont,
                     colors_.ink,
                     Anchor::middle});
    add_turned(grid_.query_title, query_title_x_, kAxisTitleFont);
  }

  // Reads upwards beside the panels; `x`: its baseline, less its descent.
  void add_turned(const std::string& text, double x, const scene::Font& font) {
    const std::string short_text = shorten_middle(text, font, scene_.height - 2 * kMargin);
    const TextExtent extent = measure_text(short_text, font);
    const double half = extent.width / 2;
    const double y = std::clamp(top_ + inner_height_ / 2, kMargin + half,
                                std::max(kMargin + half, scene_.height - kMargin - half));
    scene_.add(Label{short_text,
                     {x - extent.descent, y},
                     font,
                     colors_.ink,
                     Anchor::middle,
                     VerticalAnchor::baseline,
                     -90});
  }

  void draw_bar() {
    // As tall as the panels, but no taller than a page needs.
    const double height = std::min(inner_height_, 560.0);
    const Box box{left_ + inner_width_ + kBarGap, top_ + (inner_height_ - height) / 2, kBarWidth, height};
    const Stroke stroke{colors_.ink, 0.6, {}};
    scene_.add(Gradient{box, grid_.bar.colors});
    scene_.add(Rectangle{box, {}, stroke});
    for (const Tick& tick : grid_.bar.ticks) {
      const double y = box.bottom() - tick.share * box.height;
      scene_.add(Polyline{{{box.right(), y}, {box.right() + kTickLength, y}}, stroke, {}});
      scene_.add(Label{tick.text,
                       {box.right() + kTickLength + 3, y},
                       kTickFont,
                       colors_.ink,
                       Anchor::start,
                       VerticalAnchor::middle});
    }
    const double title_right = box.right() + kTickLength + 3 + widest(tick_texts(), kTickFont) +
                               line_room(grid_.bar.title, kAxisTitleFont);
    add_turned(grid_.bar.title, title_right, kAxisTitleFont);
  }

  void draw_notes() {
    double y = key_title_bottom_ + kGap;
    for (const std::string& note : grid_.notes) {
      y += 1.35 * kNoteSize;
      scene_.add(Label{note, {kMargin, y - 0.3 * kNoteSize}, kNoteFont, colors_.muted});
    }
  }

  const PanelGrid& grid_;
  const ThemeColors& colors_;
  Scene scene_;
  Index rows_ = 1;
  double panel_title_ = 0, gap_y_ = 0, inner_width_ = 0, inner_height_ = 0;
  std::optional<Axis> left_axis_, bottom_axis_;
  double left_ = 0, top_ = 0, bottom_labels_ = 0, row_title_right_ = 0, query_title_x_ = 0, title_x_ = 0;
  double key_title_bottom_ = 0;
};

}  // namespace

Figure draw_panel_grid(const PanelGrid& grid) { return Layout(grid).draw(); }

CellSize cell_size(Index rows, Index columns, double whole) {
  constexpr double kLargest = 46, kShortest = 100;
  const double side = std::min(kLargest, whole / static_cast<double>(std::max(rows, columns)));
  // A matrix of few rows or columns gets long cells, so that titles and colour bar have room beside it.
  return {std::max(side, kShortest / static_cast<double>(columns)),
          std::max(side, kShortest / static_cast<double>(rows))};
}

}  // namespace fovea
