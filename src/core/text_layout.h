// Lines for the terminal: wrapping, rules, colours, tables. Widths are display widths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"

namespace fovea {
inline namespace internal {

FOVEA_PRIVATE_API std::string repeat(std::string_view text, int count);

// wrapped() of fovea/render.h as whole lines: each starts with `indent` spaces and ends with \n.
FOVEA_PRIVATE_API std::string wrap(std::string_view text, int width, int indent = 0);

// At most `width` columns; what is longer ends with ….
FOVEA_PRIVATE_API std::string shorten(std::string_view text, int width);

enum class Style { bold, dim, accent };
FOVEA_PRIVATE_API std::string styled(std::string_view text, Style style, bool color);

// Background for a share between 0 (dark) and 1 (bright), readable text on it.
FOVEA_PRIVATE_API std::string shaded(std::string_view text, double share, bool color);

// Cells of text in aligned columns, two spaces between; a header with a rule below it.
class FOVEA_PRIVATE_API TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }  // one per column
  void rule() { rows_.emplace_back(); }                                            // a line between rows
  std::string to_string(int indent, bool color) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty one is a rule
};

}  // namespace internal
}  // namespace fovea
