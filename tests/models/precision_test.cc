// Models whose products are computed with bfloat16 factors.
#include <cmath>
#include <string>
#include <vector>

#include "core/half.h"
#include "fovea/attention_path.h"
#include "fovea/attention_weights.h"
#include "fovea/generation.h"
#include "fovea/kept_run.h"
#include "fovea/random.h"
#include "fovea/text_model.h"
#include "fovea/threads.h"
#include "io/io_testing.h"
#include "models/model_testing.h"
#include "support/message_of.h"
#include "support/outside_files.h"

namespace fovea {
namespace {

using testing::expect_near;
using testing::input_of;
using testing::tiny_model;

constexpr ModelOptions kBfloat16 = {.precision = Precision::bfloat16};

// Two sequences: more rows than are multiplied one by one.
ModelInput batch_of(const Model& model) {
  ModelInput input{Ids({2, 9}, {5, 9, 3, 44, 21, 8, 8, 30, 2, 7, 30, 12, 9, 9, 41, 6, 22, 2}), {}, {}, {}};
  if (model.config().is_encoder_decoder()) input.decoder_ids = input.ids;
  return input;
}

double relative_error(const Tensor& got, const Tensor& want) {
  double error = 0, norm = 0;
  for (Index i = 0; i < want.shape().elements(); ++i) {
    error += std::pow(static_cast<double>(got.data()[i]) - static_cast<double>(want.data()[i]), 2);
    norm += std::pow(static_cast<double>(want.data()[i]), 2);
  }
  return std::sqrt(error / norm);
}

// The calls of operations while it lives.
struct Calls {
  Calls() {
    observe_calls([this](const CallPath& call) { all.push_back(call); });
  }
  ~Calls() { observe_calls({}); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  std::vector<CallPath> all;
};

class Bfloat16Models : public ::testing::TestWithParam<const char*> {};

TEST_P(Bfloat16Models, every_dense_layer_and_every_attention_is_in_bfloat16) {
  const Model model = load_model(tiny_model(GetParam()), kBfloat16);
  EXPECT_EQ(model.precision(), Precision::bfloat16);
  EXPECT_EQ(model.weights(), FloatType::bfloat16);
  const Calls calls;
  static_cast<void>(model.run(batch_of(model)));
  int dense = 0, attention = 0;
  for (const CallPath& call : calls.all) {
    dense += call.operation == "dense_layer";
    attention += call.operation == "attention";
    EXPECT_TRUE(call.path.starts_with("bfloat16 ")) << call.to_string();
  }
  EXPECT_GT(dense, 0);
  EXPECT_GT(attention, 0);
}

TEST_P(Bfloat16Models, nothing_is_rounded_unless_asked_for) {
  const Model model = load_model(tiny_model(GetParam()), {.weights = FloatType::bfloat16});
  EXPECT_EQ(model.precision(), Precision::float32);
  const Calls calls;
  static_cast<void>(model.run(batch_of(model)));
  for (const CallPath& call : calls.all)
    EXPECT_FALSE(call.path.starts_with("bfloat16")) << call.to_string();
}

// Tiny models have large weights, so layer after layer multiplies what was rounded. How much, weights in
// int8 tell, whose layers are off by four times as much; queries, keys and exponentials are exact there.
TEST_P(Bfloat16Models, stay_near_float32) {
  const Model exact = load_model(tiny_model(GetParam())),
              model = load_model(tiny_model(GetParam()), kBfloat16);
  const Model coarse = load_model(tiny_model(GetParam()), {.weights = FloatType::int8});
  const Tensor want = exact.run(batch_of(exact)).hidden;
  const double error = relative_error(model.run(batch_of(model)).hidden, want);
  EXPECT_LE(error, relative_error(coarse.run(batch_of(coarse)).hidden, want));
  EXPECT_GE(error, 5e-4) << "this is not bfloat16";
}

// x [N, E] rounded, times w [E, F], plus b [F] or nothing, in double.
void expect_rounded_layer(const Tensor& x, const Tensor& w, const Tensor& b, const Tensor& got,
                          const std::string& what) {
  const Index rows = x.shape()[0], inputs = w.shape()[0], outputs = w.shape()[1];
  ASSERT_EQ(got.shape(), Shape({rows, outputs})) << what;
  for (Index r = 0; r < rows; ++r) {
    for (Index f = 0; f < outputs; ++f) {
      double sum = b.empty() ? 0 : static_cast<double>(b(f)), size = std::abs(sum);
      for (Index t = 0; t < inputs; ++t) {
        const float factor = bfloat16_to_float(float_to_bfloat16(x(r, t)));
        ASSERT_EQ(w(t, f), bfloat16_to_float(float_to_bfloat16(w(t, f)))) << what << ": weights";
        sum += static_cast<double>(factor) * static_cast<double>(w(t, f));
        size += std::abs(static_cast<double>(factor) * static_cast<double>(w(t, f)));
      }
      ASSERT_NEAR(static_cast<double>(got(r, f)), sum, 1e-5 * size)
          << what << " row " << r << " output " << f;
    }
  }
}

// What surrounds attention, layer by layer, from the numbers that the layer was given.
TEST_P(Bfloat16Models, layers_round_what_they_multiply) {
  struct Layers : Probe {
    static Tensor rows(ConstView x) { return Tensor::copy_of(x.select(0, 0)); }  // of the only sequence
    void attention(const AttentionCall& call) override {
      q = rows(
          Tensor::copy_of(call.q.transpose(1, 2))
              .reshaped({call.q.shape()[0], call.q.shape()[2], call.q.shape()[1] * call.q.shape()[3]}));
    }
    bool wants_projections(AttentionKind, Index) const override { return true; }
    void projections(const ProjectionCall& call) override {
      ++seen;
      const std::string where = std::string(to_string(call.kind)) + " layer " + std::to_string(call.layer);
      if (call.frequencies.empty()) expect_rounded_layer(rows(call.x), call.w_q, call.b_q, q, where + " q");
      expect_rounded_layer(rows(call.concat), call.w_o, call.b_o, rows(call.output), where + " output");
    }
    Tensor q;
    int seen = 0;
  } probe;
  const Model model = load_model(tiny_model(GetParam()), kBfloat16);
  static_cast<void>(model.run(batch_of(model), {.probe = &probe}));
  static_cast<void>(model.run(input_of(model), {.probe = &probe}));  // row by row
  EXPECT_GT(probe.seen, 0);
}

TEST_P(Bfloat16Models, the_capture_says_so_and_weights_are_those_of_its_queries_and_keys) {
  const Model model = load_model(tiny_model(GetParam()), kBfloat16);
  Capture capture;
  static_cast<void>(model.run(batch_of(model), {.probe = &capture}));
  ASSERT_FALSE(capture.calls().empty());
  for (const CapturedAttention& call : capture.calls()) {
    EXPECT_EQ(call.precision, Precision::bfloat16);
    EXPECT_EQ(call.options.precision, Precision::float32);
  }
  const fovea::Run run{capture};
  for (const LayerView& layer : run.layers()) {
    EXPECT_EQ(layer.precision, Precision::bfloat16);
    AttentionOptions options = layer.options;
    options.weights = true;
    expect_near(layer.crop({0, layer.queries(), 0, layer.keys()}),
                attention(layer.q, layer.k, layer.v, options).weights, 1e-5, "weights");
    static_cast<void>(layer.statistics());
  }
  const TemporaryFolder folder;
  run.save(folder / "run.safetensors");
  const fovea::Run loaded = fovea::Run::load(folder / "run.safetensors");
  for (const LayerView& layer : loaded.layers()) {
    EXPECT_EQ(layer.precision, Precision::bfloat16);
  }
}
INSTANTIATE_TEST_SUITE_P(All, Bfloat16Models,
                         ::testing::Values("bert", "roberta", "distilbert", "gpt2", "llama", "qwen2", "t5",
                                           "t5v11", "bart", "bart_apart", "mbart", "marian"));

TEST(Bfloat16Model, the_same_bits_on_any_number_of_threads) {
  const int threads = thread_count();
  set_thread_count(1);
  const Model model = load_model(tiny_model("llama"), kBfloat16);
  const Tensor one = model.run(batch_of(model)).logits;
  GenerationOptions options;
  options.stop_at_end = false;
  const std::vector<Index> text = generate(model, {4, 5, 6}, options).ids;
  for (const int count : {2, 3}) {
    set_thread_count(count);
    const Model again = load_model(tiny_model("llama"), kBfloat16);
    expect_near(again.run(batch_of(again)).logits, one, 0, std::to_string(count) + " threads");
    EXPECT_EQ(generate(again, {4, 5, 6}, options).ids, text);
  }
  set_thread_count(threads);
}

TEST(Bfloat16Model, other_types_of_weights_are_refused) {
  for (const FloatType type : {FloatType::float16, FloatType::int8}) {
    EXPECT_EQ(
        testing::message_of(
            [&] { load_model(tiny_model("bert"), {.weights = type, .precision = Precision::bfloat16}); }),
        std::string("[model] precision bfloat16 keeps the weights in bfloat16, got ") + to_string(type));
  }
  const Model given =
      load_model(tiny_model("bert"), {.weights = FloatType::bfloat16, .precision = Precision::bfloat16});
  const Model usual = load_model(tiny_model("bert"), kBfloat16);
  expect_near(given.run(batch_of(given)).hidden, usual.run(batch_of(usual)).hidden, 0, "the same model");
}

class Bfloat16Decoding : public ::testing::TestWithParam<const char*> {};

// Token by token: keys and values are rounded when they are kept, queries when they are used.
TEST_P(Bfloat16Decoding, agrees_with_the_whole_sequence) {
  const Model model = load_model(tiny_model(GetParam()), kBfloat16);
  const std::vector<Index> ids = {5, 9, 3, 44, 21, 8, 8, 30, 2};
  const bool two = model.config().is_encoder_decoder();
  ModelInput input{Ids({1, 9}, ids), {}, {}, {}};
  if (two) input.decoder_ids = input.ids;
  const Tensor whole = model.run(input).logits;
  struct Queries : Probe {
    void attention(const AttentionCall& call) override {
      for (const ConstView& x : {call.q, call.k, call.v}) {
        const Tensor copy = Tensor::copy_of(x);
        for (Index i = 0; i < copy.shape().elements() && call.kind != AttentionKind::encoder; ++i) {
          const float number = copy.data()[i];
          ASSERT_EQ(number, bfloat16_to_float(float_to_bfloat16(number)));
        }
      }
    }
  } probe;
  Decoding alone(model, two ? ids : std::vector<Index>()),
      seen(model, two ? ids : std::vector<Index>(), nullptr, FloatType::bfloat16);
  Tensor got;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    got = alone.next({ids[i]});
    expect_near(seen.next({ids[i]}, &probe), got, 0, "a probe changes nothing");
    // The exponentials of the scores are rounded in one, and not in the other.
    const Tensor want = Tensor::copy_of(whole.view().select(0, 0).select(0, static_cast<Index>(i)));
    EXPECT_LE(relative_error(got, want), 5e-2) << "token " << i;
  }
}
INSTANTIATE_TEST_SUITE_P(All, Bfloat16Decoding,
                         ::testing::Values("gpt2", "llama", "qwen2", "t5", "bart", "marian"));

TEST(Bfloat16Model, changed_runs_go_on_from_kept_ones) {
  for (const char* name : {"gpt2", "t5"}) {
    const TextModel model(load_model(tiny_model(name), kBfloat16), Tokenizer::load(tiny_model(name)));
    ReadOptions options;
    options.output = true;
    const TextRun read = model.read({"the cat"}, options);
    const KeptRun kept(model, read);
    options.intervention = Intervention::ablate({AttentionKind::decoder, 1, {0}});
    const TextRun got = kept.changed(options.intervention), want = model.read_again(read, options);
    expect_near(got.output.hidden, want.output.hidden, 1e-5, name);
    for (const LayerView& layer : got.run.layers()) EXPECT_EQ(layer.precision, Precision::bfloat16) << name;
  }
}

TEST(Bfloat16Model, beams_are_followed) {
  const Model model = load_model(tiny_model("bart"), kBfloat16);
  GenerationOptions options;
  options.beams = 3;
  options.max_tokens = 8;
  const std::vector<Generation> texts = beam_search(model, {5, 9, 3}, options);
  ASSERT_FALSE(texts.empty());
  EXPECT_TRUE(std::isfinite(texts.front().score));
}

// The numbers of ModelOptions.
TEST(Bfloat16Model, hidden_states_of_minilm_keep_the_contract) {
  const std::string folder = testing::cached_model("minilm");
  if (folder.empty()) GTEST_SKIP() << testing::needs_model("minilm");
  const Model exact = load_model(folder), model = load_model(folder, kBfloat16);
  Ids ids = Ids::filled({2, 40}, 0);
  Random random(3);
  for (Index i = 0; i < 80; ++i) ids.data()[i] = 1000 + static_cast<Index>(random.uniform() * 20000);
  const ModelInput drawn = {ids, {}, {}, {}};
  EXPECT_LE(relative_error(model.run(drawn).hidden, exact.run(drawn).hidden), 1e-2);
  const Tokenizer tokenizer = Tokenizer::load(folder);
  const TextModel of_texts(model, tokenizer), exact_texts(exact, tokenizer);
  ReadOptions options;
  options.output = true;
  const std::string text = "The cat sat on the mat, and nobody in the village ever understood why.";
  const double error = relative_error(of_texts.read({text}, options).output.hidden,
                                      exact_texts.read({text}, options).output.hidden);
  EXPECT_LE(error, 7e-3);
  EXPECT_GE(error, 4.5e-3) << "a contract that says too little";
}

TEST(Bfloat16Model, logits_of_tiny_stories_keep_the_contract) {
  const std::string folder = testing::cached_model("stories15m");
  if (folder.empty()) GTEST_SKIP() << testing::needs_model("stories15m");
  const Model exact = load_model(folder), model = load_model(folder, kBfloat16);
  GenerationOptions options;
  options.max_tokens = 90;  // where AVX-512 departs after 98
  const std::vector<Index> text = generate(exact, {1}, options).ids;
  EXPECT_EQ(generate(model, {1}, options).ids, text);
  std::vector<Index> ids = {1};
  ids.insert(ids.end(), text.begin(), text.begin() + 63);
  const ModelInput input = {Ids({1, 64}, ids), {}, {}, {}};
  const double error = relative_error(model.run(input).logits, exact.run(input).logits);
  EXPECT_LE(error, 6e-3);
  EXPECT_GE(error, 3e-3) << "a contract that says too little";
}

}  // namespace
}  // namespace fovea
