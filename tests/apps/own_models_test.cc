// The models in models/, which are installed with the command: what they can do, and which head does it.
#include <algorithm>
#include <unordered_set>

#include "core/dropout.h"
#include "fovea/coreference.h"
#include "fovea/head_roles.h"
#include "fovea/measures.h"
#include "fovea/pointing.h"
#include "fovea/text_model.h"
#include "fovea/training_tasks.h"
#include "run_command.h"

namespace fovea {
namespace {

std::string own(const std::string& name) { return std::string(FOVEA_TEST_DATA) + "/../../models/" + name; }

// A list of eight digits as one number.
Index number_of(const TrainingBatch& batch, Index b) {
  Index number = 0;
  for (Index n = 0; n < 8; ++n) number = 10 * number + batch.ids(b, n);
  return number;
}

// The training's own lists are drawn again (scripts/train_models: seed 1, 3,000 batches of 64) and left
// out.
TEST(OwnModels, sort_sorts_lists_it_has_never_seen) {
  constexpr Index kLists = 10'000, kBatch = 2000;
  std::unordered_set<Index> learned;
  const auto lessons = training_data(SortTask{});
  for (Index step = 0; step < 3000; ++step) {
    const TrainingBatch batch = lessons->batch(mix_bits(mix_bits(1)), step);
    for (Index b = 0; b < 64; ++b) learned.insert(number_of(batch, b));
  }
  EXPECT_GT(learned.size(), 190'000u);

  TrainableModel model = load_pretrained(own("sort"));
  const auto data = training_data(SortTask{.batch = kBatch});
  Index right = 0, lists = 0;
  for (Index number = 0; lists < kLists; ++number) {
    TrainingBatch batch = data->batch(20260, number);
    for (Index b = 0; b < kBatch; ++b) {  // a list without targets is right, and not counted
      if (learned.insert(number_of(batch, b)).second) continue;
      for (Index n = 0; n < 15; ++n) batch.targets(b, n) = kIgnored;
      --lists, --right;
    }
    const BatchScore score = score_batch(model, batch);
    lists += score.sequences;
    right += score.right;
  }
  EXPECT_GE(right * 1000, lists * 999) << right << " of " << lists;
}

TEST(OwnModels, sort_writes_what_it_was_asked_for) {
  const CommandResult result = run_fovea({"generate", "--model", "sort", "3 1 4 1 5 9 2 6"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "3 1 4 1 5 9 2 6 1 1 2 3 4 5 6 9\n");
  EXPECT_EQ(run_fovea({"generate", "--model", "sort", "31415926"}).out, result.out);
}

struct InductionLosses {
  double first = 0, repeats = 0;
};

InductionLosses induction_losses(TrainableModel& model) {
  InductionTask task = {.batch = 200};
  task.part = InductionTask::Part::first;
  const double first = model.loss(training_data(task)->batch(20261, 0)).mean();
  task.part = InductionTask::Part::repeats;
  return {first, model.loss(training_data(task)->batch(20261, 0)).mean()};
}

// Sets what a head adds to the stream to zero: its columns of the output projection [E, H · D].
void ablate(TrainableModel& model, Index layer, Index head) {
  View weights = model.parameter("model.layers." + std::to_string(layer) + ".self_attn.o_proj.weight");
  const Index width = weights.shape()[1], each = width / model.config().heads;
  for (Index row = 0; row < weights.shape()[0]; ++row) {
    for (Index n = 0; n < each; ++n) weights.data()[row * width + head * each + n] = 0;
  }
}

struct NamedHead {
  Index layer = 0, head = 0;
  double score = 0;
};

// The heads whose role is induction, on a text of words that come twice; the best first.
std::vector<NamedHead> induction_heads(const TextModel& model) {
  const std::string words =
      "old tree red moon big bird sing new song hot tea cold rain black hen white snow run fast ";
  const AttentionMeasures measures = measure_attention(model.read({words + words}).run);
  std::vector<NamedHead> named;
  for (std::size_t layer = 0; layer < measures.heads.size(); ++layer) {
    for (std::size_t head = 0; head < measures.heads[layer].size(); ++head) {
      const HeadMeasures& measured = measures.heads[layer][head];
      if (role_of(measured).id != "induction") continue;
      named.push_back({static_cast<Index>(layer), static_cast<Index>(head), measured[Measure::induction]});
    }
  }
  std::sort(named.begin(), named.end(),
            [](const NamedHead& a, const NamedHead& b) { return a.score > b.score; });
  return named;
}

// Several of its heads share the work.
TEST(OwnModels, induction_foretells_repeats_and_the_measure_names_the_heads_that_do_it) {
  TrainableModel model = load_pretrained(own("induction"));
  const InductionLosses whole = induction_losses(model);
  EXPECT_LT(whole.repeats, whole.first / 100);

  const std::vector<NamedHead> named = induction_heads(TextModel::load(own("induction")));
  ASSERT_GE(named.size(), 1u);
  ASSERT_LT(named.size(), 4u);  // not simply all heads of a layer
  for (const NamedHead& head : named) EXPECT_EQ(head.layer, 1);
  EXPECT_GT(named.front().score, 0.8);

  ablate(model, named.front().layer, named.front().head);
  const InductionLosses without_one = induction_losses(model);
  EXPECT_GT(without_one.repeats, 20 * whole.repeats);
  EXPECT_GT(without_one.repeats, without_one.first / 10);
  for (const NamedHead& head : named) ablate(model, head.layer, head.head);
  const InductionLosses without_all = induction_losses(model);
  EXPECT_GT(without_all.repeats, 0.9 * whole.first);
  EXPECT_LT(without_all.first, 1.2 * whole.first);  // what nobody can know was not touched
  RecordProperty("losses", std::to_string(whole.first) + " " + std::to_string(whole.repeats) + " " +
                               std::to_string(without_one.repeats) + " " +
                               std::to_string(without_all.repeats));
}

// What the induction heads read was written by the head that looks one word back: without it they know
// nothing, without the head that does so least they still know most of it.
TEST(OwnModels, induction_needs_its_previous_token_head) {
  const TextModel text_model = TextModel::load(own("induction"));
  const AttentionMeasures measures = measure_attention(text_model.read({"old tree red moon big bird"}).run);
  std::vector<std::pair<double, Index>> order;  // by how much they look at the previous word
  for (const HeadMeasures& head : measures.heads[0]) {
    order.emplace_back(head[Measure::previous_token], static_cast<Index>(order.size()));
  }
  std::sort(order.begin(), order.end());
  EXPECT_GT(order.back().first, 0.9);
  const auto losses_without = [](Index head) {
    TrainableModel model = load_pretrained(own("induction"));
    ablate(model, 0, head);
    return induction_losses(model);
  };
  const InductionLosses without_least = losses_without(order.front().second),
                        without_most = losses_without(order.back().second);
  EXPECT_LT(without_least.repeats, without_least.first / 2);
  EXPECT_GT(without_most.repeats, without_least.first);
  RecordProperty("losses",
                 std::to_string(order.back().second) + " " + std::to_string(order.front().second) + " " +
                     std::to_string(without_most.repeats) + " " + std::to_string(without_least.repeats));
}

std::vector<PointingCase> pointing_cases(CoreferencePart part, CoreferencePeople people, bool swapped) {
  std::vector<PointingCase> cases;
  for (CoreferenceSentence each : coreference_sentences(part, people, 300, 77)) {
    if (swapped) each = with_names_swapped(each);
    cases.push_back({each.text, each.pronoun, each.right, each.other});
  }
  return cases;
}

// The head is chosen on other pairs of people than it is tested on.
TEST(OwnModels, coreference_looks_at_the_person_whom_the_pronoun_stands_for) {
  using Split = CoreferencePart;
  using People = CoreferencePeople;
  const TextModel trained = TextModel::load(own("coreference"));
  const HeadChoice head = best_pointing_head(
      measure_pointing(trained, pointing_cases(Split::development, People::different, false)));
  EXPECT_EQ(head.name(), "L0H1");  // as the card says
  for (const bool swapped : {false, true}) {
    const PointingReport report =
        measure_pointing(trained, pointing_cases(Split::test, People::different, swapped));
    EXPECT_GE(report.at(head).right_share(), 0.95);
    EXPECT_GE(report.at(head).largest_share(), 0.95);
    EXPECT_GE(report.named * 100, report.cases * 95);
  }
  // Nobody can know, and it does not: four standard deviations around the half.
  const PointingReport same = measure_pointing(trained, pointing_cases(Split::test, People::same, false));
  EXPECT_NEAR(same.at(head).right_share(), 0.5, 0.12);
  EXPECT_NEAR(same.right_probability, same.other_probability, 0.1);

  const TrainableModel beginning(load_pretrained(own("coreference")).config(), Random(1));
  const TextModel untrained(beginning.to_model(), trained.tokenizer());
  const PointingReport before =
      measure_pointing(untrained, pointing_cases(Split::test, People::different, false));
  EXPECT_NEAR(before.at(head).right_share(), 0.5, 0.12);
  EXPECT_LT(before.named, 30);
}

TEST(OwnModels, the_command_knows_them) {
  const TemporaryDirectory cache;
  const std::vector<std::string> nothing = {"XDG_CACHE_HOME=" + cache.file("")};
  const CommandResult list = run_fovea({"model", "list"}, nothing);
  EXPECT_TRUE(contains(list.out, "induction     installed")) << list.out;
  EXPECT_TRUE(contains(list.out, "sort          installed")) << list.out;
  EXPECT_TRUE(contains(list.out, "coreference   installed")) << list.out;
  for (const char* name : {"sort", "induction", "coreference"}) {
    EXPECT_EQ(run_fovea({"model", "check", name}, nothing).exit_code, 0);
    std::uintmax_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(own(name))) bytes += file.file_size();
    EXPECT_LT(bytes, 500'000u) << name;
    EXPECT_TRUE(std::filesystem::exists(own(name) + "/README.md"));
  }
}

TEST(OwnModels, a_model_put_beside_the_fetched_ones_is_listed) {
  const TemporaryDirectory cache;
  std::filesystem::create_directories(cache.file("fovea/models"));
  std::filesystem::copy(own("sort"), cache.file("fovea/models/mine"));
  const std::vector<std::string> there = {"XDG_CACHE_HOME=" + cache.file("")};
  EXPECT_TRUE(contains(run_fovea({"model", "list"}, there).out, "mine          installed"));
  EXPECT_EQ(run_fovea({"generate", "--model", "mine", "2 1 2 1 2 1 2 1"}, there).out,
            "2 1 2 1 2 1 2 1 1 1 1 1 2 2 2 2\n");
}

}  // namespace
}  // namespace fovea
