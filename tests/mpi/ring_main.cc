// The ring over the processes of mpirun: every rank puts the whole together and compares it with the double
// reference. mpirun -n 3 test_mpi
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "distributed/mpi/mpi_group.h"
#include "fovea/threads.h"
#include "support/ring_case.h"

namespace fovea {
namespace {

std::unique_ptr<Ranks> world;

TEST(Mpi, forward_backward_and_statistics_are_those_of_one_process) {
  const testing::OneThread one_thread;
  for (const auto& feature : testing::ring_features()) {
    SCOPED_TRACE(std::string(feature.name) + " on rank " + std::to_string(world->rank()));
    testing::RingCase c;
    feature.apply(c);
    const testing::RingResults results = run_ring(*world, c);
    if (world->rank() == 0) expect_ring(results, c);
    const std::string bits = bits_of(results);
    EXPECT_EQ(world->gather(bits), std::vector<std::string>(static_cast<std::size_t>(world->size()), bits));
  }
}

TEST(Mpi, twenty_repetitions_have_the_same_bits) {
  testing::RingCase c;
  c.n = c.m = 301, c.options.mask = Mask::causal();
  c.options.bias = Bias::alibi(alibi_slopes(c.heads));
  const std::string first = bits_of(run_ring_here(*world, c));
  for (int again = 0; again < 20; ++again) ASSERT_EQ(bits_of(run_ring_here(*world, c)), first);
}

TEST(Mpi, a_cache_may_be_spread_over_ranks) {
  const testing::OneThread one_thread;
  testing::expect_spread_cache(*world);
}

// Messages longer than any buffer, while the other ranks compute.
TEST(Mpi, large_blocks_arrive_whole) {
  const Index rows = 20000;
  Tensor k = Tensor::uninitialized({1, rows, 64}), v = Tensor::uninitialized({1, rows, 1});
  for (Index j = 0; j < rows; ++j) {
    v(0, j, 0) = static_cast<float>(j);
    for (Index c = 0; c < 64; ++c) k(0, j, c) = j == 12345 ? 1.0f : -1.0f;
  }
  const Tensor q = Tensor::filled({1, static_cast<Index>(world->size()), 64}, 4.0f);
  const RowLayout layout = RowLayout::zigzag;
  const AttentionResult got =
      ring_attention(*world, testing::own_rows(*world, q, layout), testing::own_rows(*world, k, layout),
                     testing::own_rows(*world, v, layout), {q.shape()[1], rows});
  EXPECT_EQ(got.output(0, 0, 0), 12345.0f);
}

TEST(Mpi, a_rank_that_differs_is_told_by_all) {
  if (world->size() == 1) return;
  const Index rows = world->size();
  const Tensor x = Random(1).normal({1, 1, world->rank() == 1 ? 5 : 4});
  try {
    ring_attention(*world, x, x, x, {rows, rows});
    FAIL() << "no error";
  } catch (const AgreedError& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1 has q [1, rows, 5]"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fovea

int main(int count, char** values) {
  ::testing::InitGoogleTest(&count, values);
  fovea::world =
      std::make_unique<fovea::Ranks>(std::unique_ptr<fovea::RankGroup>(fovea_mpi_group(nullptr)));
  if (fovea::world->rank() != 0) {  // one report is enough, unless something fails
    ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (std::getenv("FOVEA_ALL_RANKS") == nullptr)
      delete listeners.Release(listeners.default_result_printer());
  }
  const int failed = RUN_ALL_TESTS();
  if (failed != 0) fovea::world->abort(1);
  fovea::world.reset();
  return 0;
}
