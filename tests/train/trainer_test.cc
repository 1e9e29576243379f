#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "fovea/safetensors.h"
#include "fovea/threads.h"
#include "fovea/train.h"
#include "fovea/training_tasks.h"
#include "support/message_of.h"
#include "train/train_testing.h"

namespace fovea {
namespace {

using testing::all_gradients;
using testing::all_parameters;
using testing::message_of;
using testing::tiny_config;

// A file that is gone when the test is over.
struct TemporaryPath {
  explicit TemporaryPath(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("fovea-train-" + std::to_string(::getpid()) + name))
                 .string()) {}
  ~TemporaryPath() { std::filesystem::remove_all(path); }
  std::string path;
};

std::shared_ptr<const TrainingData> small_sort() {
  return training_data(SortTask{.digits = 4, .batch = 16});
}

Trainer small_trainer(TrainingOptions options, float dropout = 0, std::uint64_t seed = 3) {
  TrainableConfig config = tiny_config(ModelFamily::gpt2);
  config.dropout = dropout;
  return Trainer(TrainableModel(config, Random(seed)), options, small_sort(), small_sort());
}

TEST(Trainer, sort_is_learned_a_little) {
  TrainingOptions options = {.steps = 120, .rate = 5e-3, .warmup = 10};
  Trainer trainer = small_trainer(options);
  double first = 0, last = 0;
  const TrainingEnd end = trainer.run({.on_step = [&](const TrainingStep& step) {
    EXPECT_EQ(step.targets, 16 * 4);
    EXPECT_EQ(step.tokens, 16 * 7);
    if (step.step == 1) first = step.loss;
    last = step.loss;
  }});
  EXPECT_EQ(end, TrainingEnd::finished);
  EXPECT_EQ(trainer.step(), 120);
  EXPECT_NEAR(first, std::log(10.0), 0.15);
  EXPECT_LT(last, 0.6 * first);
  const TrainingEvaluation evaluation = trainer.evaluate();
  EXPECT_LT(evaluation.loss, 0.6 * first);
  EXPECT_GT(evaluation.accuracy, 0.4);
}

TEST(Trainer, the_other_layouts_learn_too) {
  for (const ModelFamily family : {ModelFamily::llama, ModelFamily::bert}) {
    // Of an encoder the sorted half is visible: it learns to look one to the right.
    Trainer trainer(TrainableModel(tiny_config(family), Random(3)),
                    {.steps = 40, .rate = 5e-3, .warmup = 5}, small_sort());
    double first = 0, last = 0;
    trainer.run({.on_step = [&](const TrainingStep& step) {
      if (step.step == 1) first = step.loss;
      last = step.loss;
    }});
    EXPECT_LT(last, 0.9 * first);
  }
}

// Two batches of 16 are one of 32: the loss is divided by all targets.
TEST(Trainer, accumulated_batches_are_as_one) {
  class Halves final : public TrainingData {
   public:
    explicit Halves(bool whole) : whole_(whole) {}
    TrainingBatch batch(std::uint64_t seed, Index number) const override {
      const TrainingBatch all = training_data(SortTask{.digits = 4, .batch = 32})->batch(seed, 0);
      if (whole_) return all;
      const Index first = number % 2 == 0 ? 0 : 20, rows = number % 2 == 0 ? 20 : 12, n = 7;
      TrainingBatch part = {Ids::filled({rows, n}, 0), Ids::filled({rows, n}, 0)};
      for (Index i = 0; i < rows * n; ++i) {
        part.ids.data()[i] = all.ids.data()[first * n + i];
        part.targets.data()[i] = all.targets.data()[first * n + i];
      }
      return part;
    }

   private:
    bool whole_;
  };
  const auto train = [](bool whole) {
    Trainer trainer(TrainableModel(tiny_config(ModelFamily::gpt2), Random(3)),
                    {.steps = 1, .accumulate = whole ? 1 : 2}, std::make_shared<Halves>(whole));
    const TrainingStep step = trainer.train_step();
    return std::pair{step, all_gradients(trainer.model())};
  };
  const auto [one, gradients_one] = train(true);
  const auto [two, gradients_two] = train(false);
  EXPECT_EQ(one.targets, two.targets);
  EXPECT_NEAR(one.loss, two.loss, 1e-6);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < gradients_one.size(); ++i) {
    error += std::pow(static_cast<double>(gradients_one[i] - gradients_two[i]), 2);
    norm += std::pow(static_cast<double>(gradients_one[i]), 2);
  }
  EXPECT_LT(std::sqrt(error / norm), 1e-5);
}

TEST(Trainer, the_rate_rises_and_falls) {
  TrainingOptions options = {
      .steps = 110, .rate = 2, .warmup = 10, .decay = RateDecay::cosine, .last_rate = 0.1};
  EXPECT_DOUBLE_EQ(rate_at(options, 0), 0.2);
  EXPECT_DOUBLE_EQ(rate_at(options, 9), 2);
  EXPECT_DOUBLE_EQ(rate_at(options, 10), 2);
  EXPECT_DOUBLE_EQ(rate_at(options, 60), 2 * 0.55);
  EXPECT_DOUBLE_EQ(rate_at(options, 110), 0.2);
  EXPECT_DOUBLE_EQ(rate_at(options, 500), 0.2);
  options.decay = RateDecay::linear;
  EXPECT_DOUBLE_EQ(rate_at(options, 35), 2 * (0.1 + 0.9 * 0.75));
  options.decay = RateDecay::constant;
  EXPECT_DOUBLE_EQ(rate_at(options, 100), 2);
}

TEST(Trainer, large_gradients_are_clipped) {
  const auto moved = [](double clip) {
    TrainingOptions options = {.steps = 1, .rate = 1, .clip = clip};
    options.adamw = {.beta1 = 0, .beta2 = 0, .epsilon = 1e3, .weight_decay = 0};  // nearly plain descent
    Trainer trainer = small_trainer(options);
    const std::vector<float> before = all_parameters(trainer.model());
    const TrainingStep step = trainer.train_step();
    const std::vector<float> after = all_parameters(trainer.model());
    double norm = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      norm += std::pow(static_cast<double>(after[i] - before[i]), 2);
    }
    return std::pair{std::sqrt(norm) * 1e3, step.gradient_norm};
  };
  const auto [free, norm] = moved(0);
  const auto [clipped, norm_again] = moved(0.01);
  EXPECT_NEAR(free, norm, 0.02 * norm);
  EXPECT_EQ(norm, norm_again);  // that before it is cut
  EXPECT_NEAR(clipped, 0.01, 0.001);
}

TEST(Trainer, goes_on_from_a_checkpoint_with_the_same_bits) {
  const TemporaryPath file(".safetensors");
  TrainingOptions options = {.steps = 9,
                             .accumulate = 2,
                             .rate = 3e-3,
                             .warmup = 2,
                             .label_smoothing = 0.05f,
                             .seed = 0xfedcba9876543210u,
                             .evaluate_every = 2,
                             .evaluation_batches = 1};
  Trainer whole = small_trainer(options, 0.2f);
  whole.run();

  Trainer first_half = small_trainer(options, 0.2f);
  for (int i = 0; i < 5; ++i) first_half.train_step();
  first_half.evaluate();
  first_half.save_checkpoint(file.path);
  const int before = thread_count();
  set_thread_count(3);
  Trainer second_half = Trainer::load_checkpoint(file.path, small_sort(), small_sort());
  EXPECT_EQ(second_half.step(), 5);
  EXPECT_EQ(second_half.options().seed, options.seed);
  second_half.run();
  set_thread_count(before);
  EXPECT_EQ(all_parameters(second_half.model()), all_parameters(whole.model()));
}

TEST(Trainer, another_seed_is_another_training) {
  const auto train = [](std::uint64_t seed) {
    Trainer trainer = small_trainer({.steps = 2, .seed = seed});
    trainer.run();
    return all_parameters(trainer.model());
  };
  EXPECT_EQ(train(1), train(1));
  EXPECT_NE(train(1), train(2));
}

TEST(Trainer, stops_when_nothing_gets_better) {
  // A rate so small that float32 does not move: every evaluation is as the first.
  TrainingOptions options = {
      .steps = 50, .rate = 1e-30, .evaluate_every = 2, .evaluation_batches = 1, .patience = 3};
  Trainer trainer = small_trainer(options);
  std::vector<bool> best;
  const TemporaryPath file("-early.safetensors");
  EXPECT_EQ(trainer.run({.on_evaluation = [&](const TrainingEvaluation& e) { best.push_back(e.best); },
                         .checkpoint = file.path}),
            TrainingEnd::early);
  EXPECT_EQ(best, std::vector<bool>({true, false, false, false}));
  EXPECT_EQ(trainer.step(), 8);
  // The checkpoint knows that it is over.
  Trainer again = Trainer::load_checkpoint(file.path, small_sort(), small_sort());
  EXPECT_EQ(again.run(), TrainingEnd::early);
  EXPECT_EQ(again.step(), 8);
}

TEST(Trainer, a_stop_saves_what_was_done) {
  const TemporaryPath file("-stopped.safetensors");
  Trainer trainer = small_trainer({.steps = 1000});
  std::stop_source stop;
  EXPECT_THROW(trainer.run({.on_step =
                                [&](const TrainingStep& step) {
                                  if (step.step == 3) stop.request_stop();
                                },
                            .checkpoint = file.path,
                            .stop = stop.get_token()}),
               Stopped);
  EXPECT_EQ(Trainer::load_checkpoint(file.path, small_sort()).step(), 3);
}

TEST(Trainer, not_a_number_is_told_with_step_and_place) {
  Trainer trainer = small_trainer({.steps = 10});
  trainer.train_step();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  View weight = trainer.model().parameter("transformer.h.1.mlp.c_fc.weight");
  const float before = weight(2, 3);
  weight(2, 3) = nan;
  EXPECT_EQ(message_of([&] { trainer.train_step(); }),
            "[train] step 2: the loss is nan; the parameter transformer.h.1.mlp.c_fc.weight is not finite");
  weight(2, 3) = before;
  const std::vector<float> parameters = all_parameters(trainer.model());
  // An overflow between the layers: large weights that are finite.
  View wide = trainer.model().parameter("transformer.h.1.mlp.c_proj.weight");
  const Tensor kept = Tensor::copy_of(wide);
  for (Index i = 0; i < kept.shape().elements(); ++i) wide.data()[i] = i % 2 == 0 ? 3e38f : -3e38f;
  View bias = trainer.model().parameter("transformer.h.1.mlp.c_fc.bias");
  const Tensor kept_bias = Tensor::copy_of(bias);
  for (Index i = 0; i < kept_bias.shape().elements(); ++i) bias(i) = 1;
  EXPECT_EQ(message_of([&] { trainer.train_step(); }),
            "[train] step 2: the loss is nan; the output of layer 1 is not finite");
  std::copy_n(kept.data(), kept.shape().elements(), wide.data());
  std::copy_n(kept_bias.data(), kept_bias.shape().elements(), bias.data());
  EXPECT_EQ(all_parameters(trainer.model()), parameters);
  EXPECT_EQ(trainer.train_step().step, 2);  // and goes on
}

TEST(Trainer, a_gradient_that_overflows_is_told) {
  Trainer trainer = small_trainer({.steps = 10});
  // Norms divide it away on the way forward; on the way back it multiplies.
  View norm = trainer.model().parameter("transformer.h.0.ln_1.weight");
  for (Index i = 0; i < 16; ++i) norm(i) = 1e25f;
  const std::string message = message_of([&] { trainer.train_step(); });
  EXPECT_NE(message.find("[train] step 1: the loss is "), std::string::npos) << message;
  EXPECT_NE(message.find("not finite"), std::string::npos) << message;
}

// The loss is a number, all gradients are, but nothing could be said about their size.
TEST(Trainer, a_gradient_whose_square_overflows_is_told) {
  Trainer trainer = small_trainer({.steps = 10});
  const std::vector<std::pair<const char*, float>> sizes = {{"transformer.ln_f.weight", 5e37f},
                                                            {"transformer.wte.weight", 1e-38f}};
  for (const auto& [name, size] : sizes) {
    View parameter = trainer.model().parameter(name);
    for (Index i = 0; i < parameter.shape().elements(); ++i) parameter.data()[i] = size;
  }
  const std::vector<float> parameters = all_parameters(trainer.model());
  const std::string message = message_of([&] { trainer.train_step(); });
  EXPECT_TRUE(message.starts_with("[train] step 1: the loss is 2.")) << message;
  EXPECT_TRUE(message.ends_with("but the gradient is not finite: its square overflows")) << message;
  EXPECT_EQ(all_parameters(trainer.model()), parameters);
}

TEST(Trainer, options_that_make_no_sense_are_errors) {
  EXPECT_NE(message_of([] { small_trainer({.accumulate = 0}); }).find("0 batches per step"),
            std::string::npos);
  EXPECT_NE(message_of([] { small_trainer({.rate = -1}); }).find("rate -1"), std::string::npos);
  EXPECT_EQ(
      message_of([] { Trainer(TrainableModel(tiny_config(ModelFamily::gpt2), Random(1)), {}, nullptr); }),
      "[train] there is no data to train on");
}

TEST(Checkpoint, what_is_no_checkpoint_is_an_error) {
  const TemporaryPath file("-other.safetensors");
  NamedArrays arrays;
  arrays.add("x", Tensor({2}));
  save_safetensors(file.path, arrays);
  EXPECT_EQ(message_of([&] { Trainer::load_checkpoint(file.path, small_sort()); }),
            "[train] " + file.path + ": not a training checkpoint: its header has no \"fovea.training\"");
  arrays.metadata()["fovea.training"] = R"({"version":1,"config":{},"step":-1})";
  save_safetensors(file.path, arrays);
  const std::string message = message_of([&] { Trainer::load_checkpoint(file.path, small_sort()); });
  for (const char* part : {"family: expected a known name", "heads: expected an integer",
                           "options: expected an object", "step: expected 0 or more"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(Checkpoint, tensors_that_are_missing_are_named) {
  const TemporaryPath file("-short.safetensors");
  Trainer trainer = small_trainer({.steps = 3});
  trainer.save_checkpoint(file.path);
  const NamedArrays whole = load_safetensors(file.path);
  NamedArrays part;
  part.metadata() = whole.metadata();
  for (const NamedArrays::Entry& entry : whole) {
    if (entry.name != "adamw.second/transformer.wpe.weight")
      part.add(entry.name, std::get<Tensor>(entry.array));
  }
  save_safetensors(file.path, part);
  EXPECT_EQ(message_of([&] { Trainer::load_checkpoint(file.path, small_sort()); }),
            "[train] " + file.path +
                ": tensors do not fit: adamw.second/transformer.wpe.weight is missing, expected [16, 16]");
  NamedArrays other_names;  // all of them are missing then: the message does not list them all
  other_names.metadata() = whole.metadata();
  for (const NamedArrays::Entry& entry : whole) other_names.add("x" + entry.name, Tensor(entry.shape()));
  save_safetensors(file.path, other_names);
  const std::string message = message_of([&] { Trainer::load_checkpoint(file.path, small_sort()); });
  EXPECT_NE(message.find("; … and "), std::string::npos) << message;
  EXPECT_LT(message.size(), 1200u);
}

// The model would be drawn before its tensors are looked for. (The digits come before those that are there.
// More of them would make a broken check take minutes and gigabytes to show.)
TEST(Checkpoint, a_config_alone_takes_no_memory) {
  const TemporaryPath file("-claim.safetensors");
  Trainer trainer = small_trainer({.steps = 3});
  trainer.save_checkpoint(file.path);
  const NamedArrays whole = load_safetensors(file.path);
  for (const auto& [from, to] :
       {std::pair("\"vocabulary\":", "\"vocabulary\":99"), std::pair("\"layers\":", "\"layers\":99"),
        std::pair("\"inner_width\":", "\"inner_width\":99"),
        std::pair("\"max_tokens\":", "\"max_tokens\":99")}) {
    NamedArrays changed;
    for (const NamedArrays::Entry& entry : whole) changed.add(entry.name, std::get<Tensor>(entry.array));
    std::string text = whole.metadata().at("fovea.training");
    text.replace(text.find(from), std::string(from).size(), to);
    changed.metadata()["fovea.training"] = text;
    save_safetensors(file.path, changed);
    const std::string message = message_of([&] { Trainer::load_checkpoint(file.path, small_sort()); });
    EXPECT_NE(message.find("parameters or more, the file holds "), std::string::npos)
        << to << ": " << message;
  }
}

TEST(Checkpoint, a_folder_that_is_not_there_leaves_nothing) {
  const Trainer trainer = small_trainer({.steps = 3});
  EXPECT_THROW(trainer.save_checkpoint("/no-such-folder/checkpoint.safetensors"), Error);
}

}  // namespace
}  // namespace fovea
