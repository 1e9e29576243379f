// A read-only trie over bytes: which keys does a text begin with?
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

// Nodes stand in breadth-first order, so that the children of a node are neighbours and their labels can be
// searched as a string: no pointers, five bytes and a value per node.
class Trie {
 public:
  using Key = std::pair<std::string_view, std::int32_t>;  // values are not negative

  Trie() : Trie(std::vector<Key>{}) {}
  explicit Trie(std::vector<Key> keys);  // of equal keys the last one counts

  // Calls visit(length, value) for each key that `text` begins with, shortest first.
  template <typename Visit>
  void for_each_prefix(std::string_view text, const Visit& visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!step(node, text[i])) return;
      if (values_[node] >= 0) visit(i + 1, values_[node]);
    }
  }

  struct Match {
    std::size_t length = 0;  // 0: none
    std::int32_t value = -1;
  };
  Match longest_prefix(std::string_view text) const {
    Match best;
    for_each_prefix(text, [&](std::size_t length, std::int32_t value) { best = {length, value}; });
    return best;
  }

  bool may_start_with(char byte) const { return root_[static_cast<unsigned char>(byte)] != 0; }

 private:
  bool step(std::uint32_t& node, char byte) const {
    const std::uint32_t begin = first_child_[node], end = first_child_[node + 1];
    const unsigned char* labels = labels_.data();
    const auto wanted = static_cast<unsigned char>(byte);
    if (node == 0) {
      if (root_[wanted] == 0) return false;
      node = root_[wanted];
      return true;
    }
    for (std::uint32_t child = begin; child < end; ++child) {
      if (labels[child] != wanted) continue;
      node = child;
      return true;
    }
    return false;
  }

  std::vector<unsigned char> labels_;       // the byte that leads to each node
  std::vector<std::uint32_t> first_child_;  // children of node i: first_child_[i] .. first_child_[i + 1]
  std::vector<std::int32_t> values_;        // -1: no key ends here
  std::vector<std::uint32_t> root_;         // by byte; 0: none
};

}  // namespace fovea
