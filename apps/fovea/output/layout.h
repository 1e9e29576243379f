// Text set to a width: wrapped, indented, ruled.
#pragma once

#include <string>
#include <string_view>

namespace fovea::command {

// Lines of at most `width` columns; the first begins at column `start`, where the caller stands, the others
// are indented. Breaks at spaces, and between Chinese characters (never before closing punctuation). No
// newline at the end.
std::string wrapped(std::string_view text, int width, int indent = 0, int start = 0);

std::string bold(std::string_view text, bool color);

}  // namespace fovea::command
