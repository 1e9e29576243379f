// Merging the neighbours in a word, pair by pair: what models of byte pairs and of scored pieces share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "text/models/pair_table.h"
#include "text/models/token_model.h"

namespace fovea {

// Merges work.symbols until no neighbours merge any more. find(left id, right id) gives a
// PairTable::Result: the lowest rank merges first, and of equal ones the first in the word. A heap and a
// linked list: O(n log n).
template <class Find>
void merge_neighbours(Workspace& work, const Find& find) {
  using Merge = Workspace::Merge;
  using Symbol = Workspace::Symbol;
  constexpr std::uint32_t kEnd = UINT32_MAX;
  std::vector<Symbol>& symbols = work.symbols;
  std::vector<Merge>& heap = work.merges;
  heap.clear();
  const auto later = [](const Merge& a, const Merge& b) { return a.order > b.order; };
  const auto add = [&](std::uint32_t left, std::uint32_t right) {
    if (left == kEnd || right == kEnd) return false;
    const PairTable::Result merge = find(symbols[left].id, symbols[right].id);
    if (merge.id != kNoToken) heap.push_back({std::uint64_t{merge.rank} << 32 | left, merge.id, left});
    return merge.id != kNoToken;
  };
  const auto push = [&](std::uint32_t left, std::uint32_t right) {
    if (add(left, right)) std::push_heap(heap.begin(), heap.end(), later);
  };
  const auto size = static_cast<std::uint32_t>(symbols.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    symbols[i].previous = i == 0 ? kEnd : i - 1;
    symbols[i].next = i + 1 == size ? kEnd : i + 1;
    add(i, symbols[i].next);
  }
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Merge merge = heap.back();
    heap.pop_back();
    Symbol& left = symbols[merge.place];
    if (left.id == kNoToken || left.next == kEnd) continue;  // merged away, or the last one by now
    Symbol& right = symbols[left.next];
    if (find(left.id, right.id).id != merge.id) continue;  // another pair by now
    left.id = merge.id;
    left.end = right.end;
    left.next = right.next;
    right.id = kNoToken;
    if (left.next != kEnd) symbols[left.next].previous = merge.place;
    push(left.previous, merge.place);
    push(merge.place, left.next);
  }
  const auto merged_away = [](const Symbol& symbol) { return symbol.id == kNoToken; };
  symbols.erase(std::remove_if(symbols.begin(), symbols.end(), merged_away), symbols.end());
}

}  // namespace fovea
