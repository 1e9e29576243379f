// The keys of a step of which some queries see only a part, in pieces.
#pragma once

#include <algorithm>

#include "mask/intervals.h"

namespace fovea::kernels {

// Keys [begin, end), counted from the first of the step, that only some neighbouring vectors of queries
// see.
struct KeySegment {
  Index begin, end;
  int first_vector, vectors;
  bool full;  // every query sees every one of these keys
};

// On the diagonal of causal attention a strip of three vectors would compute a square of which it needs
// half: cut vector by vector it computes two thirds. Cuts are multiples of kTile keys, whole register
// tiles.
class KeySegments {
 public:
  static constexpr int kMostVectors = 3;
  static constexpr Index kTile = 8;

  // hulls [vectors]: no query of the vector sees a key outside; common: all queries see all of these. Both
  // count from the first key of the step and lie within [0, count).
  KeySegments(const Interval* hulls, int vectors, Interval common, Index count) {
    const auto down = [](Index key) { return key / kTile * kTile; };
    const auto up = [count](Index key) { return std::min(count, (key + kTile - 1) / kTile * kTile); };
    Index cuts[2 * kMostVectors + 4] = {0, count};
    int cut_count = 2;
    const Interval full{up(common.begin), common.end == count ? count : down(common.end)};
    if (full.begin < full.end) cuts[cut_count++] = full.begin, cuts[cut_count++] = full.end;
    Interval seen[kMostVectors];
    for (int v = 0; v < vectors; ++v) {
      seen[v] =
          hulls[v].begin < hulls[v].end ? Interval{down(hulls[v].begin), up(hulls[v].end)} : Interval{};
      cuts[cut_count++] = seen[v].begin, cuts[cut_count++] = seen[v].end;
    }
    std::sort(cuts, cuts + cut_count);
    for (int c = 0; c + 1 < cut_count; ++c) {
      if (cuts[c] == cuts[c + 1]) continue;
      const auto sees = [&](int v) { return seen[v].begin <= cuts[c] && cuts[c + 1] <= seen[v].end; };
      int first = 0, last = vectors - 1;
      while (first < vectors && !sees(first)) ++first;
      while (last > first && !sees(last)) --last;
      if (first == vectors) continue;
      segments_[size_++] = {cuts[c], cuts[c + 1], first, last - first + 1,
                            full.begin <= cuts[c] && cuts[c + 1] <= full.end};
    }
  }

  const KeySegment* begin() const { return segments_; }
  const KeySegment* end() const { return segments_ + size_; }

 private:
  KeySegment segments_[2 * kMostVectors + 3];
  int size_ = 0;
};

}  // namespace fovea::kernels
