// Compares attention_statistics with the double reference, within tolerances derived from the inputs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "fovea/attention_statistics.h"
#include "mask/intervals.h"
#include "mask/mask_node.h"
#include "reference/attention_statistics.h"
#include "support/expect_attention.h"

namespace fovea::testing {

// The reference of one call and how far each weight may be from it.
class StatisticsJudge {
 public:
  StatisticsJudge(ConstView q, ConstView k, const AttentionOptions& options, Index thumbnail)
      : want(reference::attention_statistics(q, k, options, thumbnail)),
        heads(want.weights.shape[0]),
        n(want.weights.shape[1]),
        m(want.weights.shape[2]),
        options_(options) {
    const reference::DoubleArray dq(q), dk(k);
    const Index d = q.shape().back();
    const int rank = q.shape().rank();
    const Index all = rank >= 4 ? q.shape().back(2) : 1, key_heads = rank >= 4 ? k.shape().back(2) : 1;
    heads_per_batch_ = all;
    const double scale =
        options.scale ? static_cast<double>(*options.scale) : 1 / std::sqrt(static_cast<double>(d));
    for (Index row = 0; row < heads * n; ++row) {
      const Index head = row / n, key_head = head / all * key_heads + head % all / (all / key_heads);
      const double lse = want.logsumexp[static_cast<std::size_t>(row)];
      double error = 0;
      for (Index j = 0; j < m; ++j) {
        error = std::max(error, score_error(dq.row(row), dk.row(key_head * m + j), d, scale,
                                            std::isfinite(lse) ? lse : 0));
      }
      score_error_.push_back(error);
      for (Index j = 0; j < m; ++j)
        tolerance_.push_back(std::min(1.0, weight(row, j) * factor(row) + 2e-38));
    }
  }

  double weight(Index row, Index j) const {
    return want.weights.values[static_cast<std::size_t>(row * m + j)];
  }
  // Of the weight, from the errors of its own score and of the row's sum.
  double tolerance(Index row, Index j) const { return tolerance_[static_cast<std::size_t>(row * m + j)]; }
  double lse_tolerance(Index row) const {
    const double lse = want.logsumexp[static_cast<std::size_t>(row)];
    return 2 * score_error_[static_cast<std::size_t>(row)] +
           kEpsilon * (4 + 2 * std::abs(std::isfinite(lse) ? lse : 0));
  }
  double factor(Index row) const {
    return std::expm1(std::min(2 * score_error_[static_cast<std::size_t>(row)], 700.0)) +
           kEpsilon * (12 + std::sqrt(static_cast<double>(m)));
  }
  // Of a sum of weights over `pairs` that sums to `value`, from those of the weights and of adding.
  static double sum_tolerance(double weights_tolerance, double value, Index pairs) {
    const double size = std::isnan(value) ? 0 : std::abs(value);
    return weights_tolerance + 4 * kEpsilon * std::sqrt(static_cast<double>(pairs)) * size + 1e-36;
  }

  void expect_rows(const AttentionStatistics& got) const;
  void expect_top(const AttentionStatistics& got, Index k) const;
  void expect_keys(const AttentionStatistics& got) const;
  void expect_picture(const AttentionStatistics& got, Index size) const;
  void expect_means(const AttentionStatistics& got) const;
  void expect_crop(ConstView q, ConstView k, const Crop& crop) const;

  const reference::AttentionStatistics want;
  const Index heads, n, m;

 private:
  AttentionOptions options_;
  Index heads_per_batch_ = 1;
  std::vector<double> score_error_, tolerance_;
};

inline void StatisticsJudge::expect_rows(const AttentionStatistics& got) const {
  WorstError worst;
  for (Index row = 0; row < heads * n; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const auto compare = [&](const char* what, const Tensor& x, double truth, double tolerance) {
      worst.compare(what, row, static_cast<double>(x.data()[row]), truth, tolerance);
    };
    double entropy = 0, distance = 0, largest = 0;
    const Index own = row % n + m - n;
    for (Index j = 0; j < m; ++j) {
      const double w = weight(row, j), t = tolerance(row, j);
      entropy += t * ((w > 0 ? std::abs(std::log(w)) : 0) + 1);
      distance += t * std::abs(static_cast<double>(j - own));
      largest = std::max(largest, t);
    }
    compare("logsumexp", got.logsumexp, want.logsumexp[at], lse_tolerance(row));
    compare("entropy", got.entropy, want.entropy[at],
            std::min(10.0, sum_tolerance(entropy, want.entropy[at] + 1, m)));
    compare("maximum", got.maximum, want.maximum[at], largest + kEpsilon);
    compare("diagonal", got.diagonal, want.diagonal[at], own >= 0 && own < m ? tolerance(row, own) : 0);
    compare("distance", got.distance, want.distance[at], sum_tolerance(distance, want.distance[at], m));
    EXPECT_EQ(got.visible.data()[row], want.visible[at]) << "row " << row;
    // Near ties may be told in another order; only the weight at the position counts then.
    const Index position = got.position.data()[row];
    ASSERT_EQ(position < 0, want.position[at] < 0) << "row " << row;
    ASSERT_LT(position, m);
    if (position >= 0) {
      EXPECT_GE(weight(row, position), want.maximum[at] - 2 * largest) << "row " << row;
    }
  }
  worst.expect_none();
}

inline void StatisticsJudge::expect_top(const AttentionStatistics& got, Index k) const {
  ASSERT_EQ(got.top_weights.shape().back(), std::min(k, m));
  k = std::min(k, m);
  WorstError worst;
  for (Index row = 0; row < heads * n; ++row) {
    std::vector<double> sorted;
    double largest = 0;
    for (Index j = 0; j < m; ++j) {
      sorted.push_back(weight(row, j));
      largest = std::max(largest, tolerance(row, j));
    }
    if (std::isnan(want.maximum[static_cast<std::size_t>(row)])) continue;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    Intervals visible;
    if (m > 0) visible.push_back({0, m});
    if (!options_.mask.is_none()) {
      const Index head = row / n;
      options_.mask.node()->visible_keys({head / heads_per_batch_, head % heads_per_batch_, row % n, n, m},
                                         visible);
    }
    std::set<Index> seen;
    for (Index i = 0; i < k; ++i) {
      const float w = got.top_weights.data()[row * k + i];
      const Index key = got.top_keys.data()[row * k + i];
      worst.compare("top", row * k + i, static_cast<double>(w), sorted[static_cast<std::size_t>(i)],
                    largest);
      if (i > 0) {
        EXPECT_GE(got.top_weights.data()[row * k + i - 1], w);
      }
      if (key < 0) {
        EXPECT_EQ(w, 0.0f);
        EXPECT_EQ(sorted[static_cast<std::size_t>(i)], 0.0);
        continue;
      }
      worst.compare("weight of top key", row * k + i, static_cast<double>(w), weight(row, key),
                    tolerance(row, key) + kEpsilon * weight(row, key));
      EXPECT_TRUE(seen.insert(key).second) << "key " << key << " twice in row " << row;
      EXPECT_EQ(count_keys(visible, {key, key + 1}), 1) << "hidden key " << key << " in row " << row;
    }
  }
  worst.expect_none();
}

inline void StatisticsJudge::expect_keys(const AttentionStatistics& got) const {
  WorstError worst;
  for (Index at = 0; at < heads * m; ++at) {
    double tolerances = 0;
    for (Index i = 0; i < n; ++i) tolerances += tolerance(at / m * n + i, at % m);
    const double truth = want.received[static_cast<std::size_t>(at)];
    worst.compare("received", at, static_cast<double>(got.received.data()[at]), truth,
                  sum_tolerance(tolerances, truth, n));
  }
  worst.expect_none();
}

inline void StatisticsJudge::expect_picture(const AttentionStatistics& got, Index size) const {
  const Index rows = std::min(size, n), columns = std::min(size, m);
  ASSERT_EQ(got.thumbnail.shape().back(1), rows);
  ASSERT_EQ(got.thumbnail.shape().back(), columns);
  std::vector<double> sum(want.thumbnail.size()), max(sum.size()), count(sum.size());
  for (Index row = 0; row < heads * n; ++row) {
    for (Index j = 0; j < m; ++j) {
      const auto cell =
          static_cast<std::size_t>((row / n * rows + row % n * rows / n) * columns + j * columns / m);
      sum[cell] += tolerance(row, j);
      max[cell] = std::max(max[cell], tolerance(row, j));
      count[cell] += 1;
    }
  }
  WorstError worst;
  for (std::size_t cell = 0; cell < sum.size(); ++cell) {
    const auto at = static_cast<Index>(cell);
    worst.compare(
        "thumbnail", at, static_cast<double>(got.thumbnail.data()[at]), want.thumbnail[cell],
        sum_tolerance(sum[cell] / count[cell], want.thumbnail[cell], static_cast<Index>(count[cell])));
    worst.compare("thumbnail_max", at, static_cast<double>(got.thumbnail_max.data()[at]),
                  want.thumbnail_max[cell], max[cell]);
  }
  worst.expect_none();
}

// The rows were judged; the means must be theirs.
inline void StatisticsJudge::expect_means(const AttentionStatistics& got) const {
  for (Index h = 0; h < heads; ++h) {
    const Index seeing = want.rows_seeing[static_cast<std::size_t>(h)];
    EXPECT_EQ(got.means.rows_seeing.data()[h], seeing);
    const auto compare = [&](const char* what, const Tensor& mean, const auto& of_row) {
      double sum = 0;
      for (Index row = h * n; row < (h + 1) * n; ++row) {
        if (got.maximum.data()[row] != 0) sum += static_cast<double>(of_row.data()[row]);
      }
      const double truth = sum / static_cast<double>(std::max<Index>(1, seeing));
      WorstError worst;
      worst.compare(what, h, static_cast<double>(mean.data()[h]), truth,
                    std::isnan(truth) ? 0 : 2 * kEpsilon * std::abs(truth));
      worst.expect_none();
    };
    compare("mean entropy", got.means.entropy, got.entropy);
    compare("mean maximum", got.means.maximum, got.maximum);
    compare("mean diagonal", got.means.diagonal, got.diagonal);
    compare("mean distance", got.means.distance, got.distance);
    compare("mean visible", got.means.visible, got.visible);
  }
}

inline void StatisticsJudge::expect_crop(ConstView q, ConstView k, const Crop& crop) const {
  const Index rows = crop.row_end - crop.row_begin, keys = crop.key_end - crop.key_begin;
  const Tensor got = attention_crop(q, k, options_, crop);
  ASSERT_EQ(got.shape().back(1), rows);
  ASSERT_EQ(got.shape().back(), keys);
  ASSERT_EQ(got.shape().elements(), heads * rows * keys);
  WorstError worst;
  for (Index at = 0; at < heads * rows * keys; ++at) {
    const Index row = at / keys / rows * n + crop.row_begin + at / keys % rows,
                j = crop.key_begin + at % keys;
    worst.compare("crop", at, static_cast<double>(got.data()[at]), weight(row, j), tolerance(row, j));
  }
  worst.expect_none();
}

// All but crops, for statistics computed another way than by attention_statistics().
inline void compare_statistics(const AttentionStatistics& got, const StatisticsJudge& judge,
                               const StatisticsOptions& wanted) {
  ASSERT_EQ(got.entropy.shape().elements(), judge.heads * judge.n);
  ASSERT_EQ(got.received.shape().elements(), judge.heads * judge.m);
  judge.expect_rows(got);
  judge.expect_top(got, wanted.top_k);
  judge.expect_keys(got);
  judge.expect_picture(got, wanted.thumbnail);
  judge.expect_means(got);
}

inline void expect_statistics(ConstView q, ConstView k, const AttentionOptions& options = {},
                              const StatisticsOptions& wanted = {.thumbnail = 7, .top_k = 3}) {
  const StatisticsJudge judge(q, k, options, wanted.thumbnail);
  const AttentionStatistics got = attention_statistics(q, k, options, wanted);
  compare_statistics(got, judge, wanted);
  const Index n = judge.n, m = judge.m;
  judge.expect_crop(q, k, {0, n, 0, m});
  judge.expect_crop(q, k, {n / 3, n - n / 4, m / 2, m - m / 5});
}

}  // namespace fovea::testing
