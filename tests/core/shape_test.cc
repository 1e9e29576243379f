#include "fovea/shape.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/error.h"

namespace fovea {
namespace {

constexpr Index kHuge = std::numeric_limits<Index>::max();

TEST(Shape, extents_and_elements) {
  const Shape shape = {2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape.back(), 4);
  EXPECT_EQ(shape.back(2), 2);
  EXPECT_EQ(shape.elements(), 24);
  EXPECT_EQ(shape.to_string(), "[2, 3, 4]");
}

TEST(Shape, rank_zero_has_no_elements) {
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape().elements(), 0);
  EXPECT_EQ(Shape().to_string(), "[]");
}

TEST(Shape, equality_needs_the_same_rank) {
  EXPECT_EQ((Shape{2, 3}), Shape(std::vector<Index>{2, 3}));
  EXPECT_FALSE((Shape{2, 3} == Shape{3, 2}));
  EXPECT_FALSE((Shape{2} == Shape{2, 0}));
}

TEST(Shape, rank_six_throws) {
  EXPECT_NO_THROW((Shape{1, 1, 1, 1, 1}));
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1}), Error);
}

TEST(Shape, negative_extent_throws) {
  EXPECT_THROW((Shape{2, -1}), Error);
  EXPECT_THROW((Shape{-2, -3}), Error);
  EXPECT_THROW((Shape{std::numeric_limits<Index>::min()}), Error);
}

TEST(Shape, bytes_that_overflow_throw) {
  EXPECT_NO_THROW((Shape{kHuge / 4}));
  EXPECT_THROW((Shape{kHuge / 4 + 1}), Error);
  EXPECT_THROW((Shape{Index{1} << 31, Index{1} << 31}), Error);
  EXPECT_THROW((Shape{kHuge, kHuge, kHuge}), Error);
}

TEST(Shape, zero_extent_does_not_excuse_the_others) {
  EXPECT_EQ((Shape{0, 3}).elements(), 0);
  EXPECT_EQ((Shape{1 << 20, 0, 1 << 20}).elements(), 0);
  EXPECT_THROW((Shape{0, kHuge, kHuge}), Error);
}

TEST(Shape, row_major_strides_of_any_rank) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(row_major_strides({7}), (Strides{1}));
  EXPECT_EQ(row_major_strides(Shape()), Strides{});
}

}  // namespace
}  // namespace fovea
