// What heads pass on, against transformers (make_whatif_goldens.py), in every form that a run gives it.
#include "fovea/passed_on.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fovea/capture.h"
#include "fovea/error.h"
#include "fovea/measures.h"
#include "models/model_testing.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace fovea {
namespace {

using testing::expect_near;

// Layer 1 of a model's run, of cross-attention where there is one.
class PassedOn : public ::testing::TestWithParam<const char*> {
 protected:
  PassedOn() {
    add_value_norms(model, run);
    choice.kind = kind;
    choice.layer = 1;
    choice.passed_on = true;
  }

  fovea::Run captured() const {
    ModelInput input{golden.ids("ids"), {}, {}, {}};
    if (golden.contains("decoder_ids")) input.decoder_ids = golden.ids("decoder_ids");
    Capture capture;
    RunOptions options;
    options.probe = &capture;
    model.run(input, options);
    return fovea::Run(std::move(capture));
  }

  Tensor of_head(Index head) const { return Tensor::copy_of(want.view().select(0, head)); }

  const Model model = load_model(testing::tiny_model(GetParam()));
  const NamedArrays golden = load_safetensors(testing::whatif_golden(GetParam()));
  const Tensor want = golden.tensor("passed");  // [H, N, M]
  const Index heads = want.shape()[0], n = want.shape()[1], m = want.shape()[2];
  const AttentionKind kind = model.config().is_encoder_decoder() ? AttentionKind::cross
                             : model.config().has_encoder()      ? AttentionKind::encoder
                                                                 : AttentionKind::decoder;
  fovea::Run run = captured();
  HeadChoice choice;
};

TEST_P(PassedOn, every_head_is_that_of_transformers) {
  for (choice.head = 0; choice.head < heads; ++choice.head) {
    const Tensor head = of_head(choice.head);
    expect_near(run.weights(choice), head, 1e-4, choice.name());
    expect_near(run.weights(choice, {1, 4, 2, 5}),
                Tensor::copy_of(head.view().slice(0, 1, 4).slice(1, 2, 5)), 1e-4, "a part");
  }
}

TEST_P(PassedOn, merged_heads_cells_and_column_sums) {
  for (const HeadMerge merge : {HeadMerge::mean, HeadMerge::max}) {
    choice.merge = merge;
    Tensor merged = Tensor::filled({n, m}, 0);
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < n * m; ++i) {
        const float value = want.data()[h * n * m + i];
        float& to = merged.data()[i];
        to = merge == HeadMerge::mean ? to + value / static_cast<float>(heads) : std::max(to, value);
      }
    }
    expect_near(run.weights(choice), merged, 1e-4, choice.name());
    expect_near(run.cells(choice, 1 << 20).mean, merged, 1e-4, "cells");
  }
  choice.merge = HeadMerge::none;
  choice.head = 2;
  const Tensor head = of_head(2);
  double sum = 0, largest = 0;
  for (Index i = 0; i < n * m; ++i) {
    sum += static_cast<double>(head.data()[i]);
    largest = std::max(largest, static_cast<double>(head.data()[i]));
  }
  const WeightCells one = run.cells(choice, 1);
  EXPECT_NEAR(one.mean(0, 0), sum / static_cast<double>(n * m), 1e-4);
  EXPECT_NEAR(one.max(0, 0), largest, 1e-4);
  const std::vector<double> received = received_attention(run, {choice});
  for (Index j = 0; j < m; ++j) {
    double column = 0;
    for (Index i = 0; i < n; ++i) column += static_cast<double>(head(i, j));
    EXPECT_NEAR(received[static_cast<std::size_t>(j)], column, 1e-4);
  }
}

TEST_P(PassedOn, measures) {
  choice.passed_on = false;
  for (choice.head = 0; choice.head < heads; ++choice.head) {
    const Tensor weights = run.weights(choice), passed = of_head(choice.head);
    std::vector<double> attended(static_cast<std::size_t>(m)), from(attended);
    double all = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        attended[static_cast<std::size_t>(j)] += static_cast<double>(weights(i, j));
        from[static_cast<std::size_t>(j)] += static_cast<double>(passed(i, j));
        all += static_cast<double>(passed(i, j));
      }
    }
    const auto sink = std::max_element(attended.begin(), attended.end()) - attended.begin();
    const HeadMeasures alone = measure_attention(run, choice);
    EXPECT_NEAR(alone[Measure::passed_on], all / static_cast<double>(n), 1e-4);
    EXPECT_NEAR(alone[Measure::sink_passed_on], from[static_cast<std::size_t>(sink)] / all, 1e-4);
    const AttentionMeasures layers = measure_attention(run.select(kind));
    const HeadMeasures& same = layers.heads[1][static_cast<std::size_t>(choice.head)];
    EXPECT_EQ(same[Measure::passed_on], alone[Measure::passed_on]);
    EXPECT_EQ(same[Measure::sink_passed_on], alone[Measure::sink_passed_on]);
    const HeadMeasures other = measure_attention(run, choice, {.measures = {Measure::entropy}});
    EXPECT_TRUE(std::isnan(other[Measure::passed_on]));
  }
}

TEST_P(PassedOn, is_saved_with_the_run) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("run.safetensors");
  run.save(path);
  const fovea::Run loaded = fovea::Run::load(path);
  EXPECT_TRUE(loaded.has_value_norms(kind));
  expect_near(loaded.weights(choice), of_head(0), 1e-4, "loaded");
}

INSTANTIATE_TEST_SUITE_P(Models, PassedOn, ::testing::Values("bert", "gpt2", "llama", "t5", "bart"));

// Of two sequences, each has its own values.
TEST(PassedOnOf, batches) {
  const Model model = load_model(testing::tiny_model("llama"));
  const auto run_of = [&](const Ids& ids) {
    Capture capture;
    RunOptions options;
    options.probe = &capture;
    model.run({ids, {}, {}, {}}, options);
    fovea::Run run(std::move(capture));
    add_value_norms(model, run);
    return run;
  };
  const fovea::Run both = run_of(Ids{{5, 6, 7, 8}, {9, 3, 4, 2}}), second = run_of(Ids{{9, 3, 4, 2}});
  HeadChoice choice{.kind = AttentionKind::decoder, .layer = 1, .head = 3, .passed_on = true};
  const Tensor want = second.weights(choice);
  choice.batch = 1;
  expect_near(both.weights(choice), want, 1e-6, "the second");
  choice.passed_on = false;
  const HeadMeasures in_batch = measure_attention(both, choice);
  choice.batch = 0;
  EXPECT_NEAR(in_batch[Measure::passed_on], measure_attention(second, choice)[Measure::passed_on], 1e-6);
  expect_near(both.select(AttentionKind::decoder, 1).layer(AttentionKind::decoder, 1).value_norms->view(),
              *second.layer(AttentionKind::decoder, 1).value_norms, 1e-6, "selected");
}

TEST(PassedOnOf, what_is_not_there) {
  const Model model = load_model(testing::tiny_model("gpt2"));
  Capture capture;
  RunOptions options;
  options.probe = &capture;
  model.run({Ids{{5, 6, 7}}, {}, {}, {}}, options);
  fovea::Run run(std::move(capture));
  HeadChoice choice{.kind = AttentionKind::decoder, .passed_on = true};
  EXPECT_FALSE(run.has_value_norms(AttentionKind::decoder));
  EXPECT_NE(testing::message_of([&] { run.weights(choice); }).find("what its heads pass on is not known"),
            std::string::npos);
  choice.passed_on = false;
  EXPECT_TRUE(std::isnan(measure_attention(run, choice)[Measure::passed_on]));
  EXPECT_THROW(run.set_value_norms(AttentionKind::decoder, 0, Tensor::filled({1, 2, 3}, 1)), Error);
  EXPECT_THROW(run.set_value_norms(AttentionKind::decoder, 0, Tensor::filled({1, 4, 3}, -1)), Error);
  EXPECT_THROW(run.set_value_norms(AttentionKind::decoder, 0, Tensor::filled({1, 4, 3}, NAN)), Error);
  const ConstView v = run.layer(AttentionKind::decoder, 0).v;
  EXPECT_THROW(value_norms(model, AttentionKind::decoder, 9, v), Error);
  EXPECT_THROW(value_norms(model, AttentionKind::cross, 0, v), Error);
  EXPECT_THROW(value_norms(model, AttentionKind::decoder, 0, v.slice(3, 0, 5)), Error);
  fovea::Run stored = fovea::Run::from_weights(Tensor::filled({3, 3}, 1.0f / 3));
  EXPECT_THROW(add_value_norms(model, stored), Error);
  add_value_norms(model, run);
  choice.passed_on = true;
  EXPECT_THROW(run.head(choice), Error);
}

}  // namespace
}  // namespace fovea
