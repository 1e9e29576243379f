// Models whose weights are kept in 16 or 8 bits, and caches of other types than float32.
#include <cmath>
#include <filesystem>

#include "core/half.h"
#include "fovea/generation.h"
#include "fovea/passed_on.h"
#include "fovea/text_model.h"
#include "fovea/threads.h"
#include "io/io_testing.h"
#include "models/model_testing.h"
#include "support/outside_files.h"

namespace fovea {
namespace {

using testing::expect_near;
using testing::input_of;
using testing::tiny_model;

constexpr FloatType kNarrow[] = {FloatType::float16, FloatType::bfloat16, FloatType::int8};

bool is_transposed(const std::string& name) {  // GPT-2's Conv1D
  return name.find(".c_") != name.npos;
}

// What a model keeps in fewer bits: matrices and tables, not the biases of T5's scores and BART's logits.
bool is_kept_narrow(const NamedArrays::Entry& entry) {
  return entry.is_tensor() && entry.shape().rank() == 2 &&
         entry.name.find("relative_attention_bias") == entry.name.npos &&
         entry.name.find("final_logits_bias") == entry.name.npos;
}

// w [F, E], rounded to a type and back.
Tensor rounded(const Tensor& w, FloatType type) {
  Tensor result(w.shape());
  for (Index f = 0; f < w.shape()[0]; ++f) {
    float largest = 0;
    for (Index t = 0; t < w.shape()[1]; ++t) largest = std::max(largest, std::abs(w(f, t)));
    const float scale = largest / 127;
    for (Index t = 0; t < w.shape()[1]; ++t) {
      const float x = w(f, t);
      result(f, t) = type == FloatType::float16    ? half_to_float(float_to_half(x))
                     : type == FloatType::bfloat16 ? bfloat16_to_float(float_to_bfloat16(x))
                     : scale == 0                  ? 0
                                                   : std::nearbyint(x * (1 / scale)) * scale;
    }
  }
  return result;
}

// A copy of the folder whose matrices are rounded, still as float32.
void write_rounded(const std::string& name, FloatType type, const TemporaryFolder& folder) {
  std::filesystem::copy(tiny_model(name), folder / "", std::filesystem::copy_options::recursive);
  NamedArrays arrays;
  for (const NamedArrays::Entry& entry : load_safetensors(tiny_model(name) + "/model.safetensors")) {
    if (!is_kept_narrow(entry)) {
      arrays.add(entry.name, std::get<Tensor>(entry.array));
    } else if (is_transposed(entry.name)) {
      const Tensor columns = Tensor::copy_of(std::get<Tensor>(entry.array).view().transpose(0, 1));
      arrays.add(entry.name, Tensor::copy_of(rounded(columns, type).view().transpose(0, 1)));
    } else {
      arrays.add(entry.name, rounded(std::get<Tensor>(entry.array), type));
    }
  }
  save_safetensors(folder / "model.safetensors", arrays);
}

class WeightTypeModels : public ::testing::TestWithParam<const char*> {};

TEST_P(WeightTypeModels, are_the_models_of_rounded_files) {
  const Model plain = load_model(tiny_model(GetParam()));
  const Tensor exact = plain.run(input_of(plain)).hidden;
  for (const FloatType type : kNarrow) {
    const TemporaryFolder folder;
    write_rounded(GetParam(), type, folder);
    const Model narrow = load_model(tiny_model(GetParam()), {.weights = type});
    const Model wide = load_model(folder / "");
    EXPECT_EQ(narrow.weights(), type);
    EXPECT_EQ(wide.weights(), FloatType::float32);
    EXPECT_EQ(narrow.parameters(), wide.parameters());
    const ModelOutput got = narrow.run(input_of(narrow)), want = wide.run(input_of(wide));
    // Of int8, scales are applied to sums here, to weights there.
    const double tolerance = type == FloatType::int8 ? 2e-4 : 0;
    expect_near(got.hidden, want.hidden, tolerance, to_string(type));
    if (narrow.config().has_logits) expect_near(got.logits, want.logits, tolerance, to_string(type));
    double moved = 0;
    for (Index i = 0; i < exact.shape().elements(); ++i) {
      moved = std::max(moved, std::abs(static_cast<double>(got.hidden.data()[i] - exact.data()[i])));
    }
    // Some of the files hold numbers of 16 bits already.
    if (type == FloatType::int8) {
      EXPECT_GT(moved, 1e-4) << "as if nothing was rounded";
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, WeightTypeModels,
                         ::testing::Values("bert", "roberta", "distilbert", "gpt2", "llama", "t5", "t5v11",
                                           "bart", "bart_apart", "mbart"));

TEST(WeightTypes, the_same_bits_on_any_number_of_threads) {
  const int threads = thread_count();
  for (const FloatType type : kNarrow) {
    set_thread_count(1);
    const Model model = load_model(tiny_model("llama"), {.weights = type});
    const Tensor one = model.run(input_of(model)).logits;
    GenerationOptions options;
    options.stop_at_end = false;
    options.cache = type;
    const std::vector<Index> text = generate(model, {4, 5, 6}, options).ids;
    for (const int count : {2, 3}) {
      set_thread_count(count);
      const Model again = load_model(tiny_model("llama"), {.weights = type});
      expect_near(again.run(input_of(again)).logits, one, 0, to_string(type));
      EXPECT_EQ(generate(again, {4, 5, 6}, options).ids, text) << to_string(type);
    }
  }
  set_thread_count(threads);
}

// Heads off, what heads pass on: whoever looks at weights sees those that are computed with.
TEST(WeightTypes, interventions_and_what_is_passed_on) {
  for (const FloatType type : kNarrow) {
    const TemporaryFolder folder;
    write_rounded("gpt2", type, folder);
    const TextModel narrow(load_model(tiny_model("gpt2"), {.weights = type}),
                           Tokenizer::load(tiny_model("gpt2")));
    const TextModel wide(load_model(folder / ""), Tokenizer::load(tiny_model("gpt2")));
    const ReadOptions off = {.intervention = Intervention::ablate({AttentionKind::decoder, 0, {1}}),
                             .output = true,
                             .logits_at = {0}};
    const double tolerance = type == FloatType::int8 ? 2e-4 : 0;
    expect_near(narrow.read({"the cat"}, off).output.logits, wide.read({"the cat"}, off).output.logits,
                tolerance, to_string(type));
    fovea::Run got = narrow.read({"the cat"}).run, want = wide.read({"the cat"}).run;
    add_value_norms(narrow.model(), got);
    add_value_norms(wide.model(), want);
    const auto norms = [](const fovea::Run& run) {
      return *run.layer(AttentionKind::decoder, 1).value_norms;
    };
    expect_near(norms(got), norms(want), type == FloatType::int8 ? 2e-4 : 1e-6, to_string(type));
  }
}

class CacheTypes : public ::testing::TestWithParam<const char*> {};

// Keys and values are rounded, so logits move, and not far.
TEST_P(CacheTypes, logits_stay_near_those_of_float32) {
  const Model model = load_model(tiny_model(GetParam()));
  const std::vector<Index> ids = {5, 9, 3, 44, 21, 8, 8, 30, 2};
  const std::vector<Index> read = model.config().is_encoder_decoder() ? ids : std::vector<Index>();
  const auto logits = [&](FloatType cache) {
    Decoding decoding(model, read, nullptr, cache);
    decoding.next({ids.begin(), ids.begin() + 6});  // several at once, then one after the other
    decoding.next({ids[6]});
    return decoding.next({ids[7]});
  };
  const Tensor exact = logits(FloatType::float32);
  double norm = 0;
  for (Index v = 0; v < exact.shape()[0]; ++v) norm += std::pow(static_cast<double>(exact(v)), 2);
  for (const FloatType type : kNarrow) {
    const Tensor got = logits(type);
    double error = 0;
    for (Index v = 0; v < exact.shape()[0]; ++v)
      error += std::pow(static_cast<double>(got(v) - exact(v)), 2);
    // Tiny models have large weights: layer after layer multiplies what a cache rounded.
    const double most = type == FloatType::float16 ? 4e-3 : type == FloatType::bfloat16 ? 3e-2 : 1.5e-1;
    EXPECT_LE(std::sqrt(error / norm), most) << to_string(type);
    EXPECT_GT(error, 0) << to_string(type);
  }
}
INSTANTIATE_TEST_SUITE_P(All, CacheTypes,
                         ::testing::Values("gpt2", "llama", "qwen2", "t5", "bart", "marian"));

// A probe sees the keys that attention computes with: those of the cache, rounded.
TEST(CacheTypes, a_probe_sees_the_rounded_keys) {
  struct Keys : Probe {
    void attention(const AttentionCall& call) override {
      if (call.layer == 0) k = Tensor::copy_of(call.k);
    }
    Tensor k;
  } probe, exact;
  const Model model = load_model(tiny_model("llama"));
  Decoding narrow(model, {}, nullptr, FloatType::bfloat16), wide(model);
  narrow.next({4, 5, 6}, &probe), wide.next({4, 5, 6}, &exact);
  ASSERT_EQ(probe.k.shape(), exact.k.shape());
  for (Index i = 0; i < probe.k.shape().elements(); ++i) {
    ASSERT_EQ(probe.k.data()[i], bfloat16_to_float(float_to_bfloat16(exact.k.data()[i])));
  }
}

TEST(CacheTypes, beams_are_followed_in_every_type) {
  const Model model = load_model(tiny_model("bart"));
  for (const FloatType type : kNarrow) {
    GenerationOptions options;
    options.beams = 3;
    options.max_tokens = 8;
    options.cache = type;
    const std::vector<Generation> texts = beam_search(model, {5, 9, 3}, options);
    ASSERT_FALSE(texts.empty());
    EXPECT_TRUE(std::isfinite(texts.front().score)) << to_string(type);
  }
}

// The numbers of ModelOptions.
TEST(WeightTypes, logits_of_tiny_stories_keep_the_contract) {
  const std::string folder = testing::cached_model("stories15m");
  if (folder.empty()) GTEST_SKIP() << testing::needs_model("stories15m");
  const Model exact = load_model(folder);
  GenerationOptions options;
  options.max_tokens = 63;
  std::vector<Index> ids = {1};
  for (const Index id : generate(exact, ids, options).ids) ids.push_back(id);
  const ModelInput input = {Ids({1, static_cast<Index>(ids.size())}, ids), {}, {}, {}};
  const Tensor want = exact.run(input).logits;
  for (const FloatType type : kNarrow) {
    const Tensor got = load_model(folder, {.weights = type}).run(input).logits;
    double error = 0, norm = 0;
    for (Index i = 0; i < want.shape().elements(); ++i) {
      const double w = static_cast<double>(want.data()[i]);
      error += std::pow(static_cast<double>(got.data()[i]) - w, 2);
      norm += w * w;
    }
    const double promised = type == FloatType::bfloat16 ? 5e-3 : type == FloatType::float16 ? 6e-4 : 2.5e-2;
    EXPECT_LE(std::sqrt(error / norm), promised) << to_string(type);
    EXPECT_GE(std::sqrt(error / norm), promised / 8) << to_string(type);
    RecordProperty(std::string("error_") + to_string(type), std::to_string(std::sqrt(error / norm)));
  }
}

}  // namespace
}  // namespace fovea
