// and, or, not: intersection, union and complement of the rows' intervals.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/fail.h"
#include "mask/band.h"
#include "mask/intervals.h"

namespace fovea {
namespace {

using Node = std::shared_ptr<const MaskNode>;

// Nodes call each other recursively, and so do their destructors: an expression of a million terms must be
// an error, not the end of the stack.
constexpr int kMaxDepth = 1000;

// Every row asks every mask that is joined, unless all are one band: more of them than anybody writes would
// take minutes where nobody expects it.
constexpr Index kMaxParts = 4096;

// For a message: of a long chain, how it begins.
std::string short_name(const MaskNode& node) {
  constexpr std::size_t kLongest = 60;
  std::string name = node.name();
  if (name.size() > kLongest) name.replace(kLongest, std::string::npos, "…");
  return name;
}

// The extent of both together. 0: does not care, 1: broadcasts.
Index broadcast(const char* axis, const MaskNode& a, Index extent_a, const MaskNode& b, Index extent_b) {
  if (extent_a > 1 && extent_b > 1 && extent_a != extent_b) {
    fail("[mask] {} is for {} {}, {} for {}", short_name(a), extent_a, axis, short_name(b), extent_b);
  }
  return std::max(extent_a, extent_b);
}

Index common_keys(const MaskNode& a, const MaskNode& b) {
  if (a.keys() == MaskNode::kAnyKeys) return b.keys();
  if (b.keys() != MaskNode::kAnyKeys && a.keys() != b.keys()) {
    fail("[mask] {} is for {} keys, {} for {}", short_name(a), a.keys(), short_name(b), b.keys());
  }
  return a.keys();
}

// What both do to bands: united() or intersected().
using JoinBands = std::optional<Band>(const Band&, const Band&);

std::optional<Band> joined_band(const MaskNode& left, const MaskNode& right, JoinBands* join) {
  const std::optional<Band> a = band_of(left), b = band_of(right);
  return a && b ? join(*a, *b) : std::nullopt;
}

Index parts_of(const MaskNode& node);

// A combination of bands is a band, and is asked as one: of 60,000 windows, none of them is looked at
// again. Everything else asks its branches.
class BinaryMask : public MaskNode, public MaybeBand {
 public:
  BinaryMask(Node left, Node right, JoinBands* join)
      : left_(std::move(left)),
        right_(std::move(right)),
        band_(joined_band(*left_, *right_, join)),
        batch_(broadcast("batch entries", *left_, left_->batch(), *right_, right_->batch())),
        heads_(broadcast("heads", *left_, left_->heads(), *right_, right_->heads())),
        keys_(common_keys(*left_, *right_)),
        is_additive_(left_->is_additive() || right_->is_additive()),
        depends_on_query_(left_->depends_on_query() || right_->depends_on_query()),
        prefers_bits_(left_->prefers_bits() || right_->prefers_bits()),
        may_scatter_(left_->may_scatter() || right_->may_scatter()),
        depth_(1 + std::max(left_->depth(), right_->depth())),
        parts_(band_ ? 1 : parts_of(*left_) + parts_of(*right_)) {
    if (depth_ > kMaxDepth) {
      fail("[mask] the expression nests more than {} operations", kMaxDepth);
    }
    if (parts_ > kMaxParts) {
      fail("[mask] more than {} masks are joined: only windows, causal and prefix may be more", kMaxParts);
    }
  }
  void check(const ScoreExtents& extents) const override {
    if (band_) return;  // fits every call
    left_->check(extents);
    right_->check(extents);
  }
  std::optional<Band> band() const final { return band_; }
  bool visible_interval(const Row& row, Interval& visible) const final {
    if (!band_) return interval_of_branches(row, visible);
    visible = band_->keys_of(row);
    return true;
  }
  void visible_keys(const Row& row, Intervals& visible) const final {
    if (!band_) return keys_of_branches(row, visible);
    visible.clear();
    append(visible, band_->keys_of(row));
  }
  void visible_bits(const Row& row, KeyBits& bits) const final {
    if (band_) return bits_of_keys(row, bits);
    bits_of_branches(row, bits);
  }
  // From visible_keys().
  void bits_of_keys(const Row& row, KeyBits& bits) const { MaskNode::visible_bits(row, bits); }
  Index batch() const override { return batch_; }
  Index heads() const override { return heads_; }
  Index keys() const override { return keys_; }
  bool is_additive() const override { return is_additive_; }
  bool depends_on_query() const override { return depends_on_query_; }
  bool prefers_bits() const override { return prefers_bits_; }
  bool may_scatter() const override { return may_scatter_; }
  bool is_scattered(const Row& row) const override {
    return may_scatter_ && (left_->is_scattered(row) || right_->is_scattered(row));
  }
  int depth() const override { return depth_; }
  const Node& left() const { return left_; }
  const Node& right() const { return right_; }
  Index parts() const { return parts_; }

 protected:
  virtual bool interval_of_branches(const Row&, Interval&) const { return false; }
  virtual void keys_of_branches(const Row& row, Intervals& visible) const = 0;
  virtual void bits_of_branches(const Row& row, KeyBits& bits) const = 0;

  Node left_, right_;

 private:
  std::optional<Band> band_;
  Index batch_, heads_, keys_;
  bool is_additive_, depends_on_query_, prefers_bits_, may_scatter_;
  int depth_;
  Index parts_;  // masks that a row asks
};

// "(left & right)", or "" if one of them has no text.
std::string joined(const MaskNode& left, char operation, const MaskNode& right) {
  const std::string a = left.expression(), b = right.expression();
  return a.empty() || b.empty() ? "" : fmt::format("({} {} {})", a, operation, b);
}

class AndMask final : public BinaryMask {
 public:
  AndMask(Node left, Node right) : BinaryMask(std::move(left), std::move(right), intersected) {}
  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    left_->add_values(row, key_begin, key_end, out);
    right_->add_values(row, key_begin, key_end, out);
  }
  std::string name() const override;
  std::string expression() const override { return joined(*left_, '&', *right_); }

 protected:
  bool interval_of_branches(const Row& row, Interval& visible) const override {
    Interval other;
    if (!left_->visible_interval(row, visible) || !right_->visible_interval(row, other)) return false;
    visible = {std::max(visible.begin, other.begin), std::min(visible.end, other.end)};
    if (visible.begin >= visible.end) visible = {};
    return true;
  }
  void keys_of_branches(const Row& row, Intervals& visible) const override {
    ScratchIntervals left, right;
    left_->visible_keys(row, *left);
    if ((*left).empty()) return visible.clear();
    right_->visible_keys(row, *right);
    intersect(*left, *right, visible);
    if (left_->is_additive() && right_->is_additive()) hide_infinite_sums(row, visible);
  }
  void bits_of_branches(const Row& row, KeyBits& bits) const override {
    // Two finite values may add up to −inf.
    if (left_->is_additive() && right_->is_additive()) return bits_of_keys(row, bits);
    left_->visible_bits(row, bits);
    KeyBits right(bits.size());
    right_->visible_bits(row, right);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= right[i];
  }

 private:
  // Two finite values may add up to −inf, which hides as any −inf does.
  void hide_infinite_sums(const Row& row, Intervals& visible) const {
    ScratchIntervals finite;
    std::vector<float> sums;
    for (const Interval& interval : visible) {
      sums.assign(static_cast<std::size_t>(interval.end - interval.begin), 0.0f);
      add_values(row, interval.begin, interval.end, sums.data());
      Index key = interval.begin;
      for (const float sum : sums) {
        if (sum != -std::numeric_limits<float>::infinity()) append(*finite, {key, key + 1});
        ++key;
      }
    }
    visible.swap(*finite);
  }
};

class OrMask final : public BinaryMask {
 public:
  OrMask(Node left, Node right) : BinaryMask(std::move(left), std::move(right), united) {}
  std::string name() const override;
  std::string expression() const override { return joined(*left_, '|', *right_); }

 protected:
  void keys_of_branches(const Row& row, Intervals& visible) const override {
    ScratchIntervals left, right;
    left_->visible_keys(row, *left);
    const bool all = (*left).size() == 1 && (*left).front() == Interval{0, row.m};
    if (!all) right_->visible_keys(row, *right);
    unite(*left, *right, visible);
  }
  void bits_of_branches(const Row& row, KeyBits& bits) const override {
    left_->visible_bits(row, bits);
    KeyBits right(bits.size());
    right_->visible_bits(row, right);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] |= right[i];
  }
};

class NotMask final : public MaskNode {
 public:
  explicit NotMask(Node inner) : inner_(std::move(inner)), depth_(1 + inner_->depth()) {}
  void visible_keys(const Row& row, Intervals& visible) const override {
    ScratchIntervals inner;
    inner_->visible_keys(row, *inner);
    complement(*inner, row.m, visible);
  }
  void visible_bits(const Row& row, KeyBits& bits) const override {
    inner_->visible_bits(row, bits);
    for (std::uint64_t& word : bits) word = ~word;
    if (row.m % 64 != 0) bits.back() &= (std::uint64_t{1} << (row.m % 64)) - 1;
  }
  bool prefers_bits() const override { return inner_->prefers_bits(); }
  bool may_scatter() const override { return inner_->may_scatter(); }
  bool is_scattered(const Row& row) const override { return inner_->is_scattered(row); }
  void check(const ScoreExtents& extents) const override { inner_->check(extents); }
  Index batch() const override { return inner_->batch(); }
  Index heads() const override { return inner_->heads(); }
  Index keys() const override { return inner_->keys(); }
  bool depends_on_query() const override { return inner_->depends_on_query(); }
  int depth() const override { return depth_; }
  std::string name() const override;
  std::string expression() const override {
    const std::string inner = inner_->expression();
    return inner.empty() ? "" : fmt::format("!({})", inner);
  }
  const Node& inner() const { return inner_; }

 private:
  Node inner_;
  int depth_;
};

Index parts_of(const MaskNode& node) {
  if (const auto* joined = dynamic_cast<const BinaryMask*>(&node)) return joined->parts();
  const auto* negated = dynamic_cast<const NotMask*>(&node);
  return negated == nullptr ? 1 : parts_of(*negated->inner());
}

// !none(): hides everything. none() itself has no node.
class NothingMask final : public MaskNode {
 public:
  void visible_keys(const Row&, Intervals& visible) const override { visible.clear(); }
  void check(const ScoreExtents&) const override {}
  bool depends_on_query() const override { return false; }
  std::string name() const override { return "not none"; }
  std::string expression() const override { return "!none"; }
};

// For a reader, "and" and "or" side by side always need parentheses.
template <typename... Parenthesised>
std::string name_within(const MaskNode& node) {
  const bool needed = ((dynamic_cast<const Parenthesised*>(&node) != nullptr) || ...);
  return needed ? fmt::format("({})", node.name()) : node.name();
}

std::string AndMask::name() const {
  return fmt::format("{} and {}", name_within<OrMask>(*left_), name_within<OrMask>(*right_));
}
std::string OrMask::name() const {
  return fmt::format("{} or {}", name_within<AndMask>(*left_), name_within<AndMask>(*right_));
}
std::string NotMask::name() const { return fmt::format("not {}", name_within<AndMask, OrMask>(*inner_)); }

// a op b. A chain a & b & c & .. of any length becomes a tree whose depth is the logarithm of it: as long
// as the right branch of `a` is the lower one, b goes there. The order stays. Two additive masks are not
// moved together: their sum alone could be −inf where the whole is not.
template <typename Operation>
Node chained(const Node& a, const Node& b) {
  const auto* chain = dynamic_cast<const Operation*>(a.get());
  if (chain == nullptr || chain->right()->depth() >= chain->left()->depth() ||
      (chain->right()->is_additive() && b->is_additive())) {
    return std::make_shared<Operation>(a, b);
  }
  return std::make_shared<Operation>(chain->left(), chained<Operation>(chain->right(), b));
}

// The same, but what does not fit is told of a and b, not of the branches.
template <typename Operation>
Node combined(const Node& a, const Node& b) {
  broadcast("batch entries", *a, a->batch(), *b, b->batch());
  broadcast("heads", *a, a->heads(), *b, b->heads());
  common_keys(*a, *b);
  return chained<Operation>(a, b);
}

void refuse_additive(const char* operation, const Mask& mask) {
  if (mask.is_additive()) fail("[mask] \"{}\" is not defined for an additive mask", operation);
}

}  // namespace

Mask operator&(const Mask& a, const Mask& b) {
  if (a.is_none()) return b;
  // The same node twice hides nothing more; the values of an additive one do add up.
  if (b.is_none() || (a.node_ == b.node_ && !a.is_additive())) return a;
  return Mask(combined<AndMask>(a.node_, b.node_));
}

Mask operator|(const Mask& a, const Mask& b) {
  refuse_additive("or", a);
  refuse_additive("or", b);
  if (a.is_none() || b.is_none()) return Mask::none();
  if (a.node_ == b.node_) return a;
  return Mask(combined<OrMask>(a.node_, b.node_));
}

Mask operator!(const Mask& a) {
  refuse_additive("not", a);
  if (a.is_none()) return Mask(std::make_shared<NothingMask>());
  if (dynamic_cast<const NothingMask*>(a.node()) != nullptr) return Mask::none();
  if (const auto* negated = dynamic_cast<const NotMask*>(a.node())) return Mask(negated->inner());
  return Mask(std::make_shared<NotMask>(a.node_));
}

}  // namespace fovea
