#include "explain/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename Function>
Matrix each(const Matrix& a, Function function) {
  Matrix result = a;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) result(i, j) = function(i, j);
  }
  return result;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows(), b.columns());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.columns(); ++j) {
      double dot = 0;
      for (Index k = 0; k < a.columns(); ++k) dot += a(i, k) * b(k, j);
      result(i, j) = dot;
    }
  }
  return result;
}

Matrix product_transposed(const Matrix& a, const Matrix& b) { return product(a, b.transposed()); }

Matrix scaled_by(const Matrix& a, double factor) {
  return each(a, [&](Index i, Index j) { return a(i, j) * factor; });
}

Matrix softcapped(const Matrix& a, double cap) {
  return each(a, [&](Index i, Index j) { return cap * std::tanh(a(i, j) / cap); });
}

Matrix sum(const Matrix& a, const Matrix& b) {
  return each(a, [&](Index i, Index j) { return a(i, j) + b(i, j); });
}

Matrix add_mask(const Matrix& scores, const Matrix& mask) {
  return each(scores, [&](Index i, Index j) {
    return mask(i, j) == -kInfinity ? -kInfinity : scores(i, j) + mask(i, j);
  });
}

Matrix row_softmax(const Matrix& scores) {
  Matrix weights(scores.rows(), scores.columns());
  for (Index i = 0; i < scores.rows(); ++i) {
    double maximum = -kInfinity;
    for (Index j = 0; j < scores.columns(); ++j) maximum = std::max(maximum, scores(i, j));
    double total = 0;
    bool sees_something = false;
    for (Index j = 0; j < scores.columns(); ++j) {
      if (scores(i, j) == -kInfinity) continue;
      sees_something = true;
      weights(i, j) = std::exp(scores(i, j) - maximum);
      total += weights(i, j);
    }
    if (!sees_something) continue;
    for (Index j = 0; j < scores.columns(); ++j) weights(i, j) /= total;
  }
  return weights;
}

Matrix mix_values(const Matrix& weights, const Matrix& scores, const Matrix& values) {
  Matrix output(weights.rows(), values.columns());
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index j = 0; j < weights.columns(); ++j) {
      if (scores(i, j) == -kInfinity) continue;
      for (Index c = 0; c < values.columns(); ++c) output(i, c) += weights(i, j) * values(j, c);
    }
  }
  return output;
}

Matrix side_by_side(const std::vector<Matrix>& parts) {
  Index columns = 0;
  for (const Matrix& part : parts) columns += part.columns();
  Matrix result(parts.front().rows(), columns);
  Index begin = 0;
  for (const Matrix& part : parts) {
    for (Index i = 0; i < part.rows(); ++i) {
      for (Index j = 0; j < part.columns(); ++j) result(i, begin + j) = part(i, j);
    }
    begin += part.columns();
  }
  return result;
}

}  // namespace fovea
