#include "lessons/mistake_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double largest_of(const Matrix& scores) {
  double largest = kHidden;
  for (const double score : scores.values()) largest = std::max(largest, score);
  return largest;
}

double largest_of_row(const Matrix& scores, Index row) {
  double largest = kHidden;
  for (Index j = 0; j < scores.columns(); ++j) largest = std::max(largest, scores(row, j));
  return largest;
}

// exp(x) as a program in float32 or float64 has it: the first overflows beyond 88 and is 0 below −104.
double exp_in(double x, bool float32) {
  return float32 ? static_cast<double>(std::exp(static_cast<float>(x))) : std::exp(x);
}

// exp(score − shift) of each row, divided by its sum: 0/0 and ∞/∞ as they come.
Matrix shifted_softmax(const Matrix& scores, double shift, bool float32) {
  Matrix weights(scores.rows(), scores.columns());
  for (Index i = 0; i < scores.rows(); ++i) {
    double total = 0;
    for (Index j = 0; j < scores.columns(); ++j) {
      weights(i, j) = exp_in(scores(i, j) - shift, float32);
      total += weights(i, j);
    }
    for (Index j = 0; j < scores.columns(); ++j) weights(i, j) /= total;
  }
  return weights;
}

// Softmax over everything: one sum.
Matrix softmax_of_all(const Matrix& scores) {
  const double largest = largest_of(scores);
  Matrix weights(scores.rows(), scores.columns());
  double total = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.columns(); ++j) total += weights(i, j) = std::exp(scores(i, j) - largest);
  }
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.columns(); ++j) weights(i, j) /= total;
  }
  return weights;
}

Matrix without_softmax(const Matrix& scores, bool hidden_is_zero) {
  Matrix weights = scores;
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.columns(); ++j) {
      if (hidden_is_zero && scores(i, j) == kHidden) weights(i, j) = 0;
    }
  }
  return weights;
}

Matrix without_denominator(const Matrix& scores, bool maximum_subtracted) {
  Matrix weights(scores.rows(), scores.columns());
  for (Index i = 0; i < scores.rows(); ++i) {
    const double shift = maximum_subtracted ? largest_of_row(scores, i) : 0;
    for (Index j = 0; j < scores.columns(); ++j) weights(i, j) = std::exp(scores(i, j) - shift);
  }
  return weights;
}

// The right one, by rows; `raw` for those that see nothing.
Matrix softmax_of_rows(const Matrix& scores, const Matrix& raw, EmptyRows empty, bool& empty_rows) {
  Matrix weights(scores.rows(), scores.columns());
  for (Index i = 0; i < scores.rows(); ++i) {
    const bool sees_nothing = largest_of_row(scores, i) == kHidden;
    empty_rows = empty_rows || sees_nothing;
    const Matrix& from = sees_nothing ? raw : scores;
    const double largest = largest_of_row(from, i);
    double total = 0;
    for (Index j = 0; j < scores.columns(); ++j) {
      const bool even = sees_nothing && empty == EmptyRows::even;
      weights(i, j) = even ? 1 : std::exp(from(i, j) - largest);
      total += weights(i, j);
    }
    for (Index j = 0; j < scores.columns(); ++j) {
      weights(i, j) /= total;
      if (sees_nothing && empty == EmptyRows::nan) weights(i, j) = kNotANumber;
      if (sees_nothing && empty == EmptyRows::zero) weights(i, j) = 0;
    }
  }
  return weights;
}

}  // namespace

Matrix softmax_with(const Matrix& scores, const Matrix& raw, const Slips& slips, bool& empty_rows) {
  if (slips.has(Slip::softmax_over_queries)) {
    return softmax_of_rows(scores.transposed(), raw.transposed(), slips.empty_rows, empty_rows)
        .transposed();
  }
  if (slips.has(Slip::softmax_over_all)) return softmax_of_all(scores);
  if (slips.has(Slip::no_softmax)) return without_softmax(scores, slips.is(Slip::no_softmax, 0));
  if (slips.has(Slip::global_maximum)) {
    return shifted_softmax(scores, largest_of(scores), slips.is(Slip::global_maximum, 1));
  }
  if (slips.has(Slip::maximum_not_subtracted)) {
    return shifted_softmax(scores, 0, slips.is(Slip::maximum_not_subtracted, 1));
  }
  if (slips.has(Slip::denominator_forgotten)) {
    return without_denominator(scores, slips.is(Slip::denominator_forgotten, 0));
  }
  return softmax_of_rows(scores, raw, slips.empty_rows, empty_rows);
}

}  // namespace fovea
