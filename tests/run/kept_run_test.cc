// A kept run that is changed, against whole runs.
#include "fovea/kept_run.h"

#include <string>

#include "fovea/error.h"
#include "fovea/places.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::expect_near;
using testing::layer_weights;
using testing::tiny_model;

class Kept : public ::testing::TestWithParam<const char*> {
 protected:
  // The tiny Llama has no tokenizer of its own.
  const TextModel model{
      load_model(tiny_model(GetParam())),
      Tokenizer::load(tiny_model(std::string(GetParam()) == "llama" ? "bert" : GetParam()))};
  const ModelConfig& config = model.model().config();
  const std::string prefix = config.is_encoder_decoder() ? "dec." : "";
  const TextRun read = model.read({"the cat sat on the mat"}, {.write = false});
  const KeptRun kept{model, read};

  Intervention off(const std::string& heads) const {
    Intervention all;
    for (const HeadPlace& place : parse_heads(heads, config)) all = all & Intervention::ablate(place);
    return all;
  }
};

TEST_P(Kept, a_changed_run_is_that_of_a_whole_run) {
  const Intervention window =
      Intervention::hide(parse_heads(prefix + "L1H0", config).front(), Mask::sliding_window(1, 1));
  for (const Intervention& change : {Intervention(), off(prefix + "L0H1"), off(prefix + "L1H2"),
                                     off(prefix + "L1H0") & off(prefix + "L0H3"), window}) {
    const TextRun got = kept.changed(change);
    ReadOptions options;
    options.intervention = change;
    options.output = true;
    options.logits_at = {0};
    const TextRun want = model.read_again(read, options);
    ASSERT_EQ(got.run.layers().size(), want.run.layers().size());
    for (const LayerView& layer : want.run.layers()) {
      expect_near(layer_weights(got.run, layer.kind, layer.layer),
                  layer_weights(want.run, layer.kind, layer.layer), 1e-6, "weights");
    }
    EXPECT_EQ(got.run.key_tokens(got.run.kinds().back()), want.run.key_tokens(got.run.kinds().back()));
    expect_near(got.output.hidden, want.output.hidden, 1e-5, "hidden");
    if (config.has_logits) {
      expect_near(kept.logits(got, {0}), want.output.logits.reshaped({1, config.vocabulary}), 1e-5,
                  "logits");
    }
  }
}

TEST_P(Kept, what_is_not_there_is_an_error_and_nobody_waiting_ends_it) {
  EXPECT_THROW(kept.changed(Intervention::ablate({AttentionKind::encoder, 99, {0}})), Error);
  EXPECT_THROW(kept.changed(Intervention::ablate({AttentionKind::decoder, 0, {99}})), Error);
  EXPECT_THROW(kept.logits(kept.run(), {99}), Error);
  EXPECT_THROW(kept.logits(kept.run(), {-1}), Error);
  std::stop_source nobody;
  nobody.request_stop();
  EXPECT_THROW(kept.changed(off(prefix + "L0H0"), nobody.get_token()), Stopped);
  EXPECT_THROW(KeptRun(model, read, nobody.get_token()), Stopped);
}

INSTANTIATE_TEST_SUITE_P(Tiny, Kept, ::testing::Values("bert", "gpt2", "llama", "t5", "bart"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace fovea
