// Comparing an answer with a solution.
#pragma once

#include <optional>

#include "fovea/exercises.h"

namespace fovea {

// How far an answer may be from a solution to count as equal: half a unit of the last decimal that was
// typed, and what float32 rounds. `strict` is for numbers that were computed in float64: it tells variants
// apart that float32 does not.
struct Allowed {
  double weights = 0, output = 0;
  double relative = 0;  // of the number itself: wrong ones may be far larger than right ones
};
Allowed allowed_for(const Exercise& exercise, const Problem& problem, const Solution& right,
                    const Answer& answer, bool strict);

// Has a part fewer decimals than the exercise asks for?
bool too_few_decimals(const Exercise& exercise, const Answer& answer);

// A shape without its leading ones: [1, N, M] is [N, M].
std::vector<Index> plain_shape(const Shape& shape);

// Equal shapes, or a flat list of as many numbers.
bool same_shape(const NumberArray& answer, const NumberArray& expected);
bool near(double a, double b, double allowed);  // NaN is near NaN

// Every part that was given is near the solution's.
bool matches(const Answer& answer, const Solution& solution, const Allowed& allowed);

// The first cell that is not near, weights before output: they come first in the computation. Only for
// shapes that are the same.
std::optional<Difference> first_difference(const Answer& answer, const Solution& right,
                                           const Allowed& allowed);

// Whether each number is near; none for shapes that are not the same.
std::vector<bool> right_numbers(const NumberArray& got, const NumberArray& expected, double allowed,
                                double relative);

// Some weights are 0 and all others too large by one factor; of the output alone: sums of a part of the
// values, too large by one factor. Nothing where that cannot be told.
std::optional<bool> looks_like_dropout(const Problem& problem, const Solution& right, const Answer& answer,
                                       const Allowed& allowed);

}  // namespace fovea
