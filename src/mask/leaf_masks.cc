// Masks by position alone: causal, window, sparse, prefix, and a predicate of the caller.
#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "mask/intervals.h"

namespace fovea {
namespace {

// A mask that fits every call.
class PositionMask : public MaskNode {
 public:
  void check(const ScoreExtents&) const override {}
};

// One that shows each row one interval.
class IntervalMask : public PositionMask {
 public:
  virtual Interval keys_of(const Row& row) const = 0;

  bool visible_interval(const Row& row, Interval& visible) const final {
    visible = keys_of(row);
    return true;
  }
  void visible_keys(const Row& row, Intervals& visible) const final {
    visible.clear();
    append(visible, keys_of(row));
  }
};

class CausalMask final : public IntervalMask {
 public:
  explicit CausalMask(Align align) : align_(align) {}
  Interval keys_of(const Row& row) const override {
    const Index position = align_ == Align::top_left ? row.query : row.position();
    return {0, std::clamp<Index>(position + 1, 0, row.m)};
  }
  std::string name() const override { return align_ == Align::top_left ? "causal top left" : "causal"; }
  std::string expression() const override {
    return align_ == Align::top_left ? "causal(top_left)" : "causal";
  }

 private:
  Align align_;
};

// Keys p − before .. p + after. The arguments may be huge ("everything before"): the comparisons are
// arranged so that no sum of them overflows.
Interval window_around(const Row& row, Index before, Index after) {
  const Index p = row.position();
  const Index begin = p <= before ? 0 : p - before;
  const Index end = row.m - p <= after ? row.m : p + after + 1;
  return {begin, end};
}

class WindowMask final : public IntervalMask {
 public:
  WindowMask(Index before, Index after) : before_(before), after_(after) {}
  Interval keys_of(const Row& row) const override { return window_around(row, before_, after_); }
  std::string name() const override {
    if (before_ == after_) return fmt::format("window {}", before_);
    return fmt::format("window -{}..+{}", before_, after_);
  }
  std::string expression() const override { return fmt::format("window({}, {})", before_, after_); }

 private:
  Index before_, after_;
};

class SparseMask final : public PositionMask {
 public:
  explicit SparseMask(Index stride) : stride_(stride) {}
  void visible_keys(const Row& row, Intervals& visible) const override {
    visible.clear();
    if (row.position() % stride_ == 0) return append(visible, {0, row.m});
    // The window, among the global columns 0, s, 2s, ..: those before it, and those behind.
    const Interval window = window_around(row, stride_, stride_);
    Index column = 0;
    for (; column < row.m && column < window.begin; column += stride_)
      append(visible, {column, column + 1});
    append(visible, window);
    for (; column < row.m; column += stride_) {
      if (column >= window.end) append(visible, {column, column + 1});
      if (column > row.m - stride_) break;  // the next one could overflow
    }
  }
  void visible_bits(const Row& row, KeyBits& bits) const override {
    std::fill(bits.begin(), bits.end(), 0);
    if (row.position() % stride_ == 0) return set_bits(bits, 0, row.m);
    const Interval window = window_around(row, stride_, stride_);
    set_bits(bits, window.begin, window.end);
    const auto stride = static_cast<std::uint64_t>(stride_), m = static_cast<std::uint64_t>(row.m);
    for (std::uint64_t column = 0; column < m; column += stride) {
      bits[column / 64] |= std::uint64_t{1} << (column % 64);
    }
  }
  bool prefers_bits() const override { return true; }
  bool may_scatter() const override { return true; }
  bool is_scattered(const Row& row) const override { return row.position() % stride_ != 0; }
  std::string name() const override { return fmt::format("sparse {}", stride_); }
  std::string expression() const override { return fmt::format("sparse({})", stride_); }

 private:
  Index stride_;
};

class PrefixMask final : public IntervalMask {
 public:
  explicit PrefixMask(Index n) : n_(n) {}
  Interval keys_of(const Row& row) const override {
    return {0, std::clamp<Index>(std::max(n_, row.position() + 1), 0, row.m)};
  }
  std::string name() const override { return fmt::format("prefix {}", n_); }
  std::string expression() const override { return fmt::format("prefix({})", n_); }

 private:
  Index n_;
};

class PredicateMask final : public PositionMask {
 public:
  explicit PredicateMask(std::function<bool(Index, Index, Index, Index)> visible)
      : visible_(std::move(visible)) {}
  void visible_keys(const Row& row, Intervals& visible) const override {
    visible.clear();
    for (Index key = 0; key < row.m; ++key) {
      if (visible_(row.batch, row.head, row.query, key)) append(visible, {key, key + 1});
    }
  }
  std::string name() const override { return "predicate"; }

 private:
  std::function<bool(Index, Index, Index, Index)> visible_;
};

}  // namespace

Mask Mask::causal(Align align) { return Mask(std::make_shared<CausalMask>(align)); }

Mask Mask::sliding_window(Index before, Index after) {
  if (before < 0 || after < 0)
    fail("[mask] window is {} before, {} after, expected both ≥ 0", before, after);
  return Mask(std::make_shared<WindowMask>(before, after));
}

Mask Mask::sparse(Index stride) {
  if (stride < 1) fail("[mask] sparse has stride {}, expected ≥ 1", stride);
  return Mask(std::make_shared<SparseMask>(stride));
}

Mask Mask::prefix(Index n) {
  if (n < 0) fail("[mask] prefix has {} keys, expected ≥ 0", n);
  return Mask(std::make_shared<PrefixMask>(n));
}

Mask Mask::predicate(std::function<bool(Index, Index, Index, Index)> visible) {
  if (!visible) fail("[mask] predicate is an empty function");
  return Mask(std::make_shared<PredicateMask>(std::move(visible)));
}

}  // namespace fovea
