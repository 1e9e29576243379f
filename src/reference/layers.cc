#include "reference/layers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/dropout.h"
#include "reference/attention.h"
#include "reference/extents.h"

namespace fovea::reference {
namespace {

double activation_of(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
    case Activation::gelu_tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  return 0;
}

Index row_count(const DoubleArray& x) { return x.shape.elements() / x.shape.back(); }

// [B, N, heads · width] → [B, heads, N, width].
DoubleArray split_heads(const DoubleArray& x, Index heads) {
  const Index batch = x.shape[0], n = x.shape[1], width = x.shape[2] / heads;
  DoubleArray out({batch, heads, n, width});
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < n; ++i) {
        std::copy_n(x.row(b * n + i) + h * width, width, out.row((b * heads + h) * n + i));
      }
    }
  }
  return out;
}

DoubleArray concat_heads(const DoubleArray& x) {
  const Index batch = x.shape[0], heads = x.shape[1], n = x.shape[2], width = x.shape[3];
  DoubleArray out({batch, n, heads * width});
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < n; ++i) {
        std::copy_n(x.row((b * heads + h) * n + i), width, out.row(b * n + i) + h * width);
      }
    }
  }
  return out;
}

// Rows [begin, begin + count) of a matrix or vector; empty stays empty.
DoubleArray rows_between(const DoubleArray& x, Index begin, Index count) {
  if (x.shape.rank() == 0) return x;
  const Index width = x.shape.rank() == 1 ? 1 : x.shape[1];
  const auto first = x.values.begin() + begin * width;
  return {x.shape.rank() == 1 ? Shape{count} : Shape{count, width}, {first, first + count * width}};
}

}  // namespace

DoubleArray linear(const DoubleArray& x, const DoubleArray& w, const DoubleArray& b) {
  DoubleArray y(shape_with_last(x.shape, w.shape[0]));
  for (Index row = 0; row < row_count(x); ++row) {
    for (Index f = 0; f < w.shape[0]; ++f) {
      double sum = b.shape.rank() == 0 ? 0 : b.values[static_cast<std::size_t>(f)];
      for (Index e = 0; e < w.shape[1]; ++e) sum += x.row(row)[e] * w.row(f)[e];
      y.row(row)[f] = sum;
    }
  }
  return y;
}

DoubleArray layer_norm(const DoubleArray& x, const DoubleArray& w, const DoubleArray& b, double epsilon) {
  DoubleArray y(x.shape);
  const Index width = x.shape.back();
  for (Index row = 0; row < row_count(x); ++row) {
    double mean = 0, variance = 0;
    for (Index i = 0; i < width; ++i) mean += x.row(row)[i] / static_cast<double>(width);
    for (Index i = 0; i < width; ++i) {
      variance += (x.row(row)[i] - mean) * (x.row(row)[i] - mean) / static_cast<double>(width);
    }
    for (Index i = 0; i < width; ++i) {
      const auto at = static_cast<std::size_t>(i);
      y.row(row)[i] = (x.row(row)[i] - mean) / std::sqrt(variance + epsilon) * w.values[at] + b.values[at];
    }
  }
  return y;
}

DoubleArray rms_norm(const DoubleArray& x, const DoubleArray& w, double epsilon) {
  DoubleArray y(x.shape);
  const Index width = x.shape.back();
  for (Index row = 0; row < row_count(x); ++row) {
    double squares = 0;
    for (Index i = 0; i < width; ++i) squares += x.row(row)[i] * x.row(row)[i] / static_cast<double>(width);
    for (Index i = 0; i < width; ++i) {
      y.row(row)[i] = x.row(row)[i] / std::sqrt(squares + epsilon) * w.values[static_cast<std::size_t>(i)];
    }
  }
  return y;
}

DoubleArray activate(Activation activation, const DoubleArray& x) {
  DoubleArray y = x;
  for (double& value : y.values) value = activation_of(activation, value);
  return y;
}

DoubleArray activate_gated(Activation activation, const DoubleArray& x) {
  const Index width = x.shape[1] / 2;
  DoubleArray y({x.shape[0], width});
  for (Index row = 0; row < x.shape[0]; ++row) {
    for (Index i = 0; i < width; ++i) {
      y.row(row)[i] = activation_of(activation, x.row(row)[i]) * x.row(row)[width + i];
    }
  }
  return y;
}

DoubleArray dropout(const DoubleArray& x, float p, std::uint64_t seed) {
  DoubleArray y = x;
  for (Index row = 0; row < x.shape[0]; ++row) {
    const DropoutRow keys = dropout_row(seed, 0, row);
    for (Index i = 0; i < x.shape[1]; ++i) {
      const bool kept = dropout_bits(keys, i) >= dropout_threshold(p);
      y.row(row)[i] = kept ? x.row(row)[i] / (1 - static_cast<double>(p)) : 0;
    }
  }
  return y;
}

DoubleArray rotate(const DoubleArray& x, const std::vector<double>& frequencies) {
  DoubleArray y(x.shape);
  const Index tokens = x.shape[1], heads = x.shape[2], half = x.shape[3] / 2;
  for (Index row = 0; row < row_count(x); ++row) {
    const auto n = static_cast<double>(row / heads % tokens);
    for (Index i = 0; i < half; ++i) {
      const double angle = n * frequencies[static_cast<std::size_t>(i)];
      const double a = x.row(row)[i], b = x.row(row)[i + half];
      y.row(row)[i] = a * std::cos(angle) - b * std::sin(angle);
      y.row(row)[i + half] = b * std::cos(angle) + a * std::sin(angle);
    }
  }
  return y;
}

double cross_entropy(const DoubleArray& logits, const std::vector<Index>& targets, double smoothing) {
  const Index classes = logits.shape[1];
  double loss = 0;
  for (Index row = 0; row < logits.shape[0]; ++row) {
    const double* x = logits.row(row);
    const double max = *std::max_element(x, x + classes);
    double sum = 0, mean = 0;
    for (Index i = 0; i < classes; ++i) sum += std::exp(x[i] - max);
    const double logsumexp = max + std::log(sum);
    for (Index i = 0; i < classes; ++i) mean += (logsumexp - x[i]) / static_cast<double>(classes);
    loss += (1 - smoothing) * (logsumexp - x[targets[static_cast<std::size_t>(row)]]) + smoothing * mean;
  }
  return loss;
}

DoubleArray multi_head(const MultiHeadProblem& p) {
  const Index q_rows = p.heads * p.d_k, k_rows = p.kv_heads * p.d_k, v_rows = p.kv_heads * p.d_v;
  const auto project = [&](const DoubleArray& x, Index begin, Index count, Index heads) {
    return split_heads(linear(x, rows_between(p.in_w, begin, count), rows_between(p.in_b, begin, count)),
                       heads);
  };
  const DoubleArray q = project(p.query, 0, q_rows, p.heads);
  const DoubleArray k = project(p.key, q_rows, k_rows, p.kv_heads);
  const DoubleArray v = project(p.value, q_rows + k_rows, v_rows, p.kv_heads);
  return linear(concat_heads(attention(q, k, v, p.options).output), p.out_w, p.out_b);
}

void adamw(const AdamWProblem& p, const DoubleArray& gradient, DoubleArray& parameters, DoubleArray& first,
           DoubleArray& second) {
  const auto step = static_cast<double>(p.step);
  for (std::size_t i = 0; i < gradient.values.size(); ++i) {
    const double g = gradient.values[i];
    double &x = parameters.values[i], &m = first.values[i], &v = second.values[i];
    m = p.beta1 * m + (1 - p.beta1) * g;
    v = p.beta2 * v + (1 - p.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(p.beta1, step)), v_hat = v / (1 - std::pow(p.beta2, step));
    x -= p.rate * p.decay * x + p.rate * m_hat / (std::sqrt(v_hat) + p.epsilon);
  }
}

}  // namespace fovea::reference
