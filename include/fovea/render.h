// How results are turned into text for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/language.h"
#include "fovea/matrix.h"

namespace fovea {

struct FOVEA_API RenderOptions {
  Language language = Language::english;
  bool color = false;  // ANSI colours: weights shaded, titles bold. Off: plain UTF-8 text
  int digits = 4;      // decimals of matrices and tables; 0 .. 17, others count as the nearest
  int width = 100;     // columns of the terminal; wider matrices are shortened with …
};

// Columns that a UTF-8 text takes in a terminal: 2 for wide East Asian characters and emoji, 0 for
// combining marks and for ANSI colour sequences, 1 for the rest. Bytes that are no UTF-8 count 1 each.
FOVEA_API int display_width(std::string_view text);

// The text, filled with spaces to a display width. A longer text is returned as it is.
FOVEA_API std::string pad_right(std::string_view text, int width);
FOVEA_API std::string pad_left(std::string_view text, int width);

// "a, b, c", or "a, b, … and 19,998 more": no message lists more than `most`.
FOVEA_API std::string listed(const std::vector<std::string>& items, std::size_t most = 10,
                             std::string_view separator = ", ");

// Lines of at most `width` columns; words that are wider stay whole. The first begins at column `start`,
// where the caller stands, the others are indented. Breaks at spaces, and beside Chinese characters, but
// not before closing punctuation, after opening punctuation, nor within a short name: “喜欢”, v(喜欢),
// [选项], or a short word between spaces. No newline at the end.
FOVEA_API std::string wrapped(std::string_view text, int width, int indent = 0, int start = 0);

// A matrix between brackets with labels outside, every line of the same display width. `rows` and `columns`
// name them: as many as there are, or none. Numbers have at most `digits` decimals, fewer where all of them
// are complete with fewer; -inf is written -inf (ASCII minus: what is printed can be pasted). Wider than
// `width`, or longer than 48 rows: the middle is left out, and … says so. `shade` colours the cells by
// value between 0 and 1 (if color).
FOVEA_API std::string matrix_to_terminal(const Matrix& matrix, const std::vector<std::string>& rows = {},
                                         const std::vector<std::string>& columns = {},
                                         const RenderOptions& = {}, bool shade = false);

}  // namespace fovea
