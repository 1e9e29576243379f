// Runs that are changed on the way, against transformers with hooks: the cases of make_whatif_goldens.py.
#include <cmath>
#include <limits>
#include <utility>

#include "fovea/activations.h"
#include "fovea/intervention.h"
#include "fovea/random.h"
#include "models/architecture.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::expect_near;
using testing::tiny_model;
using testing::whatif_golden;

constexpr AttentionKind kEnc = AttentionKind::encoder, kDec = AttentionKind::decoder,
                        kCross = AttentionKind::cross;

class WhatIf : public ::testing::TestWithParam<const char*> {
 protected:
  const Model model = load_model(tiny_model(GetParam()));
  const NamedArrays golden = load_safetensors(whatif_golden(GetParam()));
  const bool two = model.config().is_encoder_decoder();
  const AttentionKind kind = model.config().family == ModelFamily::bert ? kEnc : kDec;

  ModelInput input(const std::string& prefix = "") const {
    ModelInput input{golden.ids(prefix + "ids"), {}, {}, {}};
    if (two) input.decoder_ids = golden.ids(prefix + "decoder_ids");
    return input;
  }
  RunOptions at_kept(const Intervention& intervention) const {
    RunOptions options;
    options.logits_at = {3, 5};
    options.intervention = intervention;
    return options;
  }
  void expect_logits(const Intervention& intervention, const char* name) const {
    expect_near(model.run(input(), at_kept(intervention)).logits, golden.tensor(name), 1e-4, name);
  }
  // Layer 1's weights of the new capture.
  void expect_pattern(const Intervention& intervention, const std::string& name) const {
    Capture capture;
    RunOptions options = at_kept(intervention);
    options.probe = &capture;
    static_cast<void>(model.run(input(), options));
    expect_near(testing::layer_weights(fovea::Run(std::move(capture)), two ? kCross : kind, 1),
                golden.tensor(name), 2e-5, name);
  }
  static Mask without(Index n, Index m, Index query, Index key) {  // query < 0: all
    Flags visible = Flags::filled({n, m}, 1);
    for (Index i = 0; i < n; ++i) {
      if (query < 0 || i == query) visible(i, key) = 0;
    }
    return Mask::dense(visible);
  }
  Intervention from_other(const ActivationPlace& place, Index position) const {
    ActivationPlace all = place;
    all.heads.clear();
    return Intervention::replace(place, activations(model, input("other_"), {all}).front(), {position});
  }
};

TEST_P(WhatIf, ablated_heads) {
  const Intervention zero =
      two ? Intervention::ablate({kEnc, 1, {2}}) & Intervention::ablate({kCross, 1, {1}}) &
                Intervention::ablate({kDec, 0, {0}})
          : Intervention::ablate({kind, 1, {2}}) & Intervention::ablate({kind, 0, {0}});
  expect_logits(zero, "zero");
  expect_pattern(zero, "zero.pattern");
  const Intervention mean = two ? Intervention::ablate({kDec, 0, {1}}, Ablation::mean) &
                                      Intervention::ablate({kEnc, 0, {3}}, Ablation::mean)
                                : Intervention::ablate({kind, 0, {1}}, Ablation::mean);
  expect_logits(mean, "mean");
  expect_logits(
      two ? Intervention::scale({kCross, 0, {0}}, -1.5f) : Intervention::scale({kind, 1, {0}}, -1.5f),
      "scale");
}

TEST_P(WhatIf, hidden_edges) {
  const Intervention edges = two ? Intervention::hide({kDec, 1}, without(6, 6, 4, 2)) &
                                       Intervention::hide({kCross, 1, {3}}, without(6, 11, -1, 1)) &
                                       Intervention::hide({kEnc, 1, {2}}, without(11, 11, 5, 3))
                                 : Intervention::hide({kind, 1}, without(11, 11, 5, 2)) &
                                       Intervention::hide({kind, 1, {3}}, without(11, 11, -1, 1)) &
                                       Intervention::hide({kind, 0, {1}}, without(11, 11, 3, 0));
  expect_logits(edges, "edges");
  expect_pattern(edges, "edges.pattern");
}

TEST_P(WhatIf, activations_of_another_run) {
  using Site = ActivationSite;
  expect_logits(
      two ? from_other({Site::resid_post, kEnc, 0}, 4) & from_other({Site::resid_post, kDec, 1}, 2)
          : from_other({Site::resid_post, kind, 0}, 4),
      "resid");
  // What the next layer reads is the same stream.
  if (!two) expect_logits(from_other({Site::resid_pre, kind, 1}, 4), "resid");
  expect_logits(two ? from_other({Site::v, kCross, 1, {1}}, 3) & from_other({Site::k, kCross, 2, {0}}, 5) &
                          from_other({Site::q, kDec, 1, {1}}, 4) & from_other({Site::z, kEnc, 1, {3}}, 4)
                    : from_other({Site::q, kind, 1, {1}}, 5) & from_other({Site::k, kind, 1, {0}}, 3) &
                          from_other({Site::v, kind, 0, {1}}, 2) & from_other({Site::z, kind, 1, {3}}, 3),
                "heads");
}

TEST_P(WhatIf, nothing_changed_is_a_plain_run_bit_by_bit) {
  const Tensor plain = model.run(input(), at_kept({})).logits;
  const Tensor same = model.run(input(), at_kept(Intervention::scale({kind, 1, {}}, 1))).logits;
  for (Index i = 0; i < plain.shape().elements(); ++i) ASSERT_EQ(plain.data()[i], same.data()[i]) << i;
}

TEST_P(WhatIf, places_that_are_not_there_are_errors) {
  EXPECT_THROW(model.run(input(), at_kept(Intervention::ablate({kind, 3}))), Error);
  EXPECT_THROW(model.run(input(), at_kept(Intervention::ablate({kind, 0, {4}}))), Error);
  const ActivationPlace stream = {ActivationSite::resid_post, kind, 0, {}};
  EXPECT_THROW(model.run(input(), at_kept(from_other(stream, 11))), Error);
  EXPECT_THROW(model.run(input(), at_kept(Intervention::replace(stream, Tensor({1, 3, 24})))), Error);
  EXPECT_THROW(Intervention::replace({ActivationSite::pattern, kind, 0, {}}, Tensor()), Error);
  RunOptions far;
  far.logits_at = {11};
  EXPECT_THROW(model.run(input(), far), Error);
}

// A run from a layer on, and from a position on, has the bits of a whole one where it says the same.
TEST_P(WhatIf, restart_in_the_middle) {
  const Architecture& architecture = model.architecture();
  const Tensor x = activations(model, input(), {{ActivationSite::resid_pre, kind, 1, {}}}).front();
  const Tensor whole = model.run(input()).hidden;
  Capture capture;
  RunOptions options;
  options.probe = &capture;
  static_cast<void>(model.run(input(), options));
  const Index tokens = whole.shape()[1], from = 4;
  DecodingState state;
  for (const CapturedAttention& call : capture.calls()) {
    KeyValueCache cache({1, call.k.shape()[1], call.k.shape()[3]});
    const Index before = call.kind == kCross ? call.k.shape()[2] : from;
    cache.append(call.k.slice(2, 0, before), call.v.slice(2, 0, before));
    if (call.kind != kEnc) (call.kind == kCross ? state.cross : state.self).push_back(std::move(cache));
  }
  Restart restart{1, x};
  restart.memory = two ? &state.cross : nullptr;
  expect_near(architecture.restart(restart).hidden, whole, 1e-6, "from layer 1");
  if (kind == kEnc) return;
  state.tokens = from;
  restart.x = Tensor::copy_of(x.view().slice(1, from, tokens));
  restart.state = &state;
  restart.last_only = true;
  expect_near(architecture.restart(restart).hidden,
              Tensor::copy_of(whole.view().slice(1, tokens - 1, tokens)), 1e-5, "last of the tail");
}

// Of an encoder-decoder model also from a layer of its encoder on, and between self- and cross-attention.
TEST_P(WhatIf, restart_of_an_encoder_and_between_attentions) {
  if (!two) return;
  const ModelOutput whole = model.run(input());
  const Index tokens = whole.hidden.shape()[1];
  Restart restart;
  restart.encoder_layer = 1;
  restart.encoder_x = activations(model, input(), {{ActivationSite::resid_pre, kEnc, 1, {}}}).front();
  for (Index layer = 0; layer < model.config().decoder_layers; ++layer) {
    restart.layer = layer;
    restart.attended = true;
    restart.last_only = false;
    restart.x = activations(model, input(), {{ActivationSite::resid_mid, kDec, layer, {}}}).front();
    const ModelOutput again = model.architecture().restart(restart);
    expect_near(again.hidden, whole.hidden, 1e-6, "hidden");
    expect_near(again.encoder_hidden, whole.encoder_hidden, 1e-6, "of the encoder");
    restart.last_only = true;
    expect_near(model.architecture().restart(restart).hidden,
                Tensor::copy_of(whole.hidden.view().slice(1, tokens - 1, tokens)), 1e-5, "last");
  }
}

// What is ablated gives nothing, whatever it was.
TEST_P(WhatIf, an_infinite_head_is_ablated) {
  const ActivationPlace z = {ActivationSite::z, kind, 0, {1}};
  const ActivationPlace all = {ActivationSite::z, kind, 0, {}};
  const Tensor infinite = Tensor::filled(activations(model, input(), {all}).front().shape(),
                                         std::numeric_limits<float>::infinity());
  const Intervention ablated = Intervention::ablate({kind, 0, {1}});
  expect_near(model.run(input(), at_kept(Intervention::replace(z, infinite) & ablated)).logits,
              model.run(input(), at_kept(ablated)).logits, 1e-6, "ablated");
  // A reader of the changed run sees the change.
  RunOptions options;
  options.intervention = ablated;
  const Tensor seen = activations(model, input(), {z}, options).front();
  for (Index i = 0; i < seen.shape().elements(); ++i) EXPECT_EQ(seen.data()[i], 0);
}

TEST_P(WhatIf, chosen_heads_are_read_in_their_order) {
  const ActivationSite site = ActivationSite::q;
  const std::vector<Tensor> read = activations(
      model, input(),
      {{site, kind, 1, {2, 0}}, {site, kind, 1, {}}, {ActivationSite::projected_q, kind, 1, {}}});
  for (const auto& [at, head] : {std::pair<Index, Index>{0, 2}, {1, 0}}) {
    expect_near(read[0].view().select(2, at), Tensor::copy_of(read[1].view().select(2, head)), 0, "head");
  }
  // Rotary positions turn nothing at position 0, and something later.
  const bool rotary = model.config().family == ModelFamily::llama;
  expect_near(read[2].view().select(1, 0), Tensor::copy_of(read[1].view().select(1, 0)), 1e-6,
              "position 0");
  double moved = 0;
  for (Index d = 0; d < read[1].shape()[3]; ++d) {
    moved += std::abs(static_cast<double>(read[1](0, 4, 1, d)) - static_cast<double>(read[2](0, 4, 1, d)));
  }
  EXPECT_EQ(moved > 1e-3, rotary);
}

INSTANTIATE_TEST_SUITE_P(Tiny, WhatIf, ::testing::Values("bert", "gpt2", "llama", "t5", "bart"),
                         [](const auto& param) { return std::string(param.param); });

// Two sequences, of which the second is shorter: each as if it were alone.
TEST(WhatIfBatch, every_sequence_has_its_own_change) {
  const Model model = load_model(tiny_model("bert"));
  const ModelInput both{
      Ids{{5, 6, 7, 8, 9}, {9, 3, 4, 0, 0}}, Flags{{1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}}, {}, {}};
  const ModelInput second{Ids{{9, 3, 4}}, {}, {}, {}};
  RunOptions options;
  const auto expect_second = [&](const Intervention& of_both, const Intervention& alone, const char* what) {
    options.intervention = of_both;
    const Tensor got = model.run(both, options).logits;
    options.intervention = alone;
    expect_near(got.view().slice(0, 1, 2).slice(1, 0, 3), model.run(second, options).logits, 1e-5, what);
  };
  const Intervention mean = Intervention::ablate({kEnc, 0, {1}}, Ablation::mean);
  expect_second(mean, mean, "the mean over real tokens");
  const ActivationPlace place = {ActivationSite::resid_post, kEnc, 0, {}};
  Random random(4);
  const Index width = model.config().width;
  const Tensor values = random.normal({2, 5, width});
  expect_second(
      Intervention::replace(place, values, {1}),
      Intervention::replace(place, Tensor::copy_of(values.view().slice(0, 1, 2).slice(1, 0, 3)), {1}),
      "its own values");
}

}  // namespace
}  // namespace fovea
