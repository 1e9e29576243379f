// Logit lens and direct logit attribution, against transformers (make_whatif_goldens.py).
#include "fovea/attribution.h"

#include <cmath>

#include "fovea/activations.h"
#include "fovea/intervention.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::expect_near;
using testing::tiny_model;
using testing::whatif_golden;

class Attribution : public ::testing::TestWithParam<const char*> {
 protected:
  const Model model = load_model(tiny_model(GetParam()));
  const NamedArrays golden = load_safetensors(whatif_golden(GetParam()));

  bool two() const { return model.config().is_encoder_decoder(); }
  ModelInput input() const {
    ModelInput input{golden.ids("ids"), {}, {}, {}};
    if (golden.contains("decoder_ids")) input.decoder_ids = golden.ids("decoder_ids");
    return input;
  }
};

TEST_P(Attribution, logit_lens_is_that_of_transformers) {
  expect_near(logit_lens(model, input(), {3, 5}), golden.tensor("lens"), 1e-4, "lens");
  EXPECT_THROW(logit_lens(model, input(), {11}), Error);
}

TEST_P(Attribution, parts_of_a_logit) {
  if (!golden.contains("head_parts")) {
    EXPECT_THROW(attribute_logit(model, input(), 5, 7), Error);  // norms come last
    return;
  }
  const LogitAttribution parts = attribute_logit(model, input(), 5, 7);
  EXPECT_NEAR(parts.sum, parts.logit, 1e-4);
  const Tensor want = golden.tensor("head_parts");
  Index seen = 0;
  for (const LogitPart& part : parts.parts) {
    if (part.what != LogitPart::What::head || part.kind != AttentionKind::decoder) continue;
    EXPECT_NEAR(part.value, static_cast<double>(want(part.layer, part.head)), 1e-4)
        << part.layer << " " << part.head;
    ++seen;
  }
  EXPECT_EQ(seen, want.shape().elements());
  EXPECT_THROW(attribute_logit(model, input(), 5, 1000), Error);

  // What a part adds to the stream, by the stream around it; of a head, by the stream without it.
  const auto stream = [&](ActivationSite site, Index layer, const Intervention& change = {}) {
    RunOptions options;
    options.intervention = change;
    return activations(model, input(), {{site, AttentionKind::decoder, layer, {}}}, options).front();
  };
  const auto distance = [](const Tensor& a, const Tensor& b) {
    double squares = 0;
    for (Index e = 0; e < a.shape()[2]; ++e) {
      squares += std::pow(static_cast<double>(a(0, 5, e)) - static_cast<double>(b(0, 5, e)), 2);
    }
    return std::sqrt(squares);
  };
  const Tensor start = stream(ActivationSite::resid_pre, 0), middle = stream(ActivationSite::resid_mid, 1);
  const Tensor last = two() ? stream(ActivationSite::resid_cross, 1) : middle;
  for (const LogitPart& part : parts.parts) {
    if (part.what == LogitPart::What::embedding) {
      EXPECT_NEAR(part.norm, distance(start, Tensor(start.shape())), 1e-4);
    } else if (part.what == LogitPart::What::feed_forward && part.layer == 1) {
      EXPECT_NEAR(part.norm, distance(stream(ActivationSite::resid_post, 1), last), 1e-4);
    } else if (part.what == LogitPart::What::head && part.kind == AttentionKind::decoder &&
               part.layer == 1) {
      const Intervention without = Intervention::ablate({part.kind, 1, {part.head}});
      EXPECT_NEAR(part.norm, distance(middle, stream(ActivationSite::resid_mid, 1, without)), 1e-4);
    }
  }

  // Of a changed run, too: an ablated head adds nothing.
  RunOptions options;
  options.intervention = Intervention::ablate({AttentionKind::decoder, 1, {2}});
  const LogitAttribution changed = attribute_logit(model, input(), 5, 7, options);
  EXPECT_NEAR(changed.sum, changed.logit, 1e-4);
  for (const LogitPart& part : changed.parts) {
    if (part.what == LogitPart::What::head && part.kind == AttentionKind::decoder && part.layer == 1 &&
        part.head == 2) {
      EXPECT_EQ(part.value, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, Attribution, ::testing::Values("bert", "gpt2", "llama", "t5", "bart"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace fovea
