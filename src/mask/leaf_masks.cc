// Masks by position alone: causal, window, sparse, prefix, and a predicate of the caller.
#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "mask/band.h"
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

// One that stands beside the row's position.
class BandMask : public IntervalMask, public MaybeBand {
 public:
  explicit BandMask(const Band& band) : band_(band) {}
  Interval keys_of(const Row& row) const final { return band_.keys_of(row); }
  std::optional<Band> band() const final { return band_; }

 protected:
  const Band band_;
};

class CausalMask final : public BandMask {
 public:
  CausalMask() : BandMask({Band::kAll, 0, 0}) {}
  std::string name() const override { return "causal"; }
  std::string expression() const override { return "causal"; }
};

class TopLeftCausalMask final : public IntervalMask {
 public:
  Interval keys_of(const Row& row) const override {
    return {0, std::clamp<Index>(row.query + 1, 0, row.m)};
  }
  std::string name() const override { return "causal top left"; }
  std::string expression() const override { return "causal(top_left)"; }
};

class WindowMask final : public BandMask {
 public:
  WindowMask(Index before, Index after) : BandMask({before, after, 0}) {}
  std::string name() const override {
    if (band_.before == band_.after) return fmt::format("window {}", band_.before);
    return fmt::format("window -{}..+{}", band_.before, band_.after);
  }
  std::string expression() const override {
    return fmt::format("window({}, {})", band_.before, band_.after);
  }
};

class SparseMask final : public PositionMask {
 public:
  explicit SparseMask(Index stride) : stride_(stride) {}
  void visible_keys(const Row& row, Intervals& visible) const override {
    visible.clear();
    if (row.position() % stride_ == 0) return append(visible, {0, row.m});
    // The window, among the global columns 0, s, 2s, ..: those before it, and those behind.
    const Interval window = Band{stride_, stride_, 0}.keys_of(row);
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
    const Interval window = Band{stride_, stride_, 0}.keys_of(row);
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

class PrefixMask final : public BandMask {
 public:
  explicit PrefixMask(Index n) : BandMask({Band::kAll, 0, n}) {}
  std::string name() const override { return fmt::format("prefix {}", band_.first); }
  std::string expression() const override { return fmt::format("prefix({})", band_.first); }
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

Mask Mask::causal(Align align) {
  if (align == Align::top_left) return Mask(std::make_shared<TopLeftCausalMask>());
  return Mask(std::make_shared<CausalMask>());
}

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
