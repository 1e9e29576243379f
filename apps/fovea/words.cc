#include "words.h"

#include <algorithm>

namespace fovea::command {

std::vector<std::string> split_list(const std::string& list, char separator) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

}  // namespace fovea::command
