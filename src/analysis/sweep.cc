#include "fovea/sweep.h"

#include <algorithm>
#include <regex>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "fovea/activations.h"
#include "fovea/capture.h"
#include "fovea/error.h"
#include "fovea/places.h"
#include "fovea/predict.h"
#include "io/messages.h"
#include "models/architecture.h"
#include "models/intervener.h"

namespace fovea {
namespace {

using Kind = SweepMetric::Kind;

constexpr std::size_t kLongestMetric = 1000;  // bytes: the regular expressions below recurse

void check_sweep(const Model& model, const ModelInput& input, const SweepOptions& options) {
  const ModelConfig& config = model.config();
  if (input.ids.shape().rank() != 2 || input.ids.shape()[0] != 1 || !input.real.empty()) {
    fail("[sweep] ids are {}, expected one sequence, [1, N], without pads", input.ids.shape().to_string());
  }
  if (config.attention_layers(options.kind) == 0) {
    fail("[sweep] {} has no {} attention", model.name(), to_string(options.kind));
  }
  if (options.metric.kind == Kind::cosine) return;
  if (!config.has_logits) fail("[sweep] {} has no output layer: the only metric is cosine", model.name());
  const Ids& ids = config.is_encoder_decoder() ? input.decoder_ids : input.ids;
  const Index tokens = ids.empty() ? 1 : ids.shape()[1];
  if (options.position < 0 || options.position >= tokens) {
    fail("[sweep] position {}, there are 0 to {}", options.position, tokens - 1);
  }
  if (options.metric.kind == Kind::loss && (!config.has_decoder() || options.position + 1 >= tokens)) {
    fail("[sweep] the loss needs a decoder, and a token after position {}", options.position);
  }
  for (const Index token : {options.metric.first, options.metric.second}) {
    if (token >= 0 && token < config.vocabulary) continue;
    fail("[sweep] token {}, there are 0 to {}", token, config.vocabulary - 1);
  }
}

// Nothing after the measured position can change it where attention is causal.
bool may_cut(const Model& model, const SweepOptions& options) {
  return model.config().has_decoder() && options.metric.kind != Kind::cosine &&
         options.metric.kind != Kind::loss;
}

// What a decoder reads; none if it begins by itself.
const Ids& decoder_ids(const Model& model, const ModelInput& input) {
  return model.config().is_encoder_decoder() ? input.decoder_ids : input.ids;
}

ModelInput cut_after(const Model& model, const ModelInput& input, const SweepOptions& options) {
  const Ids& all = decoder_ids(model, input);
  if (all.empty()) return input;
  const Index tokens = options.position + 1;
  ModelInput cut = input;
  (model.config().is_encoder_decoder() ? cut.decoder_ids : cut.ids) =
      Ids({1, tokens}, std::vector<Index>(all.data(), all.data() + tokens));
  return cut;
}

// One model and text, the unchanged run, and the metric.
class Sweeper {
 public:
  Sweeper(const Model& model, const ModelInput& input, const SweepOptions& options, bool cut)
      : model_(model),
        architecture_(model.architecture()),
        options_(options),
        input_(cut ? cut_after(model, input, options) : input),
        encoder_decoder_(model.config().is_encoder_decoder()),
        by_logits_(options.metric.kind != Kind::cosine) {
    if (by_logits_) logits_at_ = {options_.position};
    if (options_.metric.kind == Kind::loss) ask_for_loss();
    RunOptions plain;
    plain.probe = &capture_;
    plain.logits = by_logits_;
    plain.logits_at = logits_at_;
    ModelOutput output = model_.run(input_, plain);
    if (by_logits_) {
      logits_ = std::move(output.logits);
    } else {
      vector_ = sentence_vector(output.hidden);
    }
    if (options_.restart) keep();
  }

  const Model& model() const { return model_; }
  const ModelInput& input() const { return input_; }
  Index layers() const { return model_.config().attention_layers(options_.kind); }
  Index tokens() const {  // whose hidden states a run ends with
    const Ids& ids = encoder_decoder_ ? input_.decoder_ids : input_.ids;
    return ids.empty() ? 1 : ids.shape()[1];
  }
  const Capture& capture() const { return capture_; }
  const Tensor& stream(Index layer) const { return streams_[static_cast<std::size_t>(layer)]; }

  // Before each layer; of cross-attention, what it reads.
  std::vector<Tensor> streams_of(const ModelInput& input) const {
    const bool cross = options_.kind == AttentionKind::cross;
    std::vector<ActivationPlace> places;
    for (Index i = 0; i < layers(); ++i) {
      places.push_back({cross ? ActivationSite::resid_mid : ActivationSite::resid_pre,
                        cross ? AttentionKind::decoder : options_.kind,
                        i,
                        {}});
    }
    return activations(model_, input, places);
  }

  double base() const { return by_logits_ ? of_logits(logits_) : 1; }

  // A whole run.
  double whole(const Intervention& intervention) const {
    RunOptions changed;
    changed.intervention = intervention;
    changed.probe = options_.probe;
    changed.logits = by_logits_;
    changed.logits_at = logits_at_;
    const ModelOutput output = model_.run(input_, changed);
    return by_logits_ ? of_logits(output.logits) : cosine(vector_, sentence_vector(output.hidden));
  }

  // From a layer on, which reads x.
  Restart from(Index layer, Tensor x) const {
    Restart restart;
    restart.probe = options_.probe;
    if (encoder_decoder_ && options_.kind == AttentionKind::encoder) {
      restart.encoder_layer = layer;
      restart.encoder_x = std::move(x);
      restart.x = decoder_start_;
      restart.attended = true;
      return restart;
    }
    restart.layer = layer;
    restart.x = std::move(x);
    restart.attended = options_.kind == AttentionKind::cross;
    restart.memory = encoder_decoder_ ? &memory_ : nullptr;
    return restart;
  }

  // `narrow` if the change does not ask for all positions of the last layer.
  double restarted(Restart restart, bool narrow = true) const {
    restart.last_only = narrow && by_logits_ && model_.config().has_decoder() && logits_at_.size() == 1 &&
                        logits_at_.front() + 1 == tokens();
    const Tensor hidden = architecture_.restart(std::move(restart)).hidden;
    if (!by_logits_) return cosine(vector_, sentence_vector(hidden));
    // Of a position that was not computed again, the logits are those of the unchanged run.
    const Index before = tokens() - hidden.shape()[1];
    const Index begin = std::max(logits_at_.front() - before, Index{0}),
                end = logits_at_.back() + 1 - before;
    const Tensor again =
        architecture_.logits(Tensor::copy_of(hidden.view().slice(1, std::min(begin, end), end)));
    if (again.shape()[1] == logits_.shape()[1]) return of_logits(again);
    Tensor all = logits_;
    const Index kept = all.shape()[1] - again.shape()[1];
    std::copy_n(again.data(), again.shape().elements(), all.data() + kept * all.shape()[2]);
    return of_logits(all);
  }

  void check_stop() const {
    if (options_.stop.stop_requested()) throw Stopped("[sweep] stopped");
  }

 private:
  // What lies below a change, and beside it: a decoder whose encoder is changed begins after its first
  // self-attention, which knows nothing of it, and one that is changed itself reads the same encoder.
  void keep() {
    streams_ = streams_of(input_);
    if (!encoder_decoder_) return;
    if (options_.kind == AttentionKind::encoder) {
      const ActivationPlace attended = {ActivationSite::resid_mid, AttentionKind::decoder, 0, {}};
      decoder_start_ = activations(model_, input_, {attended}).front();
      return;
    }
    for (const CapturedAttention& call : capture_.calls()) {
      if (call.kind != AttentionKind::cross) continue;
      memory_.emplace_back(KeyValueCacheConfig{1, call.k.shape()[1], call.k.shape()[3]});
      memory_.back().append(call.k, call.v);
    }
  }

  // Every position that has a next token.
  void ask_for_loss() {
    const Ids& ids = decoder_ids(model_, input_);
    logits_at_.clear();
    for (Index p = options_.position; p + 1 < ids.shape()[1]; ++p) {
      logits_at_.push_back(p);
      next_.push_back(ids.data()[p + 1]);
    }
  }

  double of_logits(const Tensor& logits) const {  // [1, P, V], P = 1 but for the loss
    const SweepMetric& metric = options_.metric;
    if (metric.kind == Kind::loss) return prediction_loss(logits.view().select(0, 0), next_);
    const auto logit = [&](Index token) { return static_cast<double>(logits.data()[token]); };
    if (metric.kind == Kind::logit) return logit(metric.first);
    if (metric.kind == Kind::logit_difference) return logit(metric.first) - logit(metric.second);
    const Shape row = {logits.shape()[2]};
    return kl_divergence(ConstView(logits_.data(), row), ConstView(logits.data(), row));
  }

  const Model& model_;
  const Architecture& architecture_;
  const SweepOptions& options_;
  ModelInput input_;
  bool encoder_decoder_, by_logits_;
  Capture capture_;
  std::vector<Index> logits_at_, next_;  // positions, and of the loss the tokens that came
  Tensor logits_;                        // [1, P, V] of the unchanged run
  std::vector<double> vector_;           // or its sentence vector
  std::vector<Tensor> streams_;          // [1, N, E] before each layer
  Tensor decoder_start_;                 // [1, N, E] after the decoder's first self-attention
  std::vector<KeyValueCache> memory_;    // the encoder's output, per layer of the decoder
};

Index heads_in(const Capture& capture, AttentionKind kind) {
  for (const CapturedAttention& call : capture.calls()) {
    if (call.kind == kind) return call.q.shape()[1];
  }
  return 0;
}

// Of a decoder: position after position, so that the caches hold the unchanged keys and values before it.
void sweep_tails(const Sweeper& sweeper, const std::vector<Tensor>& others, Matrix& values) {
  DecodingState state;
  std::vector<const CapturedAttention*> calls;  // of self-attention
  for (const CapturedAttention& call : sweeper.capture().calls()) {
    if (call.kind != AttentionKind::decoder) continue;
    calls.push_back(&call);
    state.self.emplace_back(KeyValueCacheConfig{1, call.k.shape()[1], call.k.shape()[3]});
    state.self.back().reserve(values.columns());
  }
  const Index tokens = sweeper.tokens();
  for (Index p = 0; p < tokens; ++p) {
    sweeper.check_stop();
    state.tokens = p;
    for (Index layer = 0; layer < values.rows(); ++layer) {
      Tensor x = Tensor::copy_of(sweeper.stream(layer).view().slice(1, p, tokens));
      const Index width = x.shape()[2];
      const float* from = others[static_cast<std::size_t>(layer)].data() + p * width;
      std::copy(from, from + width, x.data());
      Restart restart = sweeper.from(layer, std::move(x));
      restart.state = &state;
      values(layer, p) = sweeper.restarted(std::move(restart));
      for (KeyValueCache& cache : state.self) cache.truncate(p);
    }
    for (std::size_t i = 0; i < state.self.size(); ++i) {
      state.self[i].append(calls[i]->k.slice(2, p, p + 1), calls[i]->v.slice(2, p, p + 1));
    }
  }
  // What comes after the measured token cannot change it.
  for (Index layer = 0; layer < values.rows(); ++layer) {
    for (Index p = tokens; p < values.columns(); ++p) values(layer, p) = sweeper.base();
  }
}

void check_same_length(const Ids& got, const Ids& want) {
  if (got.shape() == want.shape()) return;
  fail("[sweep] the other run has ids {}, expected {}", got.shape().to_string(), want.shape().to_string());
}

}  // namespace

SweepMetric parse_metric(const std::string& text, const TextModel& model) {
  if (text == "kl") return {Kind::kl};
  if (text == "loss") return {Kind::loss};
  if (text == "cosine") return {Kind::cosine};
  // A token may hold brackets: the first ends where ") - logit(" follows, else with the last bracket.
  static const std::regex one("logit\\(([^]+)\\)"), two("logit\\(([^]+?)\\) *- *logit\\(([^]+)\\)");
  std::smatch names;
  if (text.size() <= kLongestMetric && std::regex_match(text, names, two)) {
    return {Kind::logit_difference, one_token(model, names[1]), one_token(model, names[2])};
  }
  if (text.size() <= kLongestMetric && std::regex_match(text, names, one)) {
    return {Kind::logit, one_token(model, names[1])};
  }
  fail("[sweep] the metric is {}, expected kl, loss, cosine, logit(TOKEN), or logit(TOKEN) - logit(TOKEN)",
       in_quotes(text));
}

Sweep sweep_heads(const Model& model, const ModelInput& input, const SweepOptions& options) {
  check_sweep(model, input, options);
  // The mean of a head goes over all positions.
  const bool cut = may_cut(model, options) && options.ablation == Ablation::zero;
  const Sweeper sweeper(model, input, options, cut);
  Sweep sweep{sweeper.base(), Matrix(sweeper.layers(), heads_in(sweeper.capture(), options.kind))};
  for (Index layer = 0; layer < sweep.values.rows(); ++layer) {
    for (Index head = 0; head < sweep.values.columns(); ++head) {
      sweeper.check_stop();
      const Intervention change = Intervention::ablate({options.kind, layer, {head}}, options.ablation);
      if (!options.restart) {
        sweep.values(layer, head) = sweeper.whole(change);
        continue;
      }
      Intervener intervener(change, sweeper.input(), model.config(), options.probe);
      Restart restart = sweeper.from(layer, sweeper.stream(layer));
      restart.probe = &intervener;
      const bool narrow = options.ablation == Ablation::zero || layer + 1 < sweep.values.rows();
      sweep.values(layer, head) = sweeper.restarted(std::move(restart), narrow);
    }
  }
  return sweep;
}

Sweep sweep_positions(const Model& model, const ModelInput& input, const ModelInput& other,
                      const SweepOptions& options) {
  check_sweep(model, input, options);
  if (options.kind == AttentionKind::cross) fail("[sweep] positions are of the encoder or the decoder");
  check_same_length(other.ids, input.ids);
  const bool decoded = options.kind == AttentionKind::decoder && model.config().is_encoder_decoder();
  if (!input.decoder_ids.empty()) check_same_length(other.decoder_ids, input.decoder_ids);
  const bool cut = may_cut(model, options);
  const Sweeper sweeper(model, input, options, cut);
  const Ids& ids = decoded ? input.decoder_ids : input.ids;  // before the cut
  Sweep sweep{sweeper.base(), Matrix(sweeper.layers(), ids.empty() ? 1 : ids.shape()[1])};
  const std::vector<Tensor> others = sweeper.streams_of(cut ? cut_after(model, other, options) : other);
  // The cosine is of all positions: nothing is known of those before without computing them.
  if (options.restart && options.kind == AttentionKind::decoder && options.metric.kind != Kind::cosine) {
    sweep_tails(sweeper, others, sweep.values);
    return sweep;
  }
  for (Index layer = 0; layer < sweep.values.rows(); ++layer) {
    for (Index p = 0; p < sweep.values.columns(); ++p) {
      sweeper.check_stop();
      const Tensor& from = others[static_cast<std::size_t>(layer)];
      if (p >= from.shape()[1]) {
        sweep.values(layer, p) = sweep.base;
      } else if (options.restart) {
        Tensor x = sweeper.stream(layer);
        const Index width = x.shape()[2];
        std::copy(from.data() + p * width, from.data() + (p + 1) * width, x.data() + p * width);
        sweep.values(layer, p) = sweeper.restarted(sweeper.from(layer, std::move(x)));
      } else {
        const ActivationPlace place = {ActivationSite::resid_pre, options.kind, layer, {}};
        sweep.values(layer, p) = sweeper.whole(Intervention::replace(place, from, {p}));
      }
    }
  }
  return sweep;
}

}  // namespace fovea
