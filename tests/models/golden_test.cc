// Tiny models of every layout against transformers: attention of every layer and head, states, logits.
#include "fovea/generation.h"
#include "fovea/threads.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::expect_attentions;
using testing::expect_near;
using testing::tiny_model;

class Golden : public ::testing::TestWithParam<const char*> {
 protected:
  const Model model = load_model(tiny_model(GetParam()));
  const NamedArrays golden = load_safetensors(tiny_model(GetParam()) + "/golden.safetensors");

  ModelInput input() const {
    ModelInput input{golden.ids("ids"), testing::to_flags(golden.ids("real")), {}, {}};
    if (std::string(GetParam()) == "bert") input.segments = golden.ids("segments");  // a pair
    if (golden.contains("decoder_ids")) input.decoder_ids = golden.ids("decoder_ids");
    return input;
  }
};

class GoldenText : public Golden {};  // of the models that write

TEST_P(Golden, attention_of_every_layer_and_head) {
  Capture capture;
  static_cast<void>(model.run(input(), {&capture, false}));
  const fovea::Run run(std::move(capture));
  if (model.config().is_encoder_decoder()) {
    expect_attentions(run, AttentionKind::encoder, golden.tensor("encoder_attentions"));
    expect_attentions(run, AttentionKind::decoder, golden.tensor("decoder_attentions"));
    expect_attentions(run, AttentionKind::cross, golden.tensor("cross_attentions"));
    return;
  }
  const bool encoder = model.config().family == ModelFamily::bert;
  expect_attentions(run, encoder ? AttentionKind::encoder : AttentionKind::decoder,
                    golden.tensor("attentions"));
}

TEST_P(Golden, states_and_logits) {
  const ModelOutput output = model.run(input());
  expect_near(output.hidden, golden.tensor("hidden"), 1e-4, "hidden");
  expect_near(output.logits, golden.tensor("logits"), 1e-4, "logits");
  if (golden.contains("encoder_hidden")) {
    expect_near(output.encoder_hidden, golden.tensor("encoder_hidden"), 1e-4, "encoder hidden");
  }
}

TEST_P(Golden, a_sequence_alone_gives_what_it_gives_in_a_padded_batch) {
  const ModelInput all = input();
  const ModelOutput together = model.run(all);
  const Index row = 1, length = 7;  // the second sequence
  const auto cut = [&](const Ids& ids, Index tokens) {
    Ids one = Ids::filled({1, tokens}, 0);
    for (Index n = 0; n < tokens; ++n) one(0, n) = ids(row, n);
    return one;
  };
  ModelInput alone{cut(all.ids, length), {}, {}, {}};
  if (!all.segments.empty()) alone.segments = cut(all.segments, length);
  if (!all.decoder_ids.empty()) alone.decoder_ids = cut(all.decoder_ids, all.decoder_ids.shape()[1]);
  const ModelOutput output = model.run(alone);
  const Index tokens = output.hidden.shape()[1];
  const ConstView want = ConstView(together.hidden).slice(0, row, row + 1).slice(1, 0, tokens);
  expect_near(output.hidden, Tensor::copy_of(want), 1e-5, "hidden");
}

TEST_P(Golden, bits_do_not_depend_on_the_threads) {
  const int before = thread_count();
  set_thread_count(1);
  const ModelOutput one = model.run(input());
  set_thread_count(3);
  const ModelOutput three = model.run(input());
  set_thread_count(before);
  for (Index i = 0; i < one.logits.shape().elements(); ++i) {
    ASSERT_EQ(one.logits.data()[i], three.logits.data()[i]) << i;
  }
}

// The golden continuation was computed without a cache.
TEST_P(GoldenText, greedy_continuation_with_the_cache) {
  const Ids& ids = golden.ids("ids");
  const std::vector<Index> prompt(ids.data(), ids.data() + ids.shape()[1]);
  const std::vector<Index>& want = golden.ids("generated").values();
  GenerationOptions options;
  options.max_tokens = static_cast<Index>(want.size());
  options.stop_at_end = false;
  EXPECT_EQ(generate(model, prompt, options).ids, want);
}

const auto kName = [](const auto& param) { return std::string(param.param); };
constexpr const char* kEncoders[] = {"bert", "roberta", "distilbert"};
constexpr const char* kDecoders[] = {"gpt2", "llama",      "qwen2",  "t5",         "t5v11",
                                     "bart", "bart_apart", "marian", "marian_two", "mbart"};

INSTANTIATE_TEST_SUITE_P(Encoders, Golden, ::testing::ValuesIn(kEncoders), kName);
INSTANTIATE_TEST_SUITE_P(Decoders, Golden, ::testing::ValuesIn(kDecoders), kName);
INSTANTIATE_TEST_SUITE_P(Decoders, GoldenText, ::testing::ValuesIn(kDecoders), kName);

}  // namespace
}  // namespace fovea
