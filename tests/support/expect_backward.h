// Compares attention_backward with the double reference, within tolerances derived from the inputs.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "reference/attention_backward.h"
#include "support/expect_attention.h"
#include "support/instruction_sets.h"

namespace fovea::testing {

// Which value of the bias's data stands behind the score (batch, head, query, key), and the score's
// derivative by it. Written without BiasNode, which computes the gradient to be judged.
using BiasCells = std::function<std::pair<Index, double>(Index b, Index h, Index i, Index j)>;

inline double finite_or_zero(double x) { return std::isfinite(x) ? x : 0; }

// Bounds of the errors of one call, gradient by gradient; sums of absolute values of everything that was
// added.
class BackwardTolerance {
 public:
  BackwardTolerance(const reference::DoubleArray& q, const reference::DoubleArray& k,
                    const reference::DoubleArray& v, const reference::DoubleArray& doutput,
                    const AttentionOptions& options, const reference::AttentionGradients& want)
      : dq(q.shape), dk(k.shape), dv(v.shape), dscores(want.dscores.shape), want_(want) {
    AttentionOptions plain = options;
    plain.dropout = 0;
    const reference::AttentionResult before = reference::attention(q, k, v, plain);
    const reference::AttentionResult after = reference::attention(q, k, v, options);
    const bool has_heads = q.shape.rank() >= 4;
    const Index heads = has_heads ? q.shape.back(2) : 1, key_heads = has_heads ? k.shape.back(2) : 1;
    const Index n = q.shape.back(1), m = k.shape.back(1);
    for (Index row = 0; row < before.logsumexp.shape.elements(); ++row) {
      const Index head = row / n;
      const Index first_key = (head / heads * key_heads + head % heads / (heads / key_heads)) * m;
      const double sum_error = kEpsilon * (8 + 4 * std::sqrt(static_cast<double>(n * (heads / key_heads))));
      add_row(q, k, v, doutput, options, before, after, row, first_key, sum_error);
    }
  }

  reference::DoubleArray dq, dk, dv, dscores;

 private:
  static double magnitude(const double* a, const double* b, Index count) {
    double sum = 0;
    for (Index c = 0; c < count; ++c) sum += std::abs(finite_or_zero(a[c] * b[c]));
    return sum;
  }

  void add_row(const reference::DoubleArray& q, const reference::DoubleArray& k,
               const reference::DoubleArray& v, const reference::DoubleArray& doutput,
               const AttentionOptions& options, const reference::AttentionResult& before,
               const reference::AttentionResult& after, Index row, Index first_key, double sum_error) {
    const Index m = k.shape.back(1), d = q.shape.back(), value_width = v.shape.back();
    const double scale = options.scale ? static_cast<double>(*options.scale)
                                       : 1 / std::sqrt(static_cast<double>(std::max<Index>(d, 1)));
    const double lse = finite_or_zero(before.logsumexp.values[static_cast<std::size_t>(row)]);
    const double most = 1 / (1 - static_cast<double>(options.dropout));
    const double m_error = kEpsilon * (8 + 4 * std::sqrt(static_cast<double>(m)));
    double error = 0;  // of the row's scores
    for (Index j = 0; j < m; ++j) {
      error = std::max(error, score_error(q.row(row), k.row(first_key + j), d, scale, lse));
    }
    const double factor = std::expm1(std::min(2 * error, 700.0)) + 16 * kEpsilon;
    const auto weight_error = [&](double weight) {
      return std::min(most, std::abs(finite_or_zero(weight)) * factor + 4e-38);
    };
    // delta = doutput · output, with the error of the output.
    double delta = 0, delta_error = 0;
    for (Index c = 0; c < value_width; ++c) {
      double output_error = 0, output = 0;
      for (Index j = 0; j < m; ++j) {
        const double value = std::abs(finite_or_zero(v.row(first_key + j)[c]));
        const double weight = std::abs(finite_or_zero(after.weights.row(row)[j]));
        output += weight * value;
        output_error += (weight_error(weight) + weight * m_error) * value;
      }
      const double gradient = std::abs(finite_or_zero(doutput.row(row)[c]));
      delta += gradient * output;
      delta_error += gradient * (output_error + 4 * kEpsilon * output);
    }
    const double cap_error =
        options.softcap > 0 ? 2 * error / static_cast<double>(options.softcap) + 16 * kEpsilon : 0;
    for (Index j = 0; j < m; ++j) {
      const double p = std::abs(finite_or_zero(before.weights.row(row)[j]));
      const double w = std::abs(finite_or_zero(after.weights.row(row)[j]));
      const double dp = most * magnitude(doutput.row(row), v.row(first_key + j), value_width);
      const double dp_error = kEpsilon * (std::sqrt(static_cast<double>(value_width)) + 8) * dp;
      const double dscore = std::abs(finite_or_zero(want_.dscores.row(row)[j]));
      const double dscore_error = weight_error(p) * (dp + delta) + p * (dp_error + delta_error) +
                                  4 * kEpsilon * p * (dp + delta) + 1e-37;
      dscores.row(row)[j] = dscore_error + dscore * (m_error + sum_error);
      const double dproduct_error = dscore_error + dscore * cap_error;
      for (Index c = 0; c < d; ++c) {
        const double key = std::abs(finite_or_zero(k.row(first_key + j)[c] * scale));
        const double query = std::abs(finite_or_zero(q.row(row)[c] * scale));
        dq.row(row)[c] += (dproduct_error + dscore * m_error) * key + 1e-37;
        dk.row(first_key + j)[c] += (dproduct_error + dscore * sum_error) * query + 1e-37;
      }
      for (Index c = 0; c < value_width; ++c) {
        dv.row(first_key + j)[c] +=
            (weight_error(w) + w * sum_error) * std::abs(finite_or_zero(doutput.row(row)[c])) + 1e-37;
      }
    }
  }

  const reference::AttentionGradients& want_;
};

inline void expect_gradient(const char* name, const Tensor& got, const reference::DoubleArray& want,
                            const reference::DoubleArray& tolerance) {
  ASSERT_EQ(got.shape(), want.shape) << name;
  WorstError worst;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    worst.compare(name, static_cast<Index>(i), static_cast<double>(got.data()[i]), want.values[i],
                  tolerance.values[i]);
  }
  worst.expect_none();
}

// The gradient by the bias's data, and its tolerance, from those by the scores.
inline std::pair<reference::DoubleArray, reference::DoubleArray> bias_gradient(
    const Shape& data_shape, const BiasCells& cells, Index heads, const reference::DoubleArray& dscores,
    const reference::DoubleArray& tolerance) {
  std::pair<reference::DoubleArray, reference::DoubleArray> result;
  result.first = result.second = reference::DoubleArray(data_shape);
  const Index n = dscores.shape.back(1), m = dscores.shape.back();
  for (Index cell = 0; cell < dscores.shape.elements(); ++cell) {
    const Index head = cell / m / n;
    const auto [index, factor] = cells(head / heads, head % heads, cell / m % n, cell % m);
    const auto at = static_cast<std::size_t>(index), from = static_cast<std::size_t>(cell);
    result.first.values[at] += factor * dscores.values[from];
    result.second.values[at] += std::abs(factor) * tolerance.values[from];
  }
  return result;
}

// Gradients of the call that is judged, another way than by attention_backward().
using GradientsOf = std::function<AttentionGradients(const AttentionOptions&)>;

// Runs forward and backward (or `run`) on every instruction set and compares all gradients with the
// reference, which is computed once; `cells` for a call with a bias.
inline void expect_backward(ConstView q, ConstView k, ConstView v, ConstView doutput,
                            AttentionOptions options = {}, const BiasCells& cells = {},
                            const GradientsOf& run = {}) {
  options.logsumexp = true;
  const reference::DoubleArray double_q(q), double_k(k), double_v(v), double_doutput(doutput);
  const auto want = reference::attention_backward(double_q, double_k, double_v, double_doutput, options);
  const BackwardTolerance tolerance(double_q, double_k, double_v, double_doutput, options, want);
  const Index heads = q.shape().rank() >= 4 ? q.shape().back(2) : 1;
  on_every_instruction_set([&] {
    const AttentionGradients got =
        run ? run(options) : attention_backward(q, k, v, attention(q, k, v, options), doutput, options);
    expect_gradient("dq", got.dq, want.dq, tolerance.dq);
    expect_gradient("dk", got.dk, want.dk, tolerance.dk);
    expect_gradient("dv", got.dv, want.dv, tolerance.dv);
    EXPECT_EQ(got.dbias.empty(), options.bias.is_none());
    if (options.bias.is_none()) return;
    const auto [dbias, dbias_tolerance] =
        bias_gradient(got.dbias.shape(), cells, heads, want.dscores, tolerance.dscores);
    expect_gradient("dbias", got.dbias, dbias, dbias_tolerance);
  });
}

}  // namespace fovea::testing
