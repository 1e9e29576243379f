// Rows of a Matrix against printed numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "fovea/matrix.h"

namespace fovea {

inline constexpr double kEightDigits = 0.51e-8;  // half a unit of the eighth decimal
inline constexpr double kFourDigits = 0.51e-4;

inline void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                        double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_LE(std::abs(got[i] - expected[i]), tolerance)
        << what << ", entry " << i << ": got " << got[i] << ", expected " << expected[i];
  }
}

inline void expect_near(const Matrix& got, const Matrix& expected, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(got.shape(), expected.shape()) << what;
  for (Index i = 0; i < got.rows(); ++i) {
    expect_near(got.row(i), expected.row(i), tolerance, what + ", row " + std::to_string(i));
  }
}

}  // namespace fovea
