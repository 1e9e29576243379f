#include "lessons/mistake_linear.h"

#include <algorithm>
#include <cmath>

#include "explain/arithmetic.h"

namespace fovea {
namespace {

constexpr double kEpsilon = 1e-6;  // as linear_attention() adds to the denominator

// Forms of feature_map_forgotten: 0 the numbers as they are, 1 ELU without the one, 2 ReLU.
double feature(double x, const Slips& slips) {
  const double elu = x > 0 ? x : std::expm1(x);
  switch (slips.form(Slip::feature_map_forgotten)) {
    case 0:
      return x;
    case 1:
      return elu;
    case 2:
      return std::max(x, 0.0);
    default:
      return elu + 1;
  }
}

Matrix features(const Matrix& a, const Slips& slips) {
  Matrix result = a;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) result(i, j) = feature(a(i, j), slips);
  }
  return result;
}

}  // namespace

std::optional<Variant> linear_variant(const Problem& problem, const Slips& slips) {
  const double shrink = 1 / std::sqrt(static_cast<double>(problem.q.columns()));
  const Matrix& v = slips.has(Slip::values_are_keys) ? problem.k : problem.v;
  Matrix output;
  if (slips.has(Slip::softmax_instead)) {
    const Matrix scores = scaled_by(product_transposed(problem.q, problem.k), shrink);
    output = product(row_softmax(scores), v);
  } else {
    const bool scaled = slips.has(Slip::linear_scaled);
    const Matrix q = features(scaled ? scaled_by(problem.q, shrink) : problem.q, slips);
    const Matrix k = features(problem.k, slips);
    output = product(q, product(k.transposed(), v));  // O(M·D·Dv): no N×M matrix
    const Matrix key_sums = product(Matrix::filled(1, k.rows(), 1), k);
    for (Index i = 0; i < output.rows() && !slips.has(Slip::denominator_forgotten); ++i) {
      double total = kEpsilon;
      for (Index d = 0; d < q.columns(); ++d) total += q(i, d) * key_sums(0, d);
      for (Index j = 0; j < output.columns(); ++j) output(i, j) /= total;
    }
  }
  return Variant{{{output.shape(), output.values()}, {}}, false};
}

}  // namespace fovea
