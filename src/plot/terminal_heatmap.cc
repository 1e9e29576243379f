#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/render.h"
#include "plot/terminal_cells.h"

namespace fovea {
namespace {

constexpr Index kMostLines = 48;  // a picture should fit on a screen
constexpr int kLongestLabel = 16;

// What was decided about a picture before it is drawn.
struct Plan {
  CellForm form = CellForm::numbers;
  int number_width = 0;
  int digits = 3;
  int label_width = 0;  // of the names or numbers of the rows
};

Index true_rows(const TerminalHeatmap& h) { return h.rows > 0 ? h.rows : h.values.shape()[0]; }
Index true_columns(const TerminalHeatmap& h) { return h.columns > 0 ? h.columns : h.values.shape()[1]; }

void check(const TerminalHeatmap& h) {
  if (h.values.shape().rank() != 2 || h.values.shape().elements() == 0) {
    fail("[terminal heatmap] expected values [R, C], got {}", h.values.shape().to_string());
  }
  const auto check_labels = [](const char* what, const std::vector<std::string>& labels, Index expected) {
    if (labels.empty() || static_cast<Index>(labels.size()) == expected) return;
    fail("[terminal heatmap] got {} {} labels, expected {}", labels.size(), what, expected);
  };
  check_labels("row", h.row_labels, h.values.shape()[0]);
  check_labels("column", h.column_labels, h.values.shape()[1]);
  if (!h.hidden.empty() && !(h.hidden.shape() == h.values.shape())) {
    fail("[terminal heatmap] values {}, hidden flags {}", h.values.shape().to_string(),
         h.hidden.shape().to_string());
  }
  for (Index i = 0; i < h.values.shape().elements(); ++i) {
    if (!std::isfinite(h.values.data()[i])) {
      fail("[terminal heatmap] the value of row {}, column {} is {}", i / h.values.shape()[1],
           i % h.values.shape()[1], h.values.data()[i]);
    }
  }
}

// From 0, or the least value drawn if that is negative, to the largest.
TerminalScale scale_of(const TerminalHeatmap& first, const std::vector<CellGrid>& drawn) {
  double low = 0, high = 0;
  for (const CellGrid& grid : drawn) {
    for (Index i = 0; i < grid.values.shape().elements(); ++i) {
      low = std::min(low, static_cast<double>(grid.values.data()[i]));
      high = std::max(high, static_cast<double>(grid.values.data()[i]));
    }
  }
  return {Colormap(first.colormap), first.low.value_or(low), first.high.value_or(high)};
}

int widest(const std::vector<std::string>& labels, int limit) {
  int width = 0;
  for (const std::string& label : labels) width = std::max(width, display_width(printable(label)));
  return std::min(width, limit);
}

Plan plan_of(const TerminalHeatmap& h, const TerminalOptions& options) {
  const Index rows = h.values.shape()[0], columns = h.values.shape()[1];
  const int number_labels = static_cast<int>(std::to_string(std::max(true_rows(h) - 1, Index{0})).size());
  Plan plan;
  plan.label_width = h.row_labels.empty() ? number_labels : widest(h.row_labels, kLongestLabel);
  const Index room = options.width - plan.label_width - 1;
  const bool color = options.colors != TerminalColors::none;
  double least = 0, largest = 1;
  for (Index i = 0; i < h.values.shape().elements(); ++i) {
    least = std::min(least, static_cast<double>(h.values.data()[i]));
    largest = std::max(largest, static_cast<double>(h.values.data()[i]));
  }
  for (plan.digits = h.digits; h.numbers && plan.digits >= std::min(2, h.digits); --plan.digits) {
    const int number =
        std::max(display_width(fixed(least, plan.digits)), display_width(fixed(largest, plan.digits)));
    plan.number_width = std::max(number + (color ? 2 : 4), widest(h.column_labels, 9) + 1);
    if (rows <= kMostLines && columns * plan.number_width <= room) return plan;
  }
  plan.form = columns * 2 <= room && rows <= kMostLines ? CellForm::squares : CellForm::half_blocks;
  if (plan.form == CellForm::half_blocks) plan.label_width = number_labels;
  return plan;
}

// Column names above numbers, centred; written downwards above squares.
std::vector<std::string> header_lines(const TerminalHeatmap& h, const Plan& plan) {
  if (h.column_labels.empty()) return {};
  const std::string margin = repeat(" ", plan.label_width + 1);
  if (plan.form == CellForm::numbers) {
    std::string line = margin;
    for (const std::string& label : h.column_labels) {
      const std::string text = shorten(printable(label), plan.number_width - 1);
      line +=
          pad_right(repeat(" ", (plan.number_width - display_width(text)) / 2) + text, plan.number_width);
    }
    return {line};
  }
  constexpr std::size_t kTallest = 10;
  std::vector<std::vector<std::string>> columns;  // characters, with the marks that belong to them
  std::size_t height = 0;
  for (const std::string& label : h.column_labels) {
    const std::string text = printable(label);
    columns.emplace_back();
    for (std::size_t at = 0; at < text.size();) {
      const std::string character = text.substr(at, decode_utf8(text, at).bytes);
      at += character.size();
      if (display_width(character) == 0 && !columns.back().empty()) {
        columns.back().back() += character;
      } else {
        columns.back().push_back(character);
      }
    }
    if (columns.back().size() > kTallest) {
      columns.back().resize(kTallest);
      columns.back().back() = "⋮";
    }
    height = std::max(height, columns.back().size());
  }
  std::vector<std::string> lines(height, margin);
  for (std::size_t line = 0; line < height; ++line) {
    for (const std::vector<std::string>& column : columns) {
      const std::size_t above = height - column.size();
      lines[line] += pad_right(line < above ? "" : column[line - above], 2);
    }
  }
  return lines;
}

// "0        20        40": the true column under each place.
std::string tick_line(Index cells, Index columns, int cell_width, int margin) {
  std::string line = repeat(" ", margin);
  const auto length = static_cast<Index>(std::to_string(columns).size()) + 2;
  Index step = 1;
  while (step * cell_width * cells / columns < std::max<Index>(length, 8)) {
    const std::string text = std::to_string(step);
    step = text.front() == '1' ? step * 2 : text.front() == '2' ? step / 2 * 5 : step * 2;
  }
  for (Index tick = 0; tick < columns; tick += step) {
    const Index at = margin + tick * cells / columns * cell_width;
    const std::string text = std::to_string(tick);
    if (at + static_cast<Index>(text.size()) > margin + cells * cell_width) break;
    line = pad_right(line, static_cast<int>(at));
    line += text;
  }
  return line;
}

std::string group_text(Index total, Index cells) {
  return total % cells == 0 ? std::to_string(total / cells)
                            : short_number(static_cast<double>(total) / static_cast<double>(cells), 1);
}

// Says what a cell is, if it is not one weight; says what hidden cells look like.
std::string notes(const TerminalHeatmap& h, const CellGrid& drawn, const TerminalOptions& options) {
  const Index rows = drawn.values.shape()[0], columns = drawn.values.shape()[1];
  std::string text;
  if (rows != true_rows(h) || columns != true_columns(h)) {
    const std::string form = Text{"{} × {} values in {} × {} cells, each the mean of {} × {}",
                                  "{} × {} 个值缩为 {} × {} 格：每格是 {} × {} 个值的平均"}
                                 .in(options.language);
    text += wrap(fmt::format(fmt::runtime(form), true_rows(h), true_columns(h), rows, columns,
                             group_text(true_rows(h), rows), group_text(true_columns(h), columns)),
                 options.width);
  }
  const auto& flags = drawn.hidden.values();
  if (std::find(flags.begin(), flags.end(), 1) != flags.end()) {
    text += Text{"· hidden by the mask\n", "· 被掩码隐藏\n"}.in(options.language);
  }
  return text;
}

// Shrunk to the room there is, keeping the shape; not at all if it fits.
CellGrid fitted(const TerminalHeatmap& h, CellForm form, TerminalColors colors, Index room, Index lines) {
  const Index rows = h.values.shape()[0], columns = h.values.shape()[1];
  const Index most_columns = std::max<Index>(1, room / cell_columns(form, colors, 0));
  const Index most_rows = lines * rows_per_line(form, colors);
  const double shrink = std::max({1.0, static_cast<double>(columns) / static_cast<double>(most_columns),
                                  static_cast<double>(rows) / static_cast<double>(most_rows)});
  const auto smaller = [&](Index size) {
    return std::max<Index>(1, static_cast<Index>(static_cast<double>(size) / shrink));
  };
  return pooled({h.values, h.hidden}, smaller(rows), smaller(columns));
}

std::string title_line(const std::string& title, bool color) {
  return title.empty() ? "" : styled(printable(title), Style::bold, color) + "\n\n";
}

constexpr Index kPanelLines = 24;  // of one picture among several

CellForm panel_form(const TerminalHeatmap& panel, int room) {
  const bool fits = panel.values.shape()[1] * 2 <= room && panel.values.shape()[0] <= kPanelLines;
  return fits ? CellForm::squares : CellForm::half_blocks;
}

// Blocks of lines beside each other, all as wide as the widest.
std::string side_by_side(const std::vector<std::vector<std::string>>& blocks, int gap) {
  int width = 0;
  std::size_t height = 0;
  for (const std::vector<std::string>& block : blocks) {
    for (const std::string& line : block) width = std::max(width, display_width(line));
    height = std::max(height, block.size());
  }
  std::string text;
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (const std::vector<std::string>& block : blocks) {
      line += pad_right(i < block.size() ? block[i] : "", width + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string to_terminal(const TerminalHeatmap& h, const TerminalOptions& options) {
  check(h);
  const Plan plan = plan_of(h, options);
  const bool color = options.colors != TerminalColors::none;
  const bool ticks = plan.form == CellForm::half_blocks || (h.column_labels.empty() && true_columns(h) > 1);
  CellGrid grid{h.values, h.hidden};
  if (plan.form == CellForm::half_blocks) {
    grid = fitted(h, plan.form, options.colors, options.width - plan.label_width - 1, kMostLines);
  }
  const TerminalScale scale = scale_of(h, {grid});
  const Index rows = grid.values.shape()[0];
  const int per_line = rows_per_line(plan.form, options.colors);
  const std::vector<std::string> lines =
      cell_lines(grid, plan.form, scale, options.colors, plan.number_width, plan.digits);

  std::string text = title_line(h.title, color);
  if (ticks) {
    text += tick_line(grid.values.shape()[1], true_columns(h),
                      cell_columns(plan.form, options.colors, plan.number_width), plan.label_width + 1) +
            "\n";
  } else {
    for (const std::string& line : header_lines(h, plan)) text += line + "\n";
  }
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::string label;
    const Index row = static_cast<Index>(line) * per_line;
    if (plan.form == CellForm::half_blocks || h.row_labels.empty()) {
      const bool every = plan.form == CellForm::numbers || line % 5 == 0;
      if (every) label = std::to_string(row * true_rows(h) / rows);
    } else {
      label = shorten(printable(h.row_labels[static_cast<std::size_t>(row)]), plan.label_width);
    }
    text += pad_left(label, plan.label_width) + " " + lines[line] + "\n";
  }
  return text + "\n" + legend(scale, options) + "\n" + notes(h, grid, options);
}

std::string to_terminal(const std::vector<TerminalHeatmap>& panels, const TerminalOptions& options) {
  if (panels.empty()) fail("[terminal heatmap] there are no panels");
  constexpr int kGap = 2;
  const auto count = static_cast<int>(panels.size());
  const int wanted = count <= 16 ? 4 : count <= 36 ? 6 : 12;
  const int per_line = std::max(1, std::min({count, wanted, options.width / 8}));
  const int room = (options.width - (per_line - 1) * kGap) / per_line;
  std::vector<CellGrid> drawn;
  for (const TerminalHeatmap& panel : panels) {
    check(panel);
    drawn.push_back(fitted(panel, panel_form(panel, room), options.colors, room, kPanelLines));
  }
  const TerminalScale scale = scale_of(panels.front(), drawn);
  std::string text;
  for (int first = 0; first < count; first += per_line) {
    std::vector<std::vector<std::string>> blocks;
    for (int p = first; p < std::min(count, first + per_line); ++p) {
      const auto i = static_cast<std::size_t>(p);
      blocks.push_back(cell_lines(drawn[i], panel_form(panels[i], room), scale, options.colors, 0, 0));
      blocks.back().insert(blocks.back().begin(), shorten(printable(panels[i].title), room));
    }
    text += side_by_side(blocks, kGap) + "\n";
  }
  return text + legend(scale, options) + "\n" + notes(panels.front(), drawn.front(), options);
}

}  // namespace fovea
