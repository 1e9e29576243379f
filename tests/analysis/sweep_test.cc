// Sweeps that restart in the middle of a run, against whole runs that are changed.
#include "fovea/sweep.h"

#include <map>
#include <utility>
#include <vector>

#include "fovea/activations.h"
#include "fovea/predict.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::tiny_model;
using testing::whatif_golden;

constexpr AttentionKind kEncoder = AttentionKind::encoder, kDecoder = AttentionKind::decoder,
                        kCross = AttentionKind::cross;

// How often each layer's attention was computed, and of how many queries in all.
class CountingProbe final : public Probe {
 public:
  void attention(const AttentionCall& call) override {
    ++calls[{call.kind, call.layer}];
    queries[{call.kind, call.layer}] += call.q.shape()[2];
  }
  std::map<std::pair<AttentionKind, Index>, Index> calls, queries;
};

class SweepOf : public ::testing::TestWithParam<const char*> {
 protected:
  const Model model = load_model(tiny_model(GetParam()));
  const NamedArrays golden = load_safetensors(whatif_golden(GetParam()));
  const bool two = model.config().is_encoder_decoder();

  ModelInput input(const std::string& prefix = "") const {
    ModelInput input{golden.ids(prefix + "ids"), {}, {}, {}};
    if (two) input.decoder_ids = golden.ids(prefix + "decoder_ids");
    return input;
  }
  SweepOptions options(SweepMetric::Kind metric) const {
    SweepOptions options;
    options.metric = {metric, 7, 9};
    options.position = metric == SweepMetric::Kind::loss ? 2 : 5;
    options.kind = model.config().has_decoder() ? kDecoder : kEncoder;
    return options;
  }
  std::vector<AttentionKind> kinds() const {
    if (two) return {kEncoder, kDecoder, kCross};
    return {options(SweepMetric::Kind::kl).kind};
  }
  Index layers(AttentionKind kind) const { return model.config().attention_layers(kind); }
  // Of the tokens after position 2 on.
  double loss(const Intervention& change) const {
    RunOptions run;
    run.intervention = change;
    const ModelOutput all = model.run(input(), run);
    const Ids ids = two ? input().decoder_ids : input().ids;
    double sum = 0;
    for (Index p = 2; p + 1 < ids.shape()[1]; ++p) {
      sum -= log_probabilities(
          all.logits.view().select(0, 0).select(0, p))[static_cast<std::size_t>(ids(0, p + 1))];
    }
    return sum / static_cast<double>(ids.shape()[1] - 3);
  }
  // What transformers was compared with: a run that is changed.
  double changed(const Intervention& change, SweepMetric::Kind metric) const {
    RunOptions run;
    run.logits_at = {5};
    run.intervention = change;
    const ModelOutput after = model.run(input(), run);
    run.intervention = {};
    const ModelOutput before = model.run(input(), run);
    if (metric == SweepMetric::Kind::cosine) {
      return cosine(sentence_vector(before.hidden), sentence_vector(after.hidden));
    }
    const ConstView old = before.logits.view().select(0, 0).select(0, 0),
                    now = after.logits.view().select(0, 0).select(0, 0);
    if (metric == SweepMetric::Kind::loss) return loss(change);
    if (metric == SweepMetric::Kind::kl) return kl_divergence(old, now);
    return static_cast<double>(now.data()[7]) - static_cast<double>(now.data()[9]);
  }
};

TEST_P(SweepOf, heads) {
  for (const SweepMetric::Kind metric : {SweepMetric::Kind::logit_difference, SweepMetric::Kind::kl,
                                         SweepMetric::Kind::cosine, SweepMetric::Kind::loss}) {
    if (metric == SweepMetric::Kind::loss && !model.config().has_decoder()) {
      EXPECT_THROW(sweep_heads(model, input(), options(metric)), Error);
      continue;
    }
    for (const AttentionKind kind : kinds()) {
      for (const Ablation how : {Ablation::zero, Ablation::mean}) {
        SweepOptions all = options(metric);
        all.kind = kind;
        all.ablation = how;
        const Sweep sweep = sweep_heads(model, input(), all);
        ASSERT_EQ(sweep.values.rows(), layers(kind));
        ASSERT_EQ(sweep.values.columns(), 4);
        for (Index layer = 0; layer < sweep.values.rows(); ++layer) {
          for (Index head = 0; head < 4; ++head) {
            const double want = changed(Intervention::ablate({kind, layer, {head}}, how), metric);
            EXPECT_NEAR(sweep.values(layer, head), want, 2e-5)
                << to_string(kind) << " " << layer << " " << head;
          }
        }
      }
    }
  }
}

// Measured before the end, what comes after is not read at all.
TEST_P(SweepOf, heads_and_positions_measured_in_the_middle) {
  for (const AttentionKind kind : kinds()) {
    SweepOptions all = options(SweepMetric::Kind::logit);
    all.kind = kind;
    all.position = 3;
    SweepOptions whole = all;
    whole.restart = false;
    CountingProbe counted;
    all.probe = &counted;
    const Sweep got = sweep_heads(model, input(), all), want = sweep_heads(model, input(), whole);
    for (const auto& [place, queries] : counted.queries) {
      if (place.first == kEncoder) continue;
      EXPECT_LE(queries, 4 * counted.calls[place]) << to_string(kind);
    }
    const bool places = kind != kCross;
    const Sweep moved = places ? sweep_positions(model, input(), input("other_"), all) : Sweep{},
                wanted = places ? sweep_positions(model, input(), input("other_"), whole) : Sweep{};
    ASSERT_EQ(moved.values.columns(), wanted.values.columns());
    for (Index layer = 0; layer < layers(kind); ++layer) {
      for (Index i = 0; i < 4; ++i) EXPECT_NEAR(got.values(layer, i), want.values(layer, i), 2e-5);
      for (Index i = 0; i < moved.values.columns(); ++i) {
        EXPECT_NEAR(moved.values(layer, i), wanted.values(layer, i), 2e-5) << to_string(kind) << " " << i;
      }
    }
  }
}

// Heads: what lies below the change is not computed, nor is the encoder for a change of the decoder, nor
// the decoder's first self-attention for one of the encoder.
TEST_P(SweepOf, heads_compute_what_follows_them_and_no_more) {
  for (const AttentionKind kind : kinds()) {
    CountingProbe restarted, whole;
    SweepOptions all = options(SweepMetric::Kind::kl);
    all.kind = kind;
    all.probe = &restarted;
    static_cast<void>(sweep_heads(model, input(), all));
    all.restart = false;
    all.probe = &whole;
    static_cast<void>(sweep_heads(model, input(), all));
    const Index heads = 4, every = heads * layers(kind);
    const auto expect = [&](AttentionKind of, Index layer, Index runs) {
      EXPECT_EQ((restarted.calls[{of, layer}]), runs) << to_string(kind) << ", " << to_string(of) << layer;
      EXPECT_EQ((whole.calls[{of, layer}]), every) << to_string(kind) << ", " << to_string(of) << layer;
    };
    for (Index i = 0; i < layers(kEncoder); ++i) {
      expect(kEncoder, i, kind == kEncoder ? heads * (i + 1) : 0);
    }
    for (Index i = 0; i < layers(kDecoder); ++i) {
      const Index later = kind == kEncoder ? (i == 0 ? 0 : every) : heads * (kind == kCross ? i : i + 1);
      expect(kDecoder, i, later);
    }
    for (Index i = 0; i < layers(kCross); ++i) {
      expect(kCross, i, kind == kEncoder ? every : heads * (i + 1));
    }
  }
}

// Positions of a decoder: those before are not computed, and of the last layer only the one measured.
TEST_P(SweepOf, positions_compute_what_follows_them_and_no_more) {
  if (!model.config().has_decoder()) return;
  CountingProbe counted;
  SweepOptions all = options(SweepMetric::Kind::kl);
  all.probe = &counted;
  static_cast<void>(sweep_positions(model, input(), input("other_"), all));
  const Index tokens = all.position + 1, last = layers(kDecoder) - 1;
  EXPECT_EQ((counted.queries[{kDecoder, 0}]), tokens * (tokens + 1) / 2);
  EXPECT_EQ((counted.queries[{kDecoder, last}]), tokens * (last + 1));
  EXPECT_EQ((counted.calls[{kEncoder, 0}]), 0);
  EXPECT_EQ((counted.queries[{kCross, last}]), two ? tokens * (last + 1) : 0);
}

TEST_P(SweepOf, positions_by_cosine) {
  SweepOptions all = options(SweepMetric::Kind::cosine), whole = all;
  whole.restart = false;
  const Sweep got = sweep_positions(model, input(), input("other_"), all),
              want = sweep_positions(model, input(), input("other_"), whole);
  for (Index layer = 0; layer < got.values.rows(); ++layer) {
    for (Index i = 0; i < got.values.columns(); ++i) {
      EXPECT_NEAR(got.values(layer, i), want.values(layer, i), 2e-6) << layer << " " << i;
    }
  }
}

TEST_P(SweepOf, positions) {
  for (const SweepMetric::Kind metric : {SweepMetric::Kind::logit_difference, SweepMetric::Kind::loss}) {
    if (metric == SweepMetric::Kind::loss && !model.config().has_decoder()) continue;
    for (const AttentionKind kind : kinds()) {
      if (kind == kCross) continue;
      SweepOptions all = options(metric);
      all.kind = kind;
      const Sweep sweep = sweep_positions(model, input(), input("other_"), all);
      ASSERT_EQ(sweep.values.columns(), two && kind == kDecoder ? 6 : 11);
      double largest = 0;
      for (Index layer = 0; layer < sweep.values.rows(); ++layer) {
        const ActivationPlace place = {ActivationSite::resid_pre, kind, layer, {}};
        const Tensor other = activations(model, input("other_"), {place}).front();
        for (Index p = 0; p < sweep.values.columns(); ++p) {
          const double want = changed(Intervention::replace(place, other, {p}), metric);
          EXPECT_NEAR(sweep.values(layer, p), want, 2e-5) << to_string(kind) << " " << layer << " " << p;
          largest = std::max(largest, std::abs(want - sweep.base));
        }
      }
      EXPECT_GT(largest, 0.1) << to_string(kind);
      EXPECT_THROW(sweep_positions(model, input(), {Ids{{1, 2, 3}}, {}, {}, {}}, all), Error);
    }
  }
}

// The mean of a head needs all positions of its layer, even if only the last one is measured.
TEST_P(SweepOf, means_measured_at_the_last_position) {
  SweepOptions all = options(SweepMetric::Kind::logit);
  all.ablation = Ablation::mean;
  all.position = (two ? input().decoder_ids : input().ids).shape()[1] - 1;
  const Sweep sweep = sweep_heads(model, input(), all);
  RunOptions run;
  run.logits_at = {all.position};
  const Index last = sweep.values.rows() - 1;
  run.intervention = Intervention::ablate({all.kind, last, {1}}, Ablation::mean);
  EXPECT_NEAR(sweep.values(last, 1), static_cast<double>(model.run(input(), run).logits.data()[7]), 2e-5);
}

INSTANTIATE_TEST_SUITE_P(Tiny, SweepOf, ::testing::Values("bert", "gpt2", "llama", "t5", "bart"),
                         [](const auto& param) { return std::string(param.param); });

TEST(Sweep, metrics_by_name) {
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const SweepMetric metric = parse_metric("logit( cat) - logit( the)", model);
  EXPECT_EQ(metric.kind, SweepMetric::Kind::logit_difference);
  EXPECT_EQ(*model.tokenizer().id_to_token(metric.first), "Ġcat");
  EXPECT_EQ(*model.tokenizer().id_to_token(metric.second), "Ġthe");
  EXPECT_EQ(*model.tokenizer().id_to_token(parse_metric("logit())", model).first), ")");
  EXPECT_EQ(parse_metric("logit( cat)-logit( the)", model).second, metric.second);
  const SweepMetric brackets = parse_metric("logit()) - logit(()", model);
  EXPECT_EQ(*model.tokenizer().id_to_token(brackets.first), ")");
  EXPECT_EQ(*model.tokenizer().id_to_token(brackets.second), "(");
  EXPECT_EQ(parse_metric("loss", model).kind, SweepMetric::Kind::loss);
  EXPECT_EQ(parse_metric("cosine", model).kind, SweepMetric::Kind::cosine);
  EXPECT_EQ(parse_metric("kl", model).kind, SweepMetric::Kind::kl);
  for (const char* wrong : {"", "logit", "logit(", "logit()", "logit( dog)", "logit(a)-kl", "KL",
                            "logit( cat", "logit( cat) - "}) {
    EXPECT_THROW(parse_metric(wrong, model), Error) << wrong;
  }
  EXPECT_THROW(parse_metric("logit(" + std::string(1 << 20, 'a') + ")", model), Error);
}

}  // namespace
}  // namespace fovea
