// The lines of a text file.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace fovea {

// Without their ends, \n or \r\n; a last line without one counts, an empty one behind the last does not.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace fovea
