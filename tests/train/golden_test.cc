// Whole models against PyTorch in double: tests/data/make_train_goldens.py. scripts/compare_gradients runs
// this on models drawn anew (FOVEA_TRAIN_GOLDENS) and has the errors written down (FOVEA_TRAIN_ERRORS).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "fovea/safetensors.h"
#include "fovea/threads.h"
#include "fovea/train.h"
#include "support/finite_differences.h"
#include "support/instruction_sets.h"
#include "train/train_testing.h"

namespace fovea {
namespace {

using testing::expect_close;

std::string golden_file(const std::string& layout) {
  const char* folder = std::getenv("FOVEA_TRAIN_GOLDENS");
  return (folder != nullptr ? std::string(folder) : FOVEA_TEST_DATA "/train") + "/" + layout +
         ".safetensors";
}

double norm_of(const ConstView& x) {
  const Tensor rows = Tensor::copy_of(x);
  double sum = 0;
  for (Index i = 0; i < rows.shape().elements(); ++i) {
    sum += static_cast<double>(rows.data()[i]) * static_cast<double>(rows.data()[i]);
  }
  return std::sqrt(sum);
}

class TrainGolden : public ::testing::TestWithParam<const char*> {
 protected:
  TrainGolden() : golden(load_safetensors(golden_file(GetParam()))), model(config(), Random(1)) {
    for (const TrainableParameter& parameter : model.parameters()) {
      const Tensor& values = golden.tensor("parameter/" + parameter.name);
      EXPECT_EQ(values.shape(), parameter.shape) << parameter.name;
      std::copy_n(values.data(), values.shape().elements(), model.parameter(parameter.name).data());
    }
  }

  TrainableConfig config() const {
    TrainableConfig c = {.family = ModelFamily::gpt2,
                         .vocabulary = 37,
                         .layers = 2,
                         .heads = 3,
                         .width = 12,
                         .max_tokens = 12};
    if (GetParam() == std::string("llama")) {
      c.family = ModelFamily::llama;
      c.heads = 4;
      c.kv_heads = 2;
      c.width = 16;
      c.inner_width = 22;
      c.tied = false;
    }
    if (GetParam() == std::string("bert")) {
      c.family = ModelFamily::bert;
      c.inner_width = 18;
    }
    if (GetParam() == std::string("bart")) {
      c.family = ModelFamily::bart;
      c.inner_width = 18;
      c.pad_id = 0;
      c.begin_id = 1;
      c.end_id = 2;
    }
    return c;
  }

  TrainingBatch batch() const {
    return {golden.ids("ids"), golden.ids("targets"), testing::to_flags(golden.ids("real")),
            model.config().family == ModelFamily::bert ? golden.ids("segments") : Ids(),
            model.config().family == ModelFamily::bart ? golden.ids("decoder_ids") : Ids()};
  }
  // layout, parameter, our relative error: one line each, where a file is asked for.
  void write_errors() const {
    const char* file = std::getenv("FOVEA_TRAIN_ERRORS");
    if (file == nullptr) return;
    std::ofstream lines(file, std::ios::app);
    for (const TrainableParameter& parameter : model.parameters()) {
      const ConstView got = model.gradient(parameter.name);
      const Tensor& want = golden.tensor("gradient/" + parameter.name);
      Tensor difference = Tensor::copy_of(got);
      for (Index i = 0; i < want.shape().elements(); ++i) difference.data()[i] -= want.data()[i];
      lines << GetParam() << ' ' << parameter.name << ' ' << norm_of(difference) / norm_of(want) << '\n';
    }
  }

  // BART's gradients go back through cross-attention and more norms than the others': with these
  // weights PyTorch's own float32 is 1.2e-5 away in the embedding's norm, ours 1.5e-5 with SSE4
  // (scripts/compare_gradients).
  double tolerance() const { return model.config().family == ModelFamily::bart ? 2e-5 : 1e-5; }

  double number(const char* name) const { return static_cast<double>(golden.tensor(name)(0)); }

  NamedArrays golden;
  TrainableModel model;
};

// The gradient by the bias of the keys is zero, because softmax does not see what all keys of a row share:
// what is computed is rounding, to be small beside the gradient by the queries' bias. AdamW makes whole
// steps of it, so parameters after steps are compared without it.
bool is_key_bias(const std::string& name) {
  return name.ends_with("self.key.bias") || name.ends_with("k_proj.bias");
}
bool has_key_bias(const std::string& name) { return name.ends_with("attn.c_attn.bias"); }  // its third
ConstView without_key_bias(const std::string& name, const ConstView& x) {
  if (!has_key_bias(name)) return x;
  return ConstView(x.data(), {2, x.shape()[0] / 3}, {2 * (x.shape()[0] / 3), 1});  // queries, values
}

void expect_only_rounding(const std::string& name, const ConstView& key_bias, const ConstView& query_bias) {
  EXPECT_LE(norm_of(key_bias), 1e-5 * norm_of(query_bias)) << name;
}

const LossOptions kSmooth = {.label_smoothing = 0.1f};

TEST_P(TrainGolden, every_parameter_is_there) {
  std::size_t count = 0;
  for (const std::string& name : golden.names()) count += name.starts_with("parameter/");
  EXPECT_EQ(count, model.parameters().size());
}

TEST_P(TrainGolden, loss_and_gradients) {
  testing::on_every_instruction_set([&] {
    model.zero_gradients();
    EXPECT_NEAR(model.loss(batch(), kSmooth).mean(), number("loss"), 1e-5);
    const LossResult result = model.add_gradients(batch(), kSmooth);
    EXPECT_NEAR(result.mean(), number("loss"), 1e-5);
    const Ids& targets = golden.ids("targets");
    EXPECT_EQ(result.targets, targets.shape().elements() -
                                  std::count(targets.values().begin(), targets.values().end(), kIgnored));
    for (const TrainableParameter& parameter : model.parameters()) {
      const ConstView got = std::as_const(model).gradient(parameter.name);
      const Tensor& want = golden.tensor("gradient/" + parameter.name);
      if (is_key_bias(parameter.name)) {
        std::string query = parameter.name;
        const bool bart = model.config().family == ModelFamily::bart;
        query.replace(query.find(bart ? "k_proj" : "key"), bart ? 6 : 3, bart ? "q_proj" : "query");
        expect_only_rounding(parameter.name, got, std::as_const(model).gradient(query));
        continue;
      }
      if (has_key_bias(parameter.name)) {
        const Index width = got.shape()[0] / 3;
        expect_only_rounding(parameter.name, got.slice(0, width, 2 * width), got.slice(0, 0, width));
      }
      expect_close(parameter.name, got, want, tolerance());
    }
    write_errors();
  });
}

TEST_P(TrainGolden, two_steps_of_the_optimizer) {
  AdamW optimizer(model, {.weight_decay = 0.1});
  double norm = 0;
  for (int step = 0; step < 2; ++step) {
    model.zero_gradients();
    model.add_gradients(batch(), kSmooth);
    norm = gradient_norm(model);
    optimizer.step(model, 0.01, norm > 1 ? 1 / norm : 1);
  }
  EXPECT_NEAR(norm, number("norm"), 1e-4 * norm);
  EXPECT_NEAR(model.loss(batch(), kSmooth).mean(), number("loss_after"), 1e-4);
  for (const TrainableParameter& parameter : model.parameters()) {
    const std::string name = parameter.name;
    if (!golden.contains("after/" + name) || is_key_bias(name)) continue;
    expect_close(name, without_key_bias(name, std::as_const(model).parameter(name)),
                 without_key_bias(name, golden.tensor("after/" + name)), 1e-4);
  }
}

TEST_P(TrainGolden, recomputing_gives_the_same_bits) {
  model.zero_gradients();
  model.add_gradients(batch(), kSmooth);
  const std::vector<float> kept = testing::all_gradients(model);
  model.zero_gradients();
  LossOptions options = kSmooth;
  options.recompute = true;
  model.add_gradients(batch(), options);
  EXPECT_EQ(testing::all_gradients(model), kept);
}

TEST_P(TrainGolden, bits_do_not_depend_on_the_threads) {
  const int before = thread_count();
  const auto gradients = [&](int threads) {
    set_thread_count(threads);
    model.zero_gradients();
    model.add_gradients(batch(), kSmooth);
    return testing::all_gradients(model);
  };
  const std::vector<float> one = gradients(1), three = gradients(3);
  set_thread_count(before);
  EXPECT_EQ(one, three);
}

// What a class of src/models makes of the same parameters, token by token: the two definitions agree.
TEST_P(TrainGolden, the_model_that_runs_gives_the_same_logits) {
  const Tensor logits = model.logits(batch());
  const Model runs = model.to_model();
  const TrainingBatch b = batch();
  const Tensor want =
      runs.run({.ids = b.ids, .real = b.real, .segments = b.segments, .decoder_ids = b.decoder_ids}).logits;
  ASSERT_EQ(logits.shape(), want.shape());
  for (Index i = 0; i < want.shape().elements(); ++i) {
    if (b.decoder_ids.empty() && b.real.data()[i / want.shape().back()] == 0) continue;
    ASSERT_NEAR(logits.data()[i], want.data()[i], 2e-5f * (1 + std::abs(want.data()[i])));
  }
  EXPECT_EQ(runs.parameters(), model.parameter_count());
}

const auto kName = [](const auto& param) { return std::string(param.param); };
INSTANTIATE_TEST_SUITE_P(Layouts, TrainGolden, ::testing::Values("gpt2", "llama", "bert", "bart"), kName);

}  // namespace
}  // namespace fovea
