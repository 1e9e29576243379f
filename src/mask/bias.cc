// Biases by relative position, as one strip of values per head, and biases given pair by pair.
#include "fovea/bias.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "mask/bias_node.h"
#include "mask/score_shape.h"
#include "mask/t5_buckets.h"

namespace fovea {

void BiasNode::add_position_gradient(Index, Index, const float*, double*) const {}

void BiasNode::add_tile_gradient(const Row&, Index, Index, Index, const float*, Index, float*) const {}

namespace {

// Values by the relative position r = j − p, clamped to [−max, max]: relative tables, and T5's buckets
// spread out.
class StripBias final : public BiasNode {
 public:
  // table_rows [2·max+1]: the row of the caller's table for each relative position.
  StripBias(ConstView table, std::vector<Index> table_rows, std::string name)
      : data_shape_(table.shape()),
        table_rows_(std::move(table_rows)),
        max_((static_cast<Index>(table_rows_.size()) - 1) / 2),
        strip_(Tensor::uninitialized({table.shape()[1], 2 * max_ + 1})),
        name_(std::move(name)) {
    for (Index h = 0; h < table.shape()[1]; ++h) {
      for (Index r = 0; r <= 2 * max_; ++r)
        strip_(h, r) = table(table_rows_[static_cast<std::size_t>(r)], h);
    }
  }

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

  Shape data_shape() const override { return data_shape_; }
  Index heads() const override { return data_shape_[1]; }
  void add_position_gradient(Index last, Index count, const float* sums, double* column) const override {
    for (Index u = 0; u < count; ++u) {
      const Index r = std::clamp(last - u, -max_, max_) + max_;
      column[table_rows_[static_cast<std::size_t>(r)]] += static_cast<double>(sums[u]);
    }
  }

 private:
  Shape data_shape_;
  std::vector<Index> table_rows_;
  Index max_;
  Tensor strip_;  // [H, 2·max+1]; H = 1 serves every head
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

  Shape data_shape() const override { return {heads()}; }
  Index heads() const override { return static_cast<Index>(slopes_.size()); }
  void add_position_gradient(Index last, Index count, const float* sums, double* column) const override {
    for (Index u = 0; u < count; ++u) {
      *column -= static_cast<double>(sums[u]) * static_cast<double>(std::abs(last - u));
    }
  }

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

  Shape data_shape() const override { return values_.shape(); }
  Index heads() const override { return shape_.heads(); }
  bool depends_on_key() const override { return shape_.keys() != 1; }
  void add_tile_gradient(const Row& first, Index rows, Index key_begin, Index key_end, const float* tile,
                         Index stride, float* gradient) const override {
    if (shape_.queries() == 1 && shape_.keys() != 1) {  // one value per key: columns are contiguous
      for (Index key = key_begin; key < key_end; ++key, tile += stride) {
        double sum = 0;
        for (Index r = 0; r < rows; ++r) sum += static_cast<double>(tile[r]);
        gradient[shape_.row_begin(first) + key] += static_cast<float>(sum);
      }
      return;
    }
    double all = 0;  // for one value in all
    Row row = first;
    for (Index r = 0; r < rows; ++r, ++row.query) {
      float* to = gradient + shape_.row_begin(row);
      double sum = 0;
      for (Index key = key_begin; key < key_end; ++key) {
        const float value = tile[(key - key_begin) * stride + r];
        if (shape_.keys() != 1) to[key] += value;
        sum += static_cast<double>(value);
      }
      if (shape_.keys() == 1 && shape_.queries() != 1) *to += static_cast<float>(sum);
      all += sum;
    }
    if (shape_.keys() == 1 && shape_.queries() == 1) {
      gradient[shape_.row_begin(first)] += static_cast<float>(all);
    }
  }

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

// The table rows of the relative positions −max .. max.
template <typename RowOf>
std::vector<Index> rows_of_positions(Index max, const RowOf& row_of) {
  std::vector<Index> rows;
  for (Index r = -max; r <= max; ++r) rows.push_back(row_of(r));
  return rows;
}

}  // namespace

Bias Bias::relative(ConstView table) {
  check_table("relative", table);
  const Index rows = table.shape()[0];
  if (rows % 2 == 0) fail("[bias] relative has a table of {} rows, expected an odd number, 2·max+1", rows);
  const Index max = (rows - 1) / 2;
  return Bias(std::make_shared<StripBias>(table, rows_of_positions(max, [max](Index r) { return r + max; }),
                                          fmt::format("relative, max {}", max)));
}

Bias Bias::t5(ConstView table, Index buckets, Index max_distance, bool bidirectional) {
  check_table("T5", table);
  const T5Buckets to_bucket(buckets, max_distance, bidirectional);
  if (table.shape()[0] != buckets) {
    fail("[bias] T5 has a table of {} rows, expected one per bucket, {}", table.shape()[0], buckets);
  }
  // Beyond max_distance every position is in the last bucket of its side.
  return Bias(
      std::make_shared<StripBias>(table, rows_of_positions(max_distance, to_bucket),
                                  fmt::format("T5, {} buckets to distance {}{}", buckets, max_distance,
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
