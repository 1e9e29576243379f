#include "lessons/check_matching.h"

#include <algorithm>
#include <cmath>

#include "explain/arithmetic.h"

namespace fovea {
namespace {

constexpr double kFloat32 = 1e-5, kFloat64 = 1e-9;  // of the largest number, at least 1

double scale_of(const NumberArray& numbers) {
  double largest = 1;
  for (const double value : numbers.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

double unit_of(int decimals) { return std::pow(10.0, -decimals); }

double allowed_for_part(const NumberArray& right, std::optional<int> decimals, bool strict, double units) {
  const double scale = scale_of(right);
  if (!decimals) return (strict ? kFloat64 : kFloat32) * scale;
  return units * unit_of(*decimals) * 1.001 + kFloat32 * scale;
}

// Who goes on with weights of three decimals is off by half of the last one per value.
double by_hand_error(const Problem& problem) {
  double largest = 0;
  for (Index c = 0; c < problem.v.columns(); ++c) {
    double total = 0;
    for (Index j = 0; j < problem.v.rows(); ++j) total += std::abs(problem.v(j, c));
    largest = std::max(largest, total);
  }
  return 0.5e-3 * largest;
}

std::vector<Index> cell_at(std::size_t position, const Shape& shape) {
  std::vector<Index> cell(static_cast<std::size_t>(shape.rank()));
  auto rest = static_cast<Index>(position);
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    cell[static_cast<std::size_t>(axis)] = rest % shape[axis];
    rest /= shape[axis];
  }
  return cell;
}

constexpr double kLargestFloat32 = 3.4e38;  // beyond that, a program in float32 has infinity

bool near_variant(double got, double variant, double allowed, double relative) {
  if (std::isinf(got) && std::abs(variant) > kLargestFloat32) return (got > 0) == (variant > 0);
  return near(got, variant, allowed + relative * std::abs(variant));
}

std::optional<Difference> first_in_part(const std::string& part, const NumberArray& got,
                                        const NumberArray& expected, double allowed, double relative) {
  if (got.empty() || expected.empty()) return std::nullopt;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (near_variant(got.values[i], expected.values[i], allowed, relative)) continue;
    return Difference{0, part, cell_at(i, expected.shape), expected.values[i], got.values[i]};
  }
  return std::nullopt;
}

bool part_matches(const NumberArray& answer, const NumberArray& solution, double allowed, double relative) {
  if (answer.empty() || solution.empty()) return true;
  if (!same_shape(answer, solution)) return false;
  for (std::size_t i = 0; i < answer.values.size(); ++i) {
    if (!near_variant(answer.values[i], solution.values[i], allowed, relative)) return false;
  }
  return true;
}

constexpr double kLeastFactor = 1.001, kMostFactor = 100;  // 1/(1 − p)

bool weights_look_dropped(const NumberArray& got, const NumberArray& right, double allowed) {
  double factor = 0;
  bool zeros = false;
  for (std::size_t i = 0; i < right.values.size(); ++i) {
    const double weight = right.values[i];
    if (weight <= 20 * allowed) continue;  // too small to tell
    if (near(got.values[i], 0, allowed)) {
      zeros = true;
    } else if (factor == 0) {
      factor = got.values[i] / weight;
    } else if (!near(got.values[i], factor * weight, allowed * (1 + factor / weight))) {
      return false;
    }
  }
  return zeros && factor > kLeastFactor && factor < kMostFactor;
}

// What each set of keys would add up to in one row, [2^M][Dv].
std::vector<std::vector<double>> partial_sums(const NumberArray& weights, const Matrix& v, Index row) {
  const Index keys = v.rows();
  std::vector<std::vector<double>> sums;
  for (std::size_t set = 0; set < (std::size_t{1} << keys); ++set) {
    std::vector<double> total(static_cast<std::size_t>(v.columns()), 0.0);
    for (Index j = 0; j < keys; ++j) {
      if ((set >> j & 1) == 0) continue;
      const double weight = weights.values[static_cast<std::size_t>(row * keys + j)];
      for (Index c = 0; c < v.columns(); ++c) total[static_cast<std::size_t>(c)] += weight * v(j, c);
    }
    sums.push_back(std::move(total));
  }
  return sums;
}

bool is_multiple(const std::vector<double>& sum, const double* got, double factor, double allowed) {
  for (std::size_t c = 0; c < sum.size(); ++c) {
    if (!near(got[c], factor * sum[c], 2 * allowed)) return false;
  }
  return true;
}

// Of one head; few rows, many keys or single numbers per value would fit by chance: nothing can be told.
std::optional<bool> outputs_look_dropped(const NumberArray& got, const Problem& problem,
                                         const Solution& right, double allowed) {
  const Matrix& memory = problem.memory.empty() ? problem.x : problem.memory;
  const Matrix v = problem.x.empty() ? problem.v : product(memory, problem.w_v);
  const Index n = right.weights.shape[0], dv = v.columns();
  if (n < 3 || v.rows() > 8 || dv < 2) return std::nullopt;
  std::vector<std::vector<std::vector<double>>> sums;
  for (Index i = 0; i < n; ++i) sums.push_back(partial_sums(right.weights, v, i));
  const auto fits = [&](double factor) {
    for (Index i = 0; i < n; ++i) {
      const double* row = got.values.data() + i * dv;
      const auto& sets = sums[static_cast<std::size_t>(i)];
      const auto multiple = [&](const auto& sum) { return is_multiple(sum, row, factor, allowed); };
      if (std::none_of(sets.begin(), sets.end(), multiple)) return false;
    }
    return true;
  };
  for (Index i = 0; i < n; ++i) {
    const double* row = got.values.data() + i * dv;
    for (const std::vector<double>& sum : sums[static_cast<std::size_t>(i)]) {
      double dot = 0, square = 0;
      for (std::size_t c = 0; c < sum.size(); ++c) dot += row[c] * sum[c], square += sum[c] * sum[c];
      const double factor = square > 0 ? dot / square : 0;
      if (factor < kLeastFactor || factor > kMostFactor || !is_multiple(sum, row, factor, allowed))
        continue;
      if (fits(factor)) return true;
    }
  }
  return false;
}

}  // namespace

Allowed allowed_for(const Exercise& exercise, const Problem& problem, const Solution& right,
                    const Answer& answer, bool strict) {
  const bool by_hand = exercise.kind == ExerciseKind::by_hand;
  const double units = by_hand ? 1 : 0.5;  // a hand rounds more than once
  // Too few decimals: only what is exact counts as equal, at first.
  const auto decimals = [&](std::optional<int> typed) {
    return strict && typed && *typed < exercise.decimals ? std::nullopt : typed;
  };
  Allowed allowed = {allowed_for_part(right.weights, decimals(answer.weights_decimals), strict, units),
                     allowed_for_part(right.output, decimals(answer.output_decimals), strict, units),
                     strict ? kFloat64 : kFloat32 / 10};
  if (by_hand && answer.output_decimals && !strict) allowed.output += by_hand_error(problem);
  return allowed;
}

bool too_few_decimals(const Exercise& exercise, const Answer& answer) {
  return (!answer.output.empty() && answer.output_decimals.value_or(99) < exercise.decimals) ||
         (!answer.weights.empty() && answer.weights_decimals.value_or(99) < exercise.decimals);
}

std::vector<Index> plain_shape(const Shape& shape) {
  std::vector<Index> plain;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!plain.empty() || shape[axis] != 1 || axis + 2 >= shape.rank()) plain.push_back(shape[axis]);
  }
  return plain;
}

bool same_shape(const NumberArray& answer, const NumberArray& expected) {
  if (answer.values.size() != expected.values.size()) return false;
  return answer.shape.rank() == 1 || plain_shape(answer.shape) == plain_shape(expected.shape);
}

bool near(double a, double b, double allowed) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= allowed;
}

bool matches(const Answer& answer, const Solution& solution, const Allowed& allowed) {
  return part_matches(answer.weights, solution.weights, allowed.weights, allowed.relative) &&
         part_matches(answer.output, solution.output, allowed.output, allowed.relative);
}

std::optional<Difference> first_difference(const Answer& answer, const Solution& right,
                                           const Allowed& allowed) {
  const auto first =
      first_in_part("weights", answer.weights, right.weights, allowed.weights, allowed.relative);
  return first ? first
               : first_in_part("output", answer.output, right.output, allowed.output, allowed.relative);
}

std::vector<bool> right_numbers(const NumberArray& got, const NumberArray& expected, double allowed,
                                double relative) {
  std::vector<bool> marks;
  if (got.empty() || expected.empty() || !same_shape(got, expected)) return marks;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    marks.push_back(near_variant(got.values[i], expected.values[i], allowed, relative));
  }
  return marks;
}

std::optional<bool> looks_like_dropout(const Problem& problem, const Solution& right, const Answer& answer,
                                       const Allowed& allowed) {
  if (right.weights.empty()) return false;
  if (!answer.weights.empty()) {
    return same_shape(answer.weights, right.weights) &&
           weights_look_dropped(answer.weights, right.weights, allowed.weights);
  }
  if (answer.output.empty() || !same_shape(answer.output, right.output)) return false;
  if (problem.heads > 1 || !problem.w_o.empty()) return std::nullopt;
  return outputs_look_dropped(answer.output, problem, right, allowed.output);
}

}  // namespace fovea
