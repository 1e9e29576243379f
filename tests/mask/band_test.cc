// Combinations of masks by position are one interval, whatever they are made of.
#include <gtest/gtest.h>

#include "mask/intervals.h"
#include "support/message_of.h"

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

// Others are asked one by one, so their number has a limit; it is told at once.
TEST(Band, other_masks_cannot_be_joined_without_end) {
  const auto joined = [](Index count, const auto& next) {
    Mask mask = next(0);
    for (Index i = 1; i < count; ++i) mask = mask | next(i);
    return mask;
  };
  const std::string limit =
      "[mask] more than 4096 masks are joined: only windows, causal and prefix may be more";
  const auto sparse = [](Index i) { return Mask::sparse(2 + i % 7); };
  EXPECT_EQ(joined(4096, sparse).to_bool(4, 4).shape(), (Shape{4, 4}));
  EXPECT_EQ(testing::message_of([&] { joined(60'000, sparse); }), limit);
  EXPECT_EQ(testing::message_of([&] { joined(60'000, [&](Index i) { return !sparse(i); }); }), limit);
  EXPECT_EQ(testing::message_of([&] {
              joined(60'000, [](Index) { return Mask::padding(Ids{1, 0, 1}, 0); });
            }),
            limit);
  EXPECT_EQ(testing::message_of([&] { joined(60'000, [](Index) { return !Mask::causal(); }); }), limit);
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
