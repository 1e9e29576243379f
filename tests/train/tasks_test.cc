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

TEST(AdditionData, held_out_pairs_are_never_learned) {
  const auto learned = training_data(AdditionTask{.modulus = 11, .batch = 2000}),
             held_out = training_data(AdditionTask{.modulus = 11, .batch = 2000, .held_out = true});
  const auto pairs_of = [](const TrainingBatch& batch) {
    EXPECT_EQ(batch.ids.shape(), Shape({2000, 4}));
    std::set<std::pair<Index, Index>> pairs;
    for (Index row = 0; row < 2000; ++row) {
      const Index a = batch.ids(row, 0), b = batch.ids(row, 2);
      EXPECT_EQ(batch.ids(row, 1), 11);
      EXPECT_EQ(batch.ids(row, 3), 12);
      EXPECT_EQ(batch.targets(row, 2), kIgnored);
      EXPECT_EQ(batch.targets(row, 3), (a + b) % 11);
      pairs.emplace(a, b);
    }
    return pairs;
  };
  const auto seen = pairs_of(learned->batch(1, 0)), kept = pairs_of(held_out->batch(2, 0));
  EXPECT_EQ(seen.size() + kept.size(), 121u);  // drawn so often that all of them came
  for (const auto& pair : kept) EXPECT_EQ(seen.count(pair), 0u);
  EXPECT_GT(kept.size(), 10u);
  EXPECT_LT(kept.size(), 40u);
}

std::shared_ptr<const std::vector<Index>> counting(Index tokens) {
  std::vector<Index> ids;
  for (Index i = 0; i < tokens; ++i) ids.push_back(i);
  return std::make_shared<const std::vector<Index>>(std::move(ids));
}

TEST(TextData, windows_of_either_part) {
  TextTask task = {.ids = counting(200), .tokens = 10, .batch = 500};
  const TrainingBatch learned = training_data(task)->batch(1, 0);
  task.held_out = true;
  const TrainingBatch held_out = training_data(task)->batch(1, 0);
  std::set<Index> first, second;
  for (Index b = 0; b < 500; ++b) {
    first.insert(learned.ids(b, 0));
    second.insert(held_out.ids(b, 0));
    for (Index n = 0; n < 10; ++n) {
      EXPECT_EQ(learned.targets(b, n), learned.ids(b, n) + 1);
      EXPECT_EQ(learned.ids(b, n), learned.ids(b, 0) + n);
      EXPECT_EQ(held_out.targets(b, n), held_out.ids(b, n) + 1);
    }
  }
  EXPECT_EQ(*first.begin(), 0);
  EXPECT_EQ(*first.rbegin(), 169);  // the last target is token 179, the last that is learned
  EXPECT_EQ(*second.begin(), 180);
  EXPECT_EQ(*second.rbegin(), 189);
}

TEST(TextData, masked_tokens_are_the_targets) {
  const TextTask task = {
      .ids = counting(300), .tokens = 50, .batch = 200, .mask_id = 300, .vocabulary = 301};
  const TrainingBatch batch = training_data(task)->batch(1, 0);
  Index targets = 0, masked = 0, same = 0;
  for (Index b = 0; b < 200; ++b) {
    Index in_row = 0;
    for (Index n = 0; n < 50; ++n) {
      const Index target = batch.targets(b, n), id = batch.ids(b, n);
      if (target == kIgnored) continue;
      ++in_row;
      masked += id == 300;
      same += id == target;
    }
    EXPECT_GE(in_row, 1);
    targets += in_row;
  }
  const auto share = [&](Index part, Index all) {
    return static_cast<double>(part) / static_cast<double>(all);
  };
  EXPECT_NEAR(share(targets, 10000), 0.15 + 0.85 / 50, 0.02);
  EXPECT_NEAR(share(masked, targets), 0.8, 0.04);
  EXPECT_NEAR(share(same, targets), 0.1, 0.03);
}

TEST(TextData, short_texts) {
  EXPECT_EQ(testing::message_of([] { text_parts(1); }),
            "[train] the text has 1 token, expected at least 4: two to learn from, two to evaluate on");
  EXPECT_EQ(text_parts(4).learned, 2);
  EXPECT_EQ(text_parts(1000).held_out, 100);
  const TextTask task = {.ids = counting(6), .tokens = 100, .batch = 1, .held_out = true};
  EXPECT_EQ(training_data(task)->batch(0, 0).ids.shape(), Shape({1, 1}));
  EXPECT_THROW(training_data(TextTask{}), Error);
}

// An embedding that names itself and nothing else: the likeliest next token is the token itself.
TEST(ScoreBatch, counts_targets_and_whole_sequences) {
  TrainableConfig config;
  config.vocabulary = 4;
  config.layers = 1, config.heads = 1, config.width = 4, config.max_tokens = 3;
  TrainableModel model(config, Random(1));
  for (const TrainableParameter& parameter : model.parameters()) {
    View values = model.parameter(parameter.name);
    std::fill_n(values.data(), parameter.shape.elements(),
                parameter.name == "transformer.ln_f.weight" ? 1.0f : 0.0f);
  }
  View table = model.parameter("transformer.wte.weight");
  for (Index i = 0; i < 4; ++i) table.data()[i * 4 + i] = 1;
  const TrainingBatch batch = {Ids({2, 3}, {0, 1, 2, 3, 2, 1}), Ids({2, 3}, {0, 1, kIgnored, 3, 2, 0})};
  const BatchScore score = score_batch(model, batch);
  EXPECT_EQ(score.sequences, 2);
  EXPECT_EQ(score.right, 1);
  EXPECT_EQ(score.targets, 5);
  EXPECT_EQ(score.correct, 4);
}

// Every pair once per epoch; the decoder reads what it should have written so far.
TEST(TrainingTasks, translation_goes_through_all_pairs) {
  const auto pairs = std::make_shared<std::vector<TokenPair>>();
  for (Index i = 0; i < 21; ++i) {
    std::vector<Index> source(static_cast<std::size_t>(1 + i % 4), 10 + i);
    source.push_back(1);
    pairs->push_back({source, {40 + i, 1}});
  }
  const auto data = training_data(TranslationTask{pairs, 4, 0, 2});
  std::multiset<Index> seen;
  for (Index number = 0; number < 6; ++number) {
    const TrainingBatch batch = data->batch(5, number);
    const Index rows = batch.ids.shape()[0];
    EXPECT_EQ(rows, number < 5 ? 4 : 1);
    for (Index b = 0; b < rows; ++b) {
      const Index i = batch.targets(b, 0) - 40;
      seen.insert(i);
      EXPECT_EQ(batch.decoder_ids(b, 0), 2);
      EXPECT_EQ(batch.decoder_ids(b, 1), 40 + i);
      EXPECT_EQ(batch.targets(b, 1), 1);
      const std::vector<Index>& source = (*pairs)[static_cast<std::size_t>(i)].source;
      for (Index n = 0; n < batch.ids.shape()[1]; ++n) {
        const bool real = n < static_cast<Index>(source.size());
        EXPECT_EQ(batch.ids(b, n), real ? source[static_cast<std::size_t>(n)] : 0);
        EXPECT_EQ(batch.real(b, n), real ? 1 : 0);
      }
    }
  }
  EXPECT_EQ(seen.size(), 21u);
  EXPECT_EQ(std::set<Index>(seen.begin(), seen.end()).size(), 21u);
  EXPECT_EQ(data->batch(5, 3).ids.values(), data->batch(5, 3).ids.values());
  EXPECT_NE(data->batch(5, 3).targets.values(), data->batch(5, 9).targets.values());  // another epoch
  EXPECT_THROW(training_data(TranslationTask{}), Error);
}

}  // namespace
}  // namespace fovea
