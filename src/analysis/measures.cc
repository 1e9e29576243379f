#include "fovea/measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/fail.h"
#include "mask/intervals.h"
#include "mask/mask_node.h"

namespace fovea {
namespace {

// [N, M] and [H, N, M] seen as [B, H, N, M].
ConstView as_rank_4(ConstView weights) {
  const int rank = weights.shape().rank();
  if (rank < 2 || rank > 4) {
    fail("[measures] weights are {}, expected [N, M], [H, N, M] or [B, H, N, M]",
         weights.shape().to_string());
  }
  for (int i = rank; i < 4; ++i) weights = weights.insert_axis(0);
  return weights;
}

// The place in the caller's own indices: [0, 2, 1].
std::string place(int rank, Index b, Index h, Index i, Index j) {
  const Index all[] = {b, h, i, j};
  std::string text;
  for (int axis = 4 - rank; axis < 4; ++axis)
    text += (text.empty() ? "" : ", ") + std::to_string(all[axis]);
  return "[" + text + "]";
}

// Sums further from 1 than this are told; float16 weights come as near as that.
constexpr double kSumTolerance = 1e-3;

// Measures of one head, row by row.
class Accumulator {
 public:
  Accumulator(Index n, Index m) : offset_(m - n) {
    measures_.received.assign(static_cast<std::size_t>(m), 0.0);
    measures_.entropy.reserve(static_cast<std::size_t>(n));
  }

  // The next row of weights, of which `visible` keys may be seen.
  void add_row(const std::vector<double>& row, Index visible) {
    const auto i = static_cast<Index>(measures_.entropy.size());
    double entropy = 0, sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] > 0) entropy -= row[j] * std::log(row[j]);
      sum += row[j];
      measures_.received[j] += row[j];
    }
    const Index own = i + offset_;
    const bool has_own = own >= 0 && own < static_cast<Index>(row.size());
    const double diagonal = has_own ? row[static_cast<std::size_t>(own)] : 0;
    entropy += 0.0;  // −1·ln 1 is −0
    const double normalised = visible > 1 ? entropy / std::log(static_cast<double>(visible)) : 0;
    measures_.entropy.push_back(entropy);
    measures_.normalised_entropy.push_back(normalised);
    measures_.outgoing.push_back(sum);
    measures_.diagonal.push_back(diagonal);
    if (visible == 0 || sum == 0) return;
    ++measures_.rows_seeing;
    measures_.mean_entropy += entropy;
    measures_.mean_diagonal += diagonal;
    if (visible < 2) return;
    ++rows_choosing_;
    measures_.mean_normalised_entropy += normalised;
  }

  HeadMeasures finish() {
    const auto seeing = static_cast<double>(std::max<Index>(1, measures_.rows_seeing));
    measures_.mean_entropy /= seeing;
    measures_.mean_diagonal /= seeing;
    measures_.mean_normalised_entropy /= static_cast<double>(std::max<Index>(1, rows_choosing_));
    return std::move(measures_);
  }

 private:
  HeadMeasures measures_;
  Index offset_;             // query i stands at key i + M − N
  Index rows_choosing_ = 0;  // rows that see two keys or more
};

// Which keys a row of each head sees, and how many any head sees.
class Visibility {
 public:
  Visibility(const Mask& mask, Index batch, Index heads, Index n, Index m)
      : node_(mask.node()), n_(n), m_(m), any_head_(m), keys_(static_cast<std::size_t>(heads)) {
    for (Intervals& keys : keys_) append(keys, {0, m});
    if (node_ != nullptr) node_->check({batch, batch, heads, n, m});
  }

  void set_row(Index b, Index i) {
    if (node_ == nullptr) return;
    Intervals all, united;
    for (std::size_t h = 0; h < keys_.size(); ++h) {
      node_->visible_keys({b, static_cast<Index>(h), i, n_, m_}, keys_[h]);
      unite(all, keys_[h], united);
      all.swap(united);
    }
    any_head_ = count_keys(all);
  }
  Index of_head(Index h) const { return count_keys(keys_[static_cast<std::size_t>(h)]); }
  Index any_head() const { return any_head_; }

  // The first key with a weight that head h must not see; −1 if there is none.
  Index hidden_with_weight(Index h, const std::vector<double>& row) const {
    Index key = 0;
    const auto find_before = [&](Index end) {
      while (key < end && !(row[static_cast<std::size_t>(key)] > 0)) ++key;
      return key < end;
    };
    for (const Interval& visible : keys_[static_cast<std::size_t>(h)]) {
      if (find_before(visible.begin)) return key;
      key = visible.end;
    }
    return find_before(m_) ? key : -1;
  }

 private:
  const MaskNode* node_;
  Index n_, m_;
  Index any_head_;
  std::vector<Intervals> keys_;  // per head
};

// Copies row i into `row`. Throws Error for a weight that is none.
void read_row(ConstView w, int rank, Index b, Index h, Index i, std::vector<double>& row) {
  for (Index j = 0; j < static_cast<Index>(row.size()); ++j) {
    const float weight = w(b, h, i, j);
    if (!(weight >= 0) || std::isinf(weight)) {
      fail("[measures] weights{} is {}, expected a finite number ≥ 0", place(rank, b, h, i, j), weight);
    }
    row[static_cast<std::size_t>(j)] = static_cast<double>(weight);
  }
}

void check_hidden(const Visibility& visibility, int rank, Index b, Index h, Index i,
                  const std::vector<double>& row) {
  const Index key = visibility.hidden_with_weight(h, row);
  if (key < 0) return;
  std::string where = rank > 3 ? fmt::format("batch {}, ", b) : "";
  if (rank > 2) where += fmt::format("head {}: ", h);
  fail("[measures] {}key {} is hidden from row {} by the mask, its weight is {}", where, key, i,
       static_cast<float>(row[static_cast<std::size_t>(key)]));
}

// Takes note of a row whose weights do not sum to 1. A row without any weight sees nothing, unless a mask
// says that it does.
void note_sum(double sum, Index visible, AttentionMeasures& result) {
  if (std::abs(sum - 1) <= kSumTolerance || visible == 0 || (sum == 0 && !result.masked)) return;
  const bool first = result.rows_not_one++ == 0;
  result.lowest_sum = first ? sum : std::min(result.lowest_sum, sum);
  result.highest_sum = first ? sum : std::max(result.highest_sum, sum);
}

}  // namespace

AttentionMeasures measure_attention(ConstView weights, const Mask& mask) {
  const int rank = weights.shape().rank();
  const ConstView w = as_rank_4(weights);
  const Index batch = w.shape()[0], heads = w.shape()[1], n = w.shape()[2], m = w.shape()[3];
  AttentionMeasures result;
  result.shape = weights.shape();
  result.masked = !mask.is_none();
  Visibility visibility(mask, batch, heads, n, m);
  std::vector<double> row(static_cast<std::size_t>(m)), mean_row(row.size());
  for (Index b = 0; b < batch; ++b) {
    std::vector<Accumulator> each(static_cast<std::size_t>(heads), Accumulator(n, m));
    Accumulator mean(n, m);
    for (Index i = 0; i < n; ++i) {
      visibility.set_row(b, i);
      std::fill(mean_row.begin(), mean_row.end(), 0.0);
      for (Index h = 0; h < heads; ++h) {
        read_row(w, rank, b, h, i, row);
        check_hidden(visibility, rank, b, h, i, row);
        note_sum(std::accumulate(row.begin(), row.end(), 0.0), visibility.of_head(h), result);
        for (std::size_t j = 0; j < row.size(); ++j) mean_row[j] += row[j] / static_cast<double>(heads);
        each[static_cast<std::size_t>(h)].add_row(row, visibility.of_head(h));
      }
      mean.add_row(mean_row, visibility.any_head());
    }
    result.heads.emplace_back();
    for (Accumulator& head : each) result.heads.back().push_back(head.finish());
    result.head_mean.push_back(mean.finish());
  }
  return result;
}

}  // namespace fovea
