// The inside of a Mask: what the kernels ask of it, row by row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/mask.h"

namespace fovea {
inline namespace internal {

// Keys [begin, end).
struct Interval {
  Index begin = 0;
  Index end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};
// Sorted, disjoint, not touching, none of them empty.
using Intervals = std::vector<Interval>;

// Keys as bits: key j is bit j % 64 of word j / 64.
using KeyBits = std::vector<std::uint64_t>;

// One query of one batch entry and head. `batch` counts all entries of the call (A·B + b for rank 5); a
// node that holds fewer entries takes batch modulo its own number.
struct Row {
  Index batch = 0, head = 0, query = 0;
  Index n = 0, m = 0;
  Index position() const { return query + m - n; }
};

// The extents of one call. `inner_batch` is the B of rank 5 [A, B, H, N, D], else equal to `batch`.
struct ScoreExtents {
  Index batch = 1, inner_batch = 1, heads = 1, n = 0, m = 0;
};

class FOVEA_PRIVATE_API MaskNode {
 public:
  static constexpr Index kAnyKeys = -1;

  virtual ~MaskNode() = default;

  // Replaces `visible` by the visible keys of the row, within [0, row.m). Thread-safe.
  virtual void visible_keys(const Row& row, Intervals& visible) const = 0;

  // The same without a list, for masks whose rows are one interval by nature (perhaps empty). All others
  // return false, and what they leave in `visible` means nothing.
  virtual bool visible_interval(const Row&, Interval& visible) const {
    static_cast<void>(visible);
    return false;
  }

  // The same as bits, for rows of many intervals; `bits` holds row.m / 64 words, rounded up. Bits past
  // row.m stay 0.
  virtual void visible_bits(const Row& row, KeyBits& bits) const;
  virtual bool prefers_bits() const { return false; }  // are rows of many intervals the rule?

  // Rows of many separate keys are computed apart from rows of few intervals, on the keys that they see,
  // gathered. May any row be like that, and is this one? A guess that is wrong costs time only.
  virtual bool may_scatter() const { return false; }
  virtual bool is_scattered(const Row&) const { return false; }

  // Does it carry values? Then add_values adds those of keys [key_begin, key_end) to out[0..).
  virtual bool is_additive() const { return false; }
  virtual void add_values(const Row& row, Index key_begin, Index key_end, float* out) const;

  // Throws Error if the mask does not fit a call of these extents.
  virtual void check(const ScoreExtents& extents) const = 0;

  // Extents the mask itself knows; 0 means that it does not care (causal has no batch).
  virtual Index batch() const { return 0; }
  virtual Index heads() const { return 0; }
  virtual Index keys() const { return kAnyKeys; }  // 0 is a number of keys, too
  virtual bool depends_on_query() const { return true; }

  virtual std::string name() const = 0;  // "causal", "window 2 and padding"
  // What parse_mask makes this mask of again; "" for masks that have no such text.
  virtual std::string expression() const { return ""; }
  virtual int depth() const { return 0; }  // of the expression below this node
};

}  // namespace internal
}  // namespace fovea
