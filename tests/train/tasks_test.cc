#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fovea/training_tasks.h"
#include "support/message_of.h"

namespace fovea {
namespace {

TEST(SortData, sorted_digits_follow) {
  const auto data = training_data(SortTask{.digits = 8, .batch = 20});
  const TrainingBatch batch = data->batch(1, 0);
  EXPECT_EQ(batch.ids.shape(), Shape({20, 15}));
  for (Index b = 0; b < 20; ++b) {
    std::vector<Index> digits, sorted;
    for (Index n = 0; n < 8; ++n) digits.push_back(batch.ids(b, n));
    for (Index n = 0; n < 7; ++n) EXPECT_EQ(batch.targets(b, n), kIgnored);
    for (Index n = 7; n < 15; ++n) sorted.push_back(batch.targets(b, n));
    for (Index n = 8; n < 15; ++n) EXPECT_EQ(batch.ids(b, n), batch.targets(b, n - 1));
    std::sort(digits.begin(), digits.end());
    EXPECT_EQ(sorted, digits);
  }
}

TEST(SortData, a_batch_is_a_function_of_seed_and_number) {
  const auto data = training_data(SortTask{});
  EXPECT_EQ(data->batch(1, 5).ids, data->batch(1, 5).ids);
  EXPECT_NE(data->batch(1, 5).ids, data->batch(1, 6).ids);
  EXPECT_NE(data->batch(1, 5).ids, data->batch(2, 5).ids);
}

TEST(InductionData, repeats_with_periods_of_all_lengths) {
  using Part = InductionTask::Part;
  const InductionTask task = {.batch = 300};
  InductionTask first = task, repeats = task;
  first.part = Part::first;
  repeats.part = Part::repeats;
  const TrainingBatch all = training_data(task)->batch(3, 1), of_first = training_data(first)->batch(3, 1),
                      of_repeats = training_data(repeats)->batch(3, 1);
  EXPECT_EQ(all.ids, of_first.ids);
  std::set<Index> periods;
  for (Index b = 0; b < 300; ++b) {
    Index period = 1;  // the targets of the first period end before its repeat
    while (of_first.targets(b, period - 1) != kIgnored) ++period;
    periods.insert(period);
    for (Index n = 0; n < 64; ++n) {
      EXPECT_TRUE(n + 1 == 64 || all.targets(b, n) == all.ids(b, n + 1));
      EXPECT_TRUE(n < period || all.ids(b, n) == all.ids(b, n - period));
      EXPECT_EQ(of_repeats.targets(b, n), n + 1 > period ? all.targets(b, n) : kIgnored);
      EXPECT_TRUE(all.ids(b, n) >= 0 && all.ids(b, n) < 64);
    }
  }
  EXPECT_EQ(*periods.begin(), 8);
  EXPECT_EQ(*periods.rbegin(), 32);
  EXPECT_EQ(periods.size(), 25u);
}

TEST(Tasks, sizes_that_make_no_sense_are_errors) {
  EXPECT_THROW(training_data(SortTask{.digits = 0}), Error);
  EXPECT_THROW(training_data(InductionTask{.tokens = 32}), Error);
  EXPECT_THROW(training_data(InductionTask{.shortest_period = 9, .longest_period = 8}), Error);
}

}  // namespace
}  // namespace fovea
