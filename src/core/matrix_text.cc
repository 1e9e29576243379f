// matrix_to_terminal: a matrix between its brackets, labels outside.
#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/render.h"

namespace fovea {
namespace {

constexpr Index kMaxRows = 48;      // a longer matrix shows its first and last rows
constexpr int kMaxLabelWidth = 24;  // a longer label ends with …
constexpr Index kGap = -1;          // stands for what is left out

// The indices to show: all, or the first and the last ones with a gap between.
std::vector<Index> shown(Index count, Index limit) {
  std::vector<Index> indices;
  const Index head = count <= limit ? count : (limit + 1) / 2;
  for (Index i = 0; i < head; ++i) indices.push_back(i);
  if (head == count) return indices;
  indices.push_back(kGap);
  for (Index i = count - (limit - head); i < count; ++i) indices.push_back(i);
  return indices;
}

std::vector<std::string> labels_of(const std::vector<std::string>& given, Index count, const char* what) {
  if (!given.empty() && static_cast<Index>(given.size()) != count) {
    fail("[render] {} labels for {} {}", given.size(), count, what);
  }
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i) {
    labels.push_back(given.empty()
                         ? std::to_string(i)
                         : shorten(printable(given[static_cast<std::size_t>(i)]), kMaxLabelWidth));
  }
  return labels;
}

struct Layout {
  std::vector<Index> rows, columns;
  std::vector<int> widths;  // of the columns shown
  int label_width = 0;
  int inner_width() const {
    int sum = 0;
    for (const int width : widths) sum += width + 2;
    return sum + 1;
  }
};

class MatrixText {
 public:
  MatrixText(const Matrix& matrix, const std::vector<std::string>& rows,
             const std::vector<std::string>& columns, const RenderOptions& options, bool shade)
      : matrix_(matrix),
        options_(options),
        shade_(shade && options.color),
        format_(choose_format(matrix.values(), options.digits)),
        row_labels_(labels_of(rows, matrix.rows(), "rows")),
        column_labels_(labels_of(columns, matrix.columns(), "columns")),
        header_(!columns.empty()) {
    const bool named = !rows.empty();
    layout_.rows = shown(matrix.rows(), kMaxRows);
    for (const Index i : layout_.rows) {
      if (named && i != kGap) layout_.label_width = std::max(layout_.label_width, display_width(label(i)));
    }
    if (!named) row_labels_.assign(row_labels_.size(), "");
    for (Index limit = matrix.columns(); limit >= 1; --limit) {
      set_columns(limit);
      if (layout_.label_width + 3 + layout_.inner_width() <= options.width) break;
    }
  }

  std::string to_string() const {
    const std::string margin(static_cast<std::size_t>(layout_.label_width + 1), ' ');
    const std::string blank(static_cast<std::size_t>(layout_.inner_width()), ' ');
    std::string text;
    if (header_) text += margin + ' ' + styled(header_line(), Style::dim, options_.color) + "  \n";
    text += margin + "┌" + blank + "┐\n";
    for (const Index i : layout_.rows) {
      const std::string label_text = i == kGap ? "" : label(i);
      text += pad_right(label_text, layout_.label_width) + " │" + row_line(i) + "│\n";
    }
    return text + margin + "└" + blank + "┘\n";
  }

 private:
  const std::string& label(Index row) const { return row_labels_[static_cast<std::size_t>(row)]; }

  void set_columns(Index limit) {
    layout_.columns = shown(matrix_.columns(), limit);
    layout_.widths.clear();
    for (const Index j : layout_.columns) {
      int width = j == kGap ? 1 : header_ ? display_width(column_labels_[static_cast<std::size_t>(j)]) : 1;
      for (const Index i : layout_.rows) {
        if (i != kGap && j != kGap) width = std::max(width, display_width(cell(i, j)));
      }
      layout_.widths.push_back(width);
    }
  }

  std::string cell(Index i, Index j) const { return format_number(matrix_(i, j), format_); }

  std::string header_line() const {
    std::string line;
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      const Index j = layout_.columns[c];
      line +=
          "  " + pad_left(j == kGap ? "…" : column_labels_[static_cast<std::size_t>(j)], layout_.widths[c]);
    }
    return line;
  }

  // Each cell: two spaces, then the number, flush right; a shaded one has half of the space on either side.
  std::string row_line(Index i) const {
    std::string line;
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      const Index j = layout_.columns[c];
      const bool gap = i == kGap || j == kGap;
      const std::string text = pad_left(gap ? (j == kGap ? "…" : "⋮") : cell(i, j), layout_.widths[c]);
      if (!shade_) {
        line += "  " + text;
      } else if (gap) {
        line += ' ' + text + ' ';
      } else {
        line += shaded(' ' + text + ' ', matrix_(i, j), true);
      }
    }
    return shade_ ? " " + line : line + " ";
  }

  const Matrix& matrix_;
  const RenderOptions& options_;
  bool shade_;
  NumberFormat format_;
  std::vector<std::string> row_labels_, column_labels_;
  bool header_;
  Layout layout_;
};

}  // namespace

std::string matrix_to_terminal(const Matrix& matrix, const std::vector<std::string>& rows,
                               const std::vector<std::string>& columns, const RenderOptions& options,
                               bool shade) {
  return MatrixText(matrix, rows, columns, options, shade).to_string();
}

}  // namespace fovea
