#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>

#include "core/strided_copy.h"
#include "fovea/tensor.h"

namespace fovea {
namespace {

// 0, 1, 2, … in row-major order.
Tensor counting(const Shape& shape) {
  Tensor tensor(shape);
  std::iota(tensor.data(), tensor.data() + shape.elements(), 0.0f);
  return tensor;
}

std::vector<float> values_of(ConstView view) {
  std::vector<float> values(static_cast<std::size_t>(view.shape().elements()));
  strided_copy(view, values.data());
  return values;
}

static_assert(!std::is_default_constructible_v<ConstView>);
static_assert(!std::is_convertible_v<ConstView, View>, "a read-only view stays one");

TEST(View, indexes_as_the_tensor) {
  Tensor t = counting({2, 3, 4});
  const ConstView view = t;
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) {
      for (Index k = 0; k < 4; ++k) EXPECT_EQ(view(i, j, k), t(i, j, k));
    }
  }
  t.view()(1, 2, 3) = 99;
  EXPECT_EQ(view(1, 2, 3), 99.0f);
}

TEST(View, transpose_swaps_two_axes) {
  const Tensor t = counting({2, 3});
  const ConstView swapped = t.view().transpose(0, 1);
  EXPECT_EQ(swapped.shape(), (Shape{3, 2}));
  EXPECT_EQ(values_of(swapped), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(swapped.is_contiguous());
  EXPECT_TRUE(swapped.transpose(1, 0).is_contiguous());
  EXPECT_EQ(counting({2, 3, 4}).view().transpose(0, 2).shape(), (Shape{4, 3, 2}));
  EXPECT_THROW(t.view().transpose(0, 2), Error);
  EXPECT_THROW(t.view().transpose(-1, 0), Error);
}

TEST(View, slice_with_steps) {
  const Tensor t = counting({3, 5});
  EXPECT_EQ(values_of(t.view().slice(1, 1, 3)), (std::vector<float>{1, 2, 6, 7, 11, 12}));
  EXPECT_EQ(values_of(t.view().slice(1, 0, 5, 2).slice(0, 1, 2)), (std::vector<float>{5, 7, 9}));
  EXPECT_EQ(values_of(t.view().slice(1, 1, 5, 3).slice(0, 0, 1)), (std::vector<float>{1, 4}));
  EXPECT_EQ(values_of(t.view().slice(0, 2, 3).slice(1, 4, 5)), (std::vector<float>{14}));
  EXPECT_TRUE(t.view().slice(0, 1, 3).is_contiguous());
  EXPECT_FALSE(t.view().slice(1, 1, 3).is_contiguous());
}

TEST(View, empty_slices_are_allowed) {
  const Tensor t = counting({3, 5});
  EXPECT_EQ(t.view().slice(0, 3, 3).shape(), (Shape{0, 5}));
  EXPECT_EQ(t.view().slice(1, 0, 0, 4).shape(), (Shape{3, 0}));
  EXPECT_EQ(values_of(t.view().slice(0, 1, 1)), std::vector<float>{});
}

TEST(View, slices_outside_throw) {
  const Tensor t = counting({3, 5});
  EXPECT_THROW(t.view().slice(0, 0, 4), Error);
  EXPECT_THROW(t.view().slice(0, -1, 2), Error);
  EXPECT_THROW(t.view().slice(0, 2, 1), Error);
  EXPECT_THROW(t.view().slice(0, 0, 3, 0), Error);
  EXPECT_THROW(t.view().slice(2, 0, 1), Error);
}

TEST(View, select_drops_the_axis) {
  const Tensor t = counting({2, 3, 4});
  EXPECT_EQ(t.view().select(1, 2).shape(), (Shape{2, 4}));
  EXPECT_EQ(values_of(t.view().select(1, 2)), (std::vector<float>{8, 9, 10, 11, 20, 21, 22, 23}));
  EXPECT_EQ(values_of(t.view().select(0, 1).select(1, 0)), (std::vector<float>{12, 16, 20}));
  EXPECT_THROW(t.view().select(0, 2), Error);
  EXPECT_THROW(t.view().select(0, -1), Error);
  EXPECT_THROW(t.view().select(3, 0), Error);
}

TEST(View, insert_axis_adds_an_extent_of_one) {
  const Tensor t = counting({2, 3});
  for (int axis = 0; axis <= 2; ++axis) {
    const ConstView view = t.view().insert_axis(axis);
    EXPECT_EQ(view.shape().rank(), 3);
    EXPECT_EQ(view.shape()[axis], 1);
    EXPECT_EQ(values_of(view), values_of(t));
    EXPECT_TRUE(view.is_contiguous()) << axis;
  }
  EXPECT_THROW(t.view().insert_axis(3), Error);
  EXPECT_THROW(counting({1, 1, 1, 1, 1}).view().insert_axis(0), Error);  // rank 6
}

TEST(View, negative_strides_run_backwards) {
  const Tensor t = counting({2, 3});
  const ConstView reversed(t.data() + 5, Shape{2, 3}, Strides{-3, -1});
  EXPECT_EQ(values_of(reversed), (std::vector<float>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(reversed(1, 2), 0.0f);
  EXPECT_FALSE(reversed.is_contiguous());
  EXPECT_EQ(values_of(reversed.slice(1, 1, 3)), (std::vector<float>{4, 3, 1, 0}));
}

TEST(View, stride_zero_broadcasts) {
  const float row[] = {1, 2};
  const ConstView view(row, Shape{3, 2}, Strides{0, 1});
  EXPECT_EQ(values_of(view), (std::vector<float>{1, 2, 1, 2, 1, 2}));
  EXPECT_FALSE(view.is_contiguous());
}

TEST(View, foreign_memory_is_not_copied) {
  float memory[6] = {};
  const View view(memory, Shape{2, 3});
  view(1, 1) = 7;
  EXPECT_EQ(memory[4], 7.0f);
  EXPECT_EQ(view.data(), memory);
  memory[0] = 3;
  EXPECT_EQ(ConstView(view)(0, 0), 3.0f);
}

TEST(View, zero_size_views_touch_no_memory) {
  const ConstView nothing(nullptr, Shape{2, 0, 3});
  EXPECT_EQ(values_of(nothing), std::vector<float>{});
  EXPECT_EQ(Tensor::copy_of(nothing).shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(nothing.transpose(0, 1).shape(), (Shape{0, 2, 3}));
}

// Large enough for several threads, and heads that lie side by side.
TEST(View, copy_of_transposed_heads_is_row_major) {
  constexpr Index kBatch = 2, kTokens = 701, kHeads = 5, kWidth = 33;
  Tensor t({kBatch, kTokens, kHeads, kWidth});
  for (Index i = 0; i < t.shape().elements(); ++i) t.data()[i] = static_cast<float>(i);
  const Tensor copy = Tensor::copy_of(t.view().slice(3, 1, kWidth).transpose(1, 2));
  ASSERT_EQ(copy.shape(), (Shape{kBatch, kHeads, kTokens, kWidth - 1}));
  for (Index b = 0; b < kBatch; ++b) {
    for (Index h = 0; h < kHeads; ++h) {
      for (Index n = 0; n < kTokens; ++n) {
        for (Index d = 0; d < kWidth - 1; ++d) ASSERT_EQ(copy(b, h, n, d), t(b, n, h, d + 1));
      }
    }
  }
}

TEST(View, copy_of_a_view_is_row_major) {
  const Tensor t = counting({2, 3});
  const Tensor copy = Tensor::copy_of(t.view().transpose(0, 1));
  EXPECT_EQ(copy.shape(), (Shape{3, 2}));
  EXPECT_EQ(copy(2, 0), 2.0f);
  EXPECT_EQ(copy.data()[1], 3.0f);
}

TEST(View, of_no_memory_has_no_elements) {
  EXPECT_THROW(ConstView(nullptr, Shape{1}), Error);
  EXPECT_THROW(View(nullptr, Shape{2, 3}, Strides{3, 1}), Error);
  EXPECT_EQ(ConstView(nullptr, Shape{2, 0, 3}).shape().elements(), 0);
  EXPECT_EQ(ConstView(nullptr, Shape()).shape().rank(), 0);
  EXPECT_EQ(ConstView(nullptr, Shape{0, 3}).slice(1, 1, 2).select(1, 0).shape(), (Shape{0}));
  EXPECT_TRUE(Tensor().view().shape().rank() == 0);
}

}  // namespace
}  // namespace fovea
