// Combinations of masks by position are one interval, whatever they are made of.
#include <gtest/gtest.h>

#include "mask/intervals.h"

namespace fovea {
namespace {

// The interval that row 5 of 8 × 10 sees, if the mask knows it without a list.
std::optional<Interval> interval_of(const Mask& mask) {
  Interval visible;
  const Row row{0, 0, 5, 8, 10};
  const bool known = mask.node()->visible_interval(row, visible);
  return known ? std::optional(visible) : std::nullopt;
}

TEST(Band, joined_windows_are_asked_once) {
  Mask mask = Mask::sliding_window(0, 0);
  for (Index i = 1; i < 20000; ++i) mask = mask | Mask::sliding_window(i % 3, i % 2);
  // Each of 20,000 would be asked by every row; that was seconds.
  EXPECT_EQ(interval_of(mask), (Interval{5, 9}));
  EXPECT_EQ(mask.density(2000, 2000), (Mask::sliding_window(2, 1)).density(2000, 2000));
  EXPECT_TRUE(mask.expression()->starts_with("((((("));
  EXPECT_LT(mask.describe(8, 10).size(), 1100u);
  for (Index i = 1; i < 20000; ++i) mask = mask & Mask::sliding_window(1 + i % 2, 7);
  EXPECT_EQ(interval_of(mask), (Interval{6, 9}));
}

TEST(Band, kinds_mix_where_that_is_one_interval) {
  EXPECT_EQ(interval_of(parse_mask("causal & window(2)")), (Interval{5, 8}));
  EXPECT_EQ(interval_of(parse_mask("causal | window(2)")), (Interval{0, 10}));
  EXPECT_EQ(interval_of(parse_mask("prefix(9) & prefix(8)")), (Interval{0, 8}));
  EXPECT_EQ(interval_of(parse_mask("prefix(9) | causal | window(1)")), (Interval{0, 9}));
  EXPECT_EQ(interval_of(parse_mask("prefix(9) & causal")), (Interval{0, 8}));
  EXPECT_EQ(interval_of(parse_mask("prefix(9) & window(2)")), (Interval{5, 9}));  // of both branches
  EXPECT_EQ(interval_of(parse_mask("window(1) | sparse(4)")), std::nullopt);
  EXPECT_EQ(interval_of(parse_mask("!window(1)")), std::nullopt);
}

}  // namespace
}  // namespace fovea
