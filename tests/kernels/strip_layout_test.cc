#include "kernels/strip_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fovea::kernels {
namespace {

TEST(StripCuts, cover_all_rows_and_leave_no_strip_of_one_vector) {
  for (const Index lanes : {1, 4, 8, 16}) {
    for (Index rows = 0; rows <= 20 * lanes; ++rows) {
      const StripCuts cuts(rows, lanes);
      Index next = 0;
      for (Index s = 0; s < cuts.strips(); ++s) {
        ASSERT_EQ(cuts.first_row(s), next);
        const Index count = cuts.first_row(s + 1) - next;
        ASSERT_GT(count, 0);
        ASSERT_LE(count, 3 * lanes);
        if (rows > lanes) {
          ASSERT_GT(count, lanes) << rows << " rows of " << lanes << " lanes, strip " << s;
        }
        next += count;
      }
      ASSERT_EQ(next, rows);
    }
  }
}

TEST(HeadStrips, scattered_rows_come_last_and_every_row_once) {
  const Tensor q({1, 1, 1, 100, 2}), k({1, 1, 1, 100, 2});
  const Mask mask = Mask::sparse(8) & Mask::causal();
  ScoreProblem problem{q, k};
  problem.mask = mask.node();
  const HeadStrips strips(problem, 0, 8);
  std::vector<Index> rows;
  bool scattered = false;
  for (Index s = 0; s < strips.strips(); ++s) {
    const StripRows strip = strips.rows(s);
    EXPECT_GE(strip.scattered, scattered);
    scattered = strip.scattered;
    for (Index r = 0; r < strip.count; ++r) {
      rows.push_back(strip.row(r));
      EXPECT_EQ(strip.scattered, strip.row(r) % 8 != 0);
    }
  }
  EXPECT_TRUE(scattered);
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(rows.size(), 100u);
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(rows[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace fovea::kernels
