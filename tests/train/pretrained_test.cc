#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "fovea/coreference.h"
#include "fovea/model.h"
#include "fovea/named_tensors.h"
#include "fovea/train.h"
#include "fovea/training_tasks.h"
#include "support/message_of.h"
#include "train/train_testing.h"

namespace fovea {
namespace {

using testing::message_of;
using testing::tiny_config;

struct TemporaryFolder {
  TemporaryFolder()
      : path((std::filesystem::temp_directory_path() / ("fovea-saved-" + std::to_string(::getpid())) /
              "model")
                 .string()) {}
  ~TemporaryFolder() { std::filesystem::remove_all(std::filesystem::path(path).parent_path()); }
  std::string path;
};

TrainableConfig uneven_config(ModelFamily family) {
  TrainableConfig config = tiny_config(family);
  config.inner_width = 20;
  if (family == ModelFamily::llama) config.kv_heads = 1, config.rope_theta = 500;
  if (family == ModelFamily::llama) config.tied = false;
  if (family == ModelFamily::bert) config.segments = 3;
  config.end_id = 9;
  return config;
}

TEST(SavePretrained, load_model_gives_the_same_logits) {
  for (const ModelFamily family :
       {ModelFamily::gpt2, ModelFamily::llama, ModelFamily::bert, ModelFamily::bart}) {
    const TemporaryFolder folder;
    TrainableModel model(uneven_config(family), Random(5));
    save_pretrained(folder.path, model);
    const Model loaded = load_model(folder.path);
    EXPECT_EQ(loaded.config().family, family);
    EXPECT_EQ(loaded.config().inner_width, 20);
    EXPECT_EQ(loaded.config().max_tokens, 16);
    const std::vector<Index> end = {9};
    EXPECT_EQ(loaded.config().end_ids, family == ModelFamily::bert ? std::vector<Index>() : end);
    EXPECT_EQ(loaded.parameters(), model.parameter_count());
    const Ids ids = {{1, 2, 3, 4, 5, 6, 7}, {9, 8, 7, 6, 5, 4, 3}};
    const Ids decoder_ids = family == ModelFamily::bart ? Ids{{9, 1, 2}, {9, 3, 4}} : Ids();
    const Tensor got = loaded.run({.ids = ids, .decoder_ids = decoder_ids}).logits,
                 want = model.logits({.ids = ids, .targets = {}, .decoder_ids = decoder_ids});
    ASSERT_EQ(got.shape(), want.shape());
    for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_NEAR(got.data()[i], want.data()[i], 2e-6f);
    const TrainableModel again = load_pretrained(folder.path);
    EXPECT_EQ(testing::all_parameters(again), testing::all_parameters(model));
  }
}

// Pairs whose target is the source from its end on; 9 ends both.
std::shared_ptr<const TrainingData> reversed_digits() {
  auto pairs = std::make_shared<std::vector<TokenPair>>();
  for (Index i = 0; i < 64; ++i) {
    pairs->push_back({{i % 8, i / 8, i % 5, 9}, {i % 5, i / 8, i % 8, 9}});
    if (i % 3 == 0) pairs->push_back({{i % 8, i / 8, 9}, {i / 8, i % 8, 9}});
  }
  return training_data(TranslationTask{pairs, 8, 0, 9});
}

// Trained for some steps. With $FOVEA_TRAINED_FOLDERS the folders stay there, beside what the model says:
// scripts/compare_trained asks transformers about them.
TEST(SavePretrained, trained_models_come_back) {
  const char* kept = std::getenv("FOVEA_TRAINED_FOLDERS");
  const TemporaryFolder temporary;
  for (const auto& [family, name] : {std::pair{ModelFamily::gpt2, "gpt2"},
                                     {ModelFamily::llama, "llama"},
                                     {ModelFamily::bert, "bert"},
                                     {ModelFamily::bart, "bart"}}) {
    const bool two = family == ModelFamily::bart;
    for (const bool half : {false, true}) {
      Trainer trainer(TrainableModel(uneven_config(family), Random(7)), {.steps = 20, .rate = 1e-2},
                      two ? reversed_digits() : training_data(SortTask{.digits = 6, .batch = 8}));
      trainer.run();
      const std::string folder = (kept == nullptr ? temporary.path : kept) + std::string("/") + name +
                                 (half ? "-float16" : "-float32");
      save_pretrained(folder, trainer.model(), {.half = half});
      const Ids ids = {{1, 2, 3, 4, 5, 6, 7, 0}, {9, 8, 7, 6, 5, 4, 3, 2}};
      const Ids decoder_ids = two ? Ids{{9, 1, 2, 3}, {9, 4, 5, 6}} : Ids();
      const Tensor got = load_model(folder).run({.ids = ids, .decoder_ids = decoder_ids}).logits,
                   want = trainer.model().logits({.ids = ids, .targets = {}, .decoder_ids = decoder_ids});
      for (Index i = 0; i < want.shape().elements(); ++i) {
        ASSERT_NEAR(got.data()[i], want.data()[i], half ? 2e-2f : 2e-5f) << folder;
      }
      if (kept == nullptr) continue;
      NamedArrays arrays;
      arrays.add("ids", ids);
      if (two) arrays.add("decoder_ids", decoder_ids);
      arrays.add("logits", got);
      save_arrays(folder + "/said.npz", arrays);
    }
  }
}

// The same of a model of ours, on sentences of different length; pads are left out of what is compared.
TEST(SavePretrained, the_coreference_model_is_the_same_for_training_and_for_use) {
  const std::string folder = std::string(FOVEA_TEST_DATA) + "/../../models/coreference";
  const TrainingBatch batch =
      training_data(CoreferenceTask{.batch = 16, .part = CoreferencePart::test})->batch(5, 0);
  const Tensor got = load_model(folder).run({.ids = batch.ids, .real = batch.real}).logits,
               want = load_pretrained(folder).logits(batch);
  ASSERT_EQ(got.shape(), want.shape());
  const Index vocabulary = got.shape()[2];
  for (Index row = 0; row < batch.ids.shape().elements(); ++row) {
    if (batch.real.values()[static_cast<std::size_t>(row)] == 0) continue;
    for (Index i = row * vocabulary; i < (row + 1) * vocabulary; ++i)
      ASSERT_NEAR(got.data()[i], want.data()[i], 2e-4f);
  }
  const char* kept = std::getenv("FOVEA_TRAINED_FOLDERS");
  if (kept == nullptr) return;
  const std::string copy = kept + std::string("/bert-coreference");
  std::filesystem::copy(folder, copy);
  NamedArrays arrays;
  arrays.add("ids", batch.ids);
  const auto& real = batch.real.values();
  arrays.add("real", Ids(batch.real.shape(), std::vector<Index>(real.begin(), real.end())));
  arrays.add("logits", got);
  save_arrays(copy + "/said.npz", arrays);
}

TEST(SavePretrained, half_precision) {
  const TemporaryFolder folder;
  TrainableModel model(tiny_config(ModelFamily::gpt2), Random(5));
  save_pretrained(folder.path, model, {.half = true});
  const Ids ids = {{1, 2, 3, 4, 5, 6, 7}};
  const Tensor got = load_model(folder.path).run({.ids = ids}).logits, want = model.logits({ids, {}});
  for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_NEAR(got.data()[i], want.data()[i], 2e-3f);
  const auto full = std::filesystem::file_size(folder.path + "/model.safetensors");
  save_pretrained(folder.path, model);
  EXPECT_GT(std::filesystem::file_size(folder.path + "/model.safetensors"), full * 3 / 2);
  model.parameter("transformer.ln_f.weight")(0) = 1e6f;
  EXPECT_EQ(message_of([&] { save_pretrained(folder.path, model, {.half = true}); }),
            "[train] transformer.ln_f.weight holds 1000000: float16 ends at 65504, save it as float32");
}

TEST(SavePretrained, a_folder_that_cannot_be_made_is_an_error) {
  const TrainableModel model(tiny_config(ModelFamily::gpt2), Random(5));
  EXPECT_THROW(save_pretrained("/proc/no/such", model), Error);
}

TEST(TrainableConfig, everything_that_is_wrong_at_once) {
  const std::string message = message_of([] {
    TrainableModel({.family = ModelFamily::gpt2,
                    .vocabulary = 0,
                    .layers = 0,
                    .heads = 5,
                    .width = 64,
                    .max_tokens = 8,
                    .activation = "mish",
                    .dropout = 1},
                   Random(1));
  });
  for (const char* part : {"vocabulary is 0", "layers is 0", "the width 64 is not a multiple of 5 heads",
                           "activation is \"mish\", expected relu, gelu, gelu_new or silu",
                           "dropout is 1, expected 0 ≤ p < 1"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_EQ(message_of([] { TrainableModel({.family = ModelFamily::t5}, Random(1)); }),
            "[train] T5's layout cannot be trained: expected gpt2, llama, bert or bart");
  EXPECT_NE(message_of([] {
              TrainableModel({.family = ModelFamily::llama,
                              .vocabulary = 4,
                              .layers = 1,
                              .heads = 2,
                              .width = 6,
                              .max_tokens = 4},
                             Random(1));
            }).find("heads of width 3: rotary positions rotate pairs"),
            std::string::npos);
}

TEST(TrainableModel, batches_that_do_not_fit_are_errors) {
  TrainableModel model(tiny_config(ModelFamily::gpt2), Random(1));
  const auto message = [&](const TrainingBatch& batch) {
    return message_of([&] { model.add_gradients(batch); });
  };
  EXPECT_EQ(message({Ids{{1, 10}}, Ids{{1, 1}}}), "[train] token 1 of sequence 0 is 10, expected 0 to 9");
  EXPECT_EQ(message({Ids{{1, 2}}, Ids{{1, -1}}}), "[train] target 1 of sequence 0 is -1, expected 0 to 9");
  EXPECT_EQ(message({Ids{{1, 2}}, Ids{{1, 2, 3}}}),
            "[train] targets are [1, 3], expected [1, 2] as the ids");
  EXPECT_EQ(message({Ids::filled({1, 17}, 0), Ids::filled({1, 17}, 0)}),
            "[train] ids have 17 tokens, the model's limit is 16");
  EXPECT_EQ(message({Ids(), Ids()}), "[train] ids are [], expected [B, N] with at least one token");
  EXPECT_THROW(model.parameter("transformer.wte"), Error);
  EXPECT_EQ(message({.ids = Ids{{1, 2}}, .targets = Ids{{1, 2}}, .decoder_ids = Ids{{1, 2}}}),
            "[train] there are ids for a decoder, but no encoder before it");
  TrainableModel bart(tiny_config(ModelFamily::bart), Random(1));
  const auto message_of_bart = [&](const TrainingBatch& batch) {
    return message_of([&] { bart.add_gradients(batch); });
  };
  EXPECT_EQ(message_of_bart({Ids{{1, 2}}, Ids{{1, 2}}}),
            "[train] ids of the decoder are [], expected [B, N] with at least one token");
  EXPECT_EQ(message_of_bart({.ids = Ids{{1, 2}}, .targets = Ids{{1}, {2}}, .decoder_ids = Ids{{1}, {2}}}),
            "[train] ids of the decoder are [2, 1], expected 1 sequences as the encoder's");
  EXPECT_EQ(message_of_bart({.ids = Ids{{1, 2}}, .targets = Ids{{1, 2}}, .decoder_ids = Ids{{1, 2, 3}}}),
            "[train] targets are [1, 2], expected [1, 3] as the ids");
}

TEST(TrainableModel, nothing_asked_is_no_gradient) {
  TrainableModel model(tiny_config(ModelFamily::gpt2), Random(1));
  const LossResult result = model.add_gradients({Ids{{1, 2}}, Ids{{kIgnored, kIgnored}}});
  EXPECT_EQ(result.targets, 0);
  EXPECT_EQ(result.mean(), 0);
  for (const float g : testing::all_gradients(model)) ASSERT_EQ(g, 0);
}

TEST(TrainableModel, dropout_acts_when_asked_and_differs_by_seed) {
  for (const ModelFamily family :
       {ModelFamily::gpt2, ModelFamily::llama, ModelFamily::bert, ModelFamily::bart}) {
    TrainableConfig config = tiny_config(family);
    config.dropout = 0.3f;
    TrainableModel model(config, Random(1));
    TrainingBatch batch = {Ids{{1, 2, 3, 4, 5}}, Ids{{2, 3, 4, 5, 6}}};
    if (family == ModelFamily::bart) batch.decoder_ids = Ids{{9, 2, 3, 4, 5}};
    const double plain = model.loss(batch).mean();
    const double one = model.loss(batch, {.dropout = true, .seed = 1}).mean();
    EXPECT_NE(plain, one);
    EXPECT_EQ(one, model.loss(batch, {.dropout = true, .seed = 1}).mean());
    EXPECT_NE(one, model.loss(batch, {.dropout = true, .seed = 2}).mean());
  }
}

// With dropout the loss is still a function of the parameters: differences of it are the gradient.
TEST(TrainableModel, gradients_under_dropout_against_differences) {
  for (const ModelFamily family :
       {ModelFamily::gpt2, ModelFamily::llama, ModelFamily::bert, ModelFamily::bart}) {
    TrainableConfig config = tiny_config(family);
    config.dropout = 0.3f;
    TrainableModel model(config, Random(2));
    for (const TrainableParameter& p : model.parameters()) {  // wider: so that differences are seen
      const View values = model.parameter(p.name);
      for (Index i = 0; p.decays && i < p.shape.elements(); ++i) values.data()[i] *= 10;
    }
    TrainingBatch batch = {Ids{{1, 2, 3, 4, 5, 1}}, Ids{{2, 3, 4, 5, 6, 7}}};
    if (family == ModelFamily::bart) batch.decoder_ids = Ids{{9, 2, 3, 4, 5, 6}};
    const LossOptions options = {.dropout = true, .seed = 4};
    model.add_gradients(batch, options);
    for (const TrainableParameter& p : model.parameters()) {
      // Along the gradient itself: a sum of many, which stands out of the rounding of float32.
      const ConstView g = model.gradient(p.name);
      const View values = model.parameter(p.name);
      const Tensor before = Tensor::copy_of(values), direction = Tensor::copy_of(g);
      double squares = 0;
      for (Index i = 0; i < p.shape.elements(); ++i) {
        squares += static_cast<double>(direction.data()[i]) * static_cast<double>(direction.data()[i]);
      }
      if (squares < 1e-12) continue;
      const double step = 2e-3 / std::sqrt(squares);
      const auto loss_at = [&](double t) {
        for (Index i = 0; i < p.shape.elements(); ++i) {
          values.data()[i] = before.data()[i] + static_cast<float>(t) * direction.data()[i];
        }
        return model.loss(batch, options).mean();
      };
      const double slope = (loss_at(step) - loss_at(-step)) / (2 * step);
      std::copy_n(before.data(), p.shape.elements(), values.data());
      EXPECT_NEAR(slope / squares, 1, 0.03) << p.name;
    }
  }
}

}  // namespace
}  // namespace fovea
