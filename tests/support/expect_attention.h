// Compares attention with the double reference, within tolerances derived from the inputs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "fovea/attention.h"
#include "reference/attention.h"

namespace fovea::testing {

inline constexpr double kEpsilon = 1.0 / (1 << 24);  // half a unit in the last place of 1.0f

// The worst violation of |got − want| ≤ tolerance, as one readable failure.
class WorstError {
 public:
  void compare(const char* what, Index at, double got, double want, double tolerance) {
    const bool both_nan = std::isnan(got) && std::isnan(want);
    const double error = got == want || both_nan ? 0 : std::abs(got - want);
    const double excess = std::isnan(error) ? std::numeric_limits<double>::infinity() : error - tolerance;
    if (excess <= worst_) return;
    worst_ = excess;
    message_ = std::string(what) + "[" + std::to_string(at) + "]: got " + std::to_string(got) + ", want " +
               std::to_string(want) + ", error " + std::to_string(error) + ", tolerance " +
               std::to_string(tolerance);
  }
  void expect_none() const { EXPECT_LE(worst_, 0) << message_; }

 private:
  double worst_ = 0;
  std::string message_;
};

// How far a float32 score may be from the double one: a sum of D products of rounded numbers errs by about
// √D + a few roundings of Σ|q·k|; bias, cap and the fold of log2(e) by a few of the score itself.
inline double score_error(const double* q, const double* k, Index d, double scale, double lse) {
  double magnitude = 0;
  for (Index c = 0; c < d; ++c) magnitude += std::isfinite(q[c] * k[c]) ? std::abs(q[c] * k[c]) : 0;
  return kEpsilon *
         ((std::sqrt(static_cast<double>(d)) + 4) * magnitude * std::abs(scale) + 4 * std::abs(lse) + 8);
}

// Compares output, log-sum-exp and, if they are there, weights with the reference.
inline void compare_attention(const AttentionResult& got, ConstView q, ConstView k, ConstView v,
                              const AttentionOptions& options) {
  const reference::DoubleArray dq(q), dk(k), dv(v);
  const reference::AttentionResult want = reference::attention(dq, dk, dv, options);
  ASSERT_EQ(got.output.shape(), want.output.shape);
  ASSERT_EQ(got.logsumexp.shape(), want.logsumexp.shape);
  const bool has_weights = !got.weights.empty();

  const Index n = q.shape().back(1), m = k.shape().back(1), d = q.shape().back(),
              value_width = v.shape().back();
  const Index heads = q.shape().rank() >= 4 ? q.shape().back(2) : 1,
              key_heads = q.shape().rank() >= 4 ? k.shape().back(2) : 1;
  const double scale =
      options.scale ? static_cast<double>(*options.scale) : 1 / std::sqrt(static_cast<double>(d));
  const Index rows = want.logsumexp.shape.elements();
  WorstError output, weights, logsumexp;
  for (Index row = 0; row < rows; ++row) {
    const Index head = row / n;
    const Index key_head = head / heads * key_heads + head % heads / (heads / key_heads);
    const double lse = want.logsumexp.values[static_cast<std::size_t>(row)];
    double error = 0;
    for (Index j = 0; j < m; ++j) {
      error = std::max(error, score_error(dq.row(row), dk.row(key_head * m + j), d, scale,
                                          std::isfinite(lse) ? lse : 0));
    }
    logsumexp.compare("logsumexp", row, static_cast<double>(got.logsumexp.data()[row]), lse,
                      2 * error + kEpsilon * (4 + 2 * std::abs(std::isfinite(lse) ? lse : 0)));
    // A weight errs by the error of its own score and of the sum; it cannot leave [0, 1 / (1 − p)].
    const double factor =
        std::expm1(std::min(2 * error, 700.0)) + kEpsilon * (8 + std::sqrt(static_cast<double>(m)));
    const double most = 1 / (1 - static_cast<double>(options.dropout));
    for (Index j = 0; has_weights && j < m; ++j) {
      const double weight = want.weights.row(row)[j];
      weights.compare("weights", row * m + j, static_cast<double>(got.weights.data()[row * m + j]), weight,
                      std::min(most, std::abs(weight) * factor + 2e-38));
    }
    for (Index c = 0; c < value_width; ++c) {
      double tolerance = 1e-37;
      for (Index j = 0; j < m; ++j) {
        const double weight = std::abs(want.weights.row(row)[j]);
        const double value = std::abs(dv.row(key_head * m + j)[c]);
        if (weight > 0 && std::isfinite(value)) {
          tolerance +=
              std::min(most, weight * (factor + 4 * kEpsilon * std::sqrt(static_cast<double>(m))) + 2e-38) *
              value;
        }
      }
      output.compare("output", row * value_width + c,
                     static_cast<double>(got.output.data()[row * value_width + c]), want.output.row(row)[c],
                     tolerance);
    }
  }
  output.expect_none();
  weights.expect_none();
  logsumexp.expect_none();
}

// Runs attention with weights and log-sum-exp and compares all three with the reference, then checks that
// the output without weights has the same bits.
inline void expect_attention(ConstView q, ConstView k, ConstView v, AttentionOptions options = {}) {
  options.weights = options.logsumexp = true;
  const AttentionResult got = attention(q, k, v, options);
  ASSERT_EQ(got.weights.shape().back(), k.shape().back(1));
  compare_attention(got, q, k, v, options);

  options.weights = options.logsumexp = false;
  const AttentionResult plain = attention(q, k, v, options);
  EXPECT_TRUE(plain.weights.empty());
  EXPECT_TRUE(plain.logsumexp.empty());
  for (Index i = 0; i < plain.output.shape().elements(); ++i) {
    const float a = plain.output.data()[i], b = got.output.data()[i];
    ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
        << "asking for weights changed output[" << i << "]";
  }
}

}  // namespace fovea::testing
