// Rows to lanes and back, over every remainder, on every instruction set.
#include <gtest/gtest.h>

#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/transpose_test.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void CallTransposeIn(const float* from, Index from_stride, Index rows, Index columns, float factor,
                     float* to, Index to_stride) {
  TransposeIn(from, from_stride, rows, columns, factor, to, to_stride);
}
void CallTransposeOut(const float* from, Index from_stride, Index rows, Index columns, const float* factors,
                      float* to, Index to_stride) {
  TransposeOut(from, from_stride, rows, columns, factors, to, to_stride);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/at.h"
#include "support/instruction_sets.h"

namespace fovea::kernels {
namespace {

HWY_EXPORT(CallTransposeIn);
HWY_EXPORT(CallTransposeOut);

constexpr float kUntouched = -7.0f;

// A matrix whose elements are all different; what lies between its rows is another number.
std::vector<float> numbered(Index rows, Index columns, Index stride) {
  std::vector<float> matrix(at(rows * stride), 0.25f);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c)
      matrix[at(r * stride + c)] = static_cast<float>(1 + r * columns + c);
  }
  return matrix;
}

// transposed(c, r) is expected of from(r, c); nothing else is written.
template <typename Expected>
void expect_transposed(const std::vector<float>& to, Index rows, Index columns, Index stride,
                       const Expected& expected) {
  for (Index c = 0; c < columns; ++c) {
    for (Index r = 0; r < stride; ++r) {
      ASSERT_EQ(to[at(c * stride + r)], r < rows ? expected(r, c) : kUntouched)
          << rows << " × " << columns << ", row " << r << ", column " << c;
    }
  }
}

TEST(Transpose, every_size_up_to_two_vectors_of_16) {
  fovea::testing::on_every_instruction_set([] {
    for (Index rows = 1; rows <= 33; ++rows) {
      for (Index columns = 1; columns <= 33; ++columns) {
        const Index from_stride = columns + 3, to_stride = rows + 5;
        const std::vector<float> from = numbered(rows, columns, from_stride);
        const auto value = [&](Index r, Index c) { return from[at(r * from_stride + c)]; };
        std::vector<float> factors;
        for (Index c = 0; c < columns; ++c) factors.push_back(static_cast<float>(1 + c % 5));

        std::vector<float> to(at(columns * to_stride), kUntouched);
        HWY_DYNAMIC_DISPATCH(CallTransposeIn)
        (from.data(), from_stride, rows, columns, 3.0f, to.data(), to_stride);
        expect_transposed(to, rows, columns, to_stride, [&](Index r, Index c) { return 3 * value(r, c); });

        to.assign(to.size(), kUntouched);
        HWY_DYNAMIC_DISPATCH(CallTransposeOut)
        (from.data(), from_stride, rows, columns, factors.data(), to.data(), to_stride);
        expect_transposed(to, rows, columns, to_stride,
                          [&](Index r, Index c) { return factors[at(c)] * value(r, c); });
      }
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
#endif
