#include "fovea/array.h"

#include <gtest/gtest.h>

#include <limits>

namespace fovea {
namespace {

TEST(Array, nested_lists_of_rank_one_and_two) {
  const Ids row = {1, 2, 3};
  EXPECT_EQ(row.shape(), (Shape{3}));
  EXPECT_EQ(row(2), 3);
  const Ids ids = {{1, 2, 3}, {4, 5, 0}};
  EXPECT_EQ(ids.shape(), (Shape{2, 3}));
  EXPECT_EQ(ids(1, 0), 4);
  EXPECT_EQ(ids.values(), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 0}));
}

TEST(Array, large_ids_are_kept_exactly) {
  const Ids ids = {9007199254740993};  // 2^53 + 1, which double does not hold
  EXPECT_EQ(ids(0), 9007199254740993);
}

TEST(Array, one_row_of_a_table_is_not_a_row) {
  EXPECT_EQ((Ids{{1, 2, 3}}).shape(), (Shape{1, 3}));
  EXPECT_EQ((Flags{{1}, {0}}).shape(), (Shape{2, 1}));
}

TEST(Array, numbers_that_do_not_fit_throw) {
  EXPECT_THROW(Flags{256}, Error);
  EXPECT_THROW((Flags{{1, -1}}), Error);
  EXPECT_THROW(Ids{1.5}, Error);
  EXPECT_THROW(Ids{1e30}, Error);
  EXPECT_EQ((Flags{true, false, 1.0})(2), 1);
  EXPECT_EQ(Ids{std::numeric_limits<std::int64_t>::min()}(0), std::numeric_limits<std::int64_t>::min());
}

TEST(Array, ragged_lists_throw) {
  EXPECT_THROW((Ids{{1, 2}, {3}}), Error);
  EXPECT_THROW((Ids{{1}, 2}), Error);
  EXPECT_THROW((Ids{1, {2}}), Error);
  EXPECT_THROW((Ids{{{1}}, {2}}), Error);
}

TEST(Array, shape_must_fit_the_values) {
  EXPECT_EQ(Ids(Shape{2, 2}, {1, 2, 3, 4})(1, 0), 3);
  EXPECT_THROW(Ids(Shape{2, 2}, {1, 2, 3}), Error);
  EXPECT_NO_THROW(Ids(Shape{0, 4}, {}));
}

TEST(Array, filled_and_compared) {
  const Flags flags = Flags::filled({2, 2}, 1);
  EXPECT_EQ(flags, (Flags{{1, 1}, {1, 1}}));
  EXPECT_FALSE((flags == Flags{1, 1, 1, 1}));
  EXPECT_FALSE((flags == Flags{{1, 1}, {1, 0}}));
}

TEST(Array, copies_are_deep) {
  Ids a = {1, 2};
  const Ids b = a;
  a(0) = 9;
  EXPECT_EQ(b(0), 1);
  EXPECT_TRUE(Ids().empty());
  EXPECT_FALSE(a.empty());
}

TEST(NestedList, shape_and_numbers) {
  const NestedList<float> list = {{{1, 2}, {3, 4}, {5, 6}}};
  EXPECT_EQ(list.shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(list.flatten(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(NestedList, empty_lists) {
  EXPECT_EQ(NestedList<float>({}).flatten(), std::vector<float>{});
  const NestedList<float> rows = {NestedList<float>({}), NestedList<float>({})};
  EXPECT_EQ(rows.shape(), (Shape{2, 0}));
  EXPECT_THROW((NestedList<float>{NestedList<float>({}), 1}).flatten(), Error);
}

TEST(NestedList, six_levels_throw) {
  const NestedList<float> deep = {{{{{{1, 2}, {3, 4}}}}}};
  EXPECT_THROW(deep.shape(), Error);
}

}  // namespace
}  // namespace fovea
