#include "text/models/trie.h"

#include <algorithm>

namespace fovea {

Trie::Trie(std::vector<Key> keys) : root_(256) {
  std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.first < b.first; });
  struct Range {
    std::size_t begin, end, depth;  // the keys below a node, and their common beginning
  };
  std::vector<Range> ranges = {{0, keys.size(), 0}};
  labels_.push_back(0);
  for (std::size_t node = 0; node < ranges.size(); ++node) {
    auto [begin, end, depth] = ranges[node];
    std::int32_t value = -1;
    for (; begin < end && keys[begin].first.size() == depth; ++begin) value = keys[begin].second;
    values_.push_back(value);
    first_child_.push_back(static_cast<std::uint32_t>(ranges.size()));
    while (begin < end) {
      const char label = keys[begin].first[depth];
      std::size_t next = begin + 1;
      while (next < end && keys[next].first[depth] == label) ++next;
      labels_.push_back(static_cast<unsigned char>(label));
      ranges.push_back({begin, next, depth + 1});
      begin = next;
    }
  }
  first_child_.push_back(static_cast<std::uint32_t>(ranges.size()));
  for (std::uint32_t child = first_child_[0]; child < first_child_[1]; ++child)
    root_[labels_[child]] = child;
}

}  // namespace fovea
