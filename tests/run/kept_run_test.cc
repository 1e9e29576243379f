// A kept run that is changed, against whole runs.
#include "fovea/kept_run.h"

#include <string>
#include <utility>
#include <vector>

#include "fovea/activations.h"
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

// What a change leaves alone is shown from the kept run's own memory; all else is new.
TEST_P(Kept, only_what_follows_a_change_is_computed) {
  const auto expect_kept = [&](const std::string& heads, const std::vector<std::string>& want) {
    const TextRun got = kept.changed(off(heads));
    std::vector<std::string> found;
    ASSERT_EQ(got.run.layers().size(), read.run.layers().size());
    for (std::size_t i = 0; i < read.run.layers().size(); ++i) {
      const LayerView &now = got.run.layers()[i], &before = read.run.layers()[i];
      ASSERT_EQ(now.kind, before.kind) << i;  // in the order of the run
      ASSERT_EQ(now.layer, before.layer) << i;
      if (now.q.data() == before.q.data()) {
        found.push_back(to_string(now.kind) + std::to_string(now.layer));
      }
    }
    EXPECT_EQ(found, want) << heads;
  };
  if (!config.is_encoder_decoder()) {
    const std::string kind = config.has_decoder() ? "decoder" : "encoder";
    expect_kept("L0H1", {});
    return expect_kept("L1H1", {kind + "0"});
  }
  expect_kept("enc.L0H0", {"decoder0"});
  expect_kept("enc.L1H0", {"encoder0", "decoder0"});
  expect_kept("dec.L1H0", {"encoder0", "encoder1", "decoder0", "cross0"});
  expect_kept("cross.L1H0", {"encoder0", "encoder1", "decoder0", "cross0", "decoder1"});
  expect_kept("cross.L0H0", {"encoder0", "encoder1", "decoder0"});
  expect_kept("dec.L2H1,cross.L1H0", {"encoder0", "encoder1", "decoder0", "cross0", "decoder1"});
  expect_kept("enc.L1H0,dec.L0H0", {"encoder0"});
  expect_kept("enc.L1H0,dec.L2H0", {"encoder0", "decoder0"});
}

// Streams and heads of both halves, alone and together, against whole runs.
TEST_P(Kept, changes_of_an_encoder_and_its_decoder) {
  if (!config.is_encoder_decoder()) return;
  using Site = ActivationSite;
  const auto doubled = [&](Site site, AttentionKind kind, Index layer) {
    const ActivationPlace place = {site, kind, layer, {}};
    Tensor values = activations(model.model(), read.input, {place}).front();
    for (Index i = 0; i < values.shape().elements(); ++i) values.data()[i] *= 1.5f;
    return Intervention::replace(place, std::move(values), {0});
  };
  const AttentionKind encoder = AttentionKind::encoder, decoder = AttentionKind::decoder;
  for (const Intervention& change :
       {off("enc.L0H1"), off("enc.L1H2"), off("cross.L0H0"), off("cross.L2H3"),
        off("cross.L1H0") & off("dec.L1H1"), off("enc.L1H0") & off("dec.L0H2"),
        off("enc.L0H0") & off("cross.L2H1"), doubled(Site::resid_mid, decoder, 0),
        doubled(Site::resid_cross, decoder, 1), doubled(Site::resid_post, decoder, 2),
        doubled(Site::resid_pre, decoder, 0), doubled(Site::resid_post, encoder, 1),
        doubled(Site::resid_pre, encoder, 1) & doubled(Site::resid_pre, decoder, 1)}) {
    const TextRun got = kept.changed(change);
    ReadOptions options;
    options.intervention = change;
    options.output = true;
    const TextRun want = model.read_again(read, options);
    expect_near(got.output.hidden, want.output.hidden, 1e-5, "hidden");
    expect_near(got.output.encoder_hidden, want.output.encoder_hidden, 1e-5, "of the encoder");
    for (const LayerView& layer : want.run.layers()) {
      expect_near(layer_weights(got.run, layer.kind, layer.layer),
                  layer_weights(want.run, layer.kind, layer.layer), 1e-5, "weights");
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
