// Gradients by central differences of a double reference, and how far a computed gradient is from them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "fovea/random.h"
#include "fovea/tensor.h"
#include "reference/double_array.h"

namespace fovea::testing {

using reference::DoubleArray;

// Σ weights · values: the loss whose gradient by `values` is `weights`.
inline double weighted(const DoubleArray& values, const Tensor& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    sum += values.values[i] * static_cast<double>(weights.data()[i]);
  }
  return sum;
}

// d loss(x) / dx, element by element. The error of a central difference is about step² = 1.5e-8 of the
// third derivative; rounding is 1e-12. The step is a power of two: it can be added to float32, too.
inline DoubleArray numeric_gradient(DoubleArray x, const std::function<double(const DoubleArray&)>& loss) {
  constexpr double kStep = 0x1p-13;
  DoubleArray gradient(x.shape);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double before = x.values[i];
    x.values[i] = before + kStep;
    const double above = loss(x);
    x.values[i] = before - kStep;
    gradient.values[i] = (above - loss(x)) / (2 * kStep);
    x.values[i] = before;
  }
  return gradient;
}

// ‖got − want‖ / ‖want‖ is small; a failure names the worst element.
inline void expect_close(const std::string& what, ConstView got, const DoubleArray& want,
                         double tolerance = 1e-5) {
  ASSERT_EQ(got.shape(), want.shape) << what;
  const Tensor rows = Tensor::copy_of(got);
  double error = 0, norm = 0, worst = -1;
  std::size_t at = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double difference = static_cast<double>(rows.data()[i]) - want.values[i];
    error += difference * difference;
    norm += want.values[i] * want.values[i];
    if (!(std::abs(difference) <= worst)) worst = std::abs(difference), at = i;
  }
  ASSERT_GT(norm, 0) << what << ": nothing to compare";
  EXPECT_LE(std::sqrt(error / norm), tolerance) << what << ": worst at element " << at << ", got "
                                                << rows.data()[at] << ", expected " << want.values[at];
}

// Numbers with some spread: N(0, magnitude²).
inline Tensor drawn(Random& random, const Shape& shape, float magnitude = 1) {
  Tensor tensor = random.normal(shape);
  for (Index i = 0; i < shape.elements(); ++i) tensor.data()[i] *= magnitude;
  return tensor;
}

}  // namespace fovea::testing
