// Attention over a ring of ranks that are threads, against the double reference of the whole.
#include <gtest/gtest.h>

#include "support/message_of.h"
#include "support/ring_case.h"
#include "support/thread_ranks.h"

namespace fovea {
namespace {

using testing::message_of;
using testing::on_ranks;
using testing::RingCase;
using testing::RingResults;

std::vector<RingResults> results_of(int size, const RingCase& c) {
  std::vector<RingResults> results(static_cast<std::size_t>(size));
  const auto errors = on_ranks(size, [&](const Ranks& ranks) {
    results[static_cast<std::size_t>(ranks.rank())] = run_ring(ranks, c);
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "");
  return results;
}

TEST(Ring, forward_backward_and_statistics_are_those_of_one_process) {
  const testing::OneThread one_thread;
  for (const auto& feature : testing::ring_features()) {
    for (int size = 1; size <= 4; ++size) {
      SCOPED_TRACE(std::string(feature.name) + " on " + std::to_string(size) + " ranks");
      RingCase c;
      feature.apply(c);
      const std::vector<RingResults> results = results_of(size, c);
      expect_ring(results.front(), c);
      for (const RingResults& other : results) EXPECT_EQ(bits_of(other), bits_of(results.front()));
    }
  }
}

TEST(Ring, the_same_number_of_ranks_gives_the_same_bits) {
  const testing::OneThread one_thread;
  RingCase c;
  c.n = c.m = 35, c.options.mask = Mask::causal();
  c.options.bias = Bias::alibi(alibi_slopes(c.heads));
  const std::string first = bits_of(results_of(3, c).front());
  for (int again = 0; again < 20; ++again) ASSERT_EQ(bits_of(results_of(3, c).front()), first);
}

TEST(Ring, a_cache_may_be_spread_over_ranks) {
  const testing::OneThread one_thread;
  for (int size = 1; size <= 4; ++size) {
    const auto errors = on_ranks(size, [](const Ranks& ranks) { testing::expect_spread_cache(ranks); });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
}

TEST(Ring, zigzag_rows_are_balanced_and_complete) {
  for (const RowLayout layout : {RowLayout::zigzag, RowLayout::contiguous}) {
    for (int ranks = 1; ranks <= 7; ++ranks) {
      for (Index rows = ranks; rows < 40; ++rows) {
        std::vector<int> owners(static_cast<std::size_t>(rows), 0);
        for (int rank = 0; rank < ranks; ++rank) {
          Index own = 0;
          for (const RowRange& range : rows_of_rank(rows, rank, ranks, layout)) {
            own += range.size();
            for (Index row = range.begin; row < range.end; ++row) ++owners[static_cast<std::size_t>(row)];
          }
          EXPECT_GT(own, 0);
        }
        EXPECT_EQ(owners, std::vector<int>(static_cast<std::size_t>(rows), 1));
      }
    }
  }
  // Under a causal mask row i costs i + 1: all ranks have the same to do.
  for (int rank = 0; rank < 4; ++rank) {
    Index cost = 0;
    for (const RowRange& range : rows_of_rank(800, rank, 4)) {
      for (Index row = range.begin; row < range.end; ++row) cost += row + 1;
    }
    EXPECT_EQ(cost, 801 * 800 / 2 / 4);
  }
  EXPECT_EQ(message_of([] { rows_of_rank(3, 0, 4); }),
            "[rows_of_rank] 3 rows for 4 ranks, expected at least one row for each: use fewer ranks");
}

// What one rank gets wrong, all of them say, and none waits.
TEST(Ring, ranks_that_differ_all_throw_the_same_error) {
  const auto errors_with = [](Index rows, Index width_of_rank_1) {
    return on_ranks(3, [=](const Ranks& ranks) {
      Index own = 0;
      for (const RowRange& range : rows_of_rank(9, ranks.rank(), 3)) own += range.size();
      const Tensor x = Random(1).normal({2, own, ranks.rank() == 1 ? width_of_rank_1 : 4});
      ring_attention(ranks, x, x, x, {rows, rows});
    });
  };
  EXPECT_EQ(errors_with(9, 4), std::vector<std::string>(3, ""));
  EXPECT_EQ(
      errors_with(9, 5),
      std::vector<std::string>(
          3,
          "[ring_attention] the ranks differ: rank 0 has q [2, rows, 4] of 9 rows, k [2, rows, 4] and v "
          "[2, rows, 4] of 9 rows, zigzag, scale as usual, softcap 0, precision float32, mask none, bias "
          "none; rank 1 has q "
          "[2, rows, 5] of 9 rows, k [2, rows, 5] and v [2, rows, 5] of 9 rows, zigzag, scale as usual, "
          "softcap 0, precision float32, mask none, bias none"));
  EXPECT_EQ(errors_with(12, 4),
            std::vector<std::string>(3, "[ring_attention] q has 3 rows, expected 4 of 12 (rank 0 of 3)"));
  EXPECT_EQ(errors_with(2, 4), std::vector<std::string>(
                                   3,
                                   "[rows_of_rank] 2 rows for 3 ranks, expected at least one row for each: "
                                   "use fewer ranks (rank 0 of 3)"));
}

}  // namespace
}  // namespace fovea
