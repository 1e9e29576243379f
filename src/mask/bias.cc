// Biases by relative position, as one strip of values per head, and biases given pair by pair.
#include "fovea/bias.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fail.h"
#include "mask/bias_node.h"
#include "mask/score_shape.h"
#include "mask/t5_buckets.h"

namespace fovea {
namespace {

// Values by the relative position r = j − p, clamped to [−max, max]: relative tables, and T5's buckets
// spread out.
class StripBias final : public BiasNode {
 public:
  // strip [H, 2·max+1]; H = 1 serves every head
  StripBias(Tensor strip, std::string name)
      : strip_(std::move(strip)), max_((strip_.shape()[1] - 1) / 2), name_(std::move(name)) {}

  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    const Index head = strip_.shape()[0] == 1 ? 0 : row.head;
    const float* center = strip_.data() + head * strip_.shape()[1] + max_;  // the value at r = 0
    const Index p = row.position();
    // Keys before `low` share the first value, keys from `high` on the last one.
    const Index low = std::clamp(p - max_, key_begin, key_end);
    const Index high = std::clamp(p + max_, low, key_end);
    Index key = key_begin;
    for (; key < low; ++key) *out++ += center[-max_];
    for (; key < high; ++key) *out++ += center[key - p];
    for (; key < key_end; ++key) *out++ += center[max_];
  }
  void check(const ScoreExtents& extents) const override {
    check_heads("[bias] " + name_, strip_.shape()[0], extents);
  }
  bool is_relative() const override { return true; }
  std::string name() const override { return name_; }

 private:
  Tensor strip_;
  Index max_;
  std::string name_;
};

class AlibiBias final : public BiasNode {
 public:
  explicit AlibiBias(std::vector<float> slopes) : slopes_(std::move(slopes)) {}

  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    const float slope = slopes_[slopes_.size() == 1 ? 0 : static_cast<std::size_t>(row.head)];
    const Index p = row.position();
    for (Index key = key_begin; key < key_end; ++key) {
      *out++ -= slope * static_cast<float>(std::abs(key - p));
    }
  }
  void check(const ScoreExtents& extents) const override {
    check_heads("[bias] ALiBi", static_cast<Index>(slopes_.size()), extents);
  }
  bool is_relative() const override { return true; }
  std::string name() const override { return fmt::format("ALiBi, {} slopes", slopes_.size()); }

 private:
  std::vector<float> slopes_;
};

class DenseBias final : public BiasNode {
 public:
  explicit DenseBias(ConstView values) : shape_(kWho, values.shape()), values_(Tensor::copy_of(values)) {}

  void add_values(const Row& row, Index key_begin, Index key_end, float* out) const override {
    const Index step = shape_.key_step();
    const float* value = values_.data() + shape_.row_begin(row) + key_begin * step;
    for (Index key = key_begin; key < key_end; ++key, value += step) *out++ += *value;
  }
  void check(const ScoreExtents& extents) const override { shape_.check(kWho, extents); }
  Index batch() const override { return shape_.batch() == 1 ? 0 : shape_.batch(); }
  std::string name() const override { return fmt::format("dense {}", values_.shape().to_string()); }

 private:
  static constexpr const char* kWho = "[bias] dense";
  ScoreShape shape_;
  Tensor values_;
};

void check_table(const char* who, ConstView table) {
  if (table.shape().rank() != 2 || table.shape()[1] == 0) {
    fail("[bias] {} has a table of shape {}, expected [rows, H]", who, table.shape().to_string());
  }
}

// strip(h, r + max) = table(row_of(r), h)
template <typename RowOf>
Tensor make_strip(ConstView table, Index max, const RowOf& row_of) {
  const Index heads = table.shape()[1];
  Tensor strip = Tensor::uninitialized({heads, 2 * max + 1});
  for (Index r = -max; r <= max; ++r) {
    const Index from = row_of(r);
    for (Index h = 0; h < heads; ++h) strip(h, r + max) = table(from, h);
  }
  return strip;
}

}  // namespace

Bias Bias::relative(ConstView table) {
  check_table("relative", table);
  const Index rows = table.shape()[0];
  if (rows % 2 == 0) fail("[bias] relative has a table of {} rows, expected an odd number, 2·max+1", rows);
  const Index max = (rows - 1) / 2;
  Tensor strip = make_strip(table, max, [max](Index r) { return r + max; });
  return Bias(std::make_shared<StripBias>(std::move(strip), fmt::format("relative, max {}", max)));
}

Bias Bias::t5(ConstView table, Index buckets, Index max_distance, bool bidirectional) {
  check_table("T5", table);
  const T5Buckets to_bucket(buckets, max_distance, bidirectional);
  if (table.shape()[0] != buckets) {
    fail("[bias] T5 has a table of {} rows, expected one per bucket, {}", table.shape()[0], buckets);
  }
  // Beyond max_distance every position is in the last bucket of its side.
  Tensor strip = make_strip(table, max_distance, to_bucket);
  return Bias(std::make_shared<StripBias>(
      std::move(strip), fmt::format("T5, {} buckets to distance {}{}", buckets, max_distance,
                                    bidirectional ? "" : ", one direction")));
}

Bias Bias::alibi(const std::vector<float>& slopes) {
  if (slopes.empty()) fail("[bias] ALiBi has no slopes, expected one per head");
  return Bias(std::make_shared<AlibiBias>(slopes));
}

Bias Bias::dense(ConstView values) { return Bias(std::make_shared<DenseBias>(values)); }

std::string Bias::describe() const { return is_none() ? "none" : node_->name(); }

Tensor Bias::to_dense(Index heads, Index n, Index m) const {
  if (heads < 0 || n < 0 || m < 0) {
    fail("[bias] {} heads, {} queries and {} keys, expected all ≥ 0", heads, n, m);
  }
  const Index batch = is_none() ? 0 : node_->batch();
  const Index entries = std::max<Index>(batch, 1);
  if (!is_none()) node_->check({entries, entries, heads, n, m});
  Tensor values(batch == 0 ? Shape{heads, n, m} : Shape{batch, heads, n, m});
  if (is_none()) return values;
  float* out = values.data();
  for (Index b = 0; b < entries; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < n; ++i, out += m) node_->add_values({b, h, i, n, m}, 0, m, out);
    }
  }
  return values;
}

std::vector<float> alibi_slopes(Index heads) {
  if (heads < 1) fail("[alibi_slopes] {} heads, expected ≥ 1", heads);
  Index power = 1;  // the largest power of two within heads
  while (power <= heads / 2) power *= 2;
  std::vector<float> slopes;
  for (Index h = 1; h <= heads; ++h) {
    // The heads beyond the power take every other slope of the next one: 1st, 3rd, 5th, ..
    const double step = h <= power
                            ? static_cast<double>(h) / static_cast<double>(power)
                            : static_cast<double>(2 * (h - power) - 1) / static_cast<double>(2 * power);
    slopes.push_back(static_cast<float>(std::exp2(-8.0 * step)));
  }
  return slopes;
}

}  // namespace fovea
