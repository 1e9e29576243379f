#include "fovea/kept_run.h"

#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "fovea/error.h"
#include "models/architecture.h"
#include "models/intervener.h"

namespace fovea {
namespace {

// Keeps every attention call, and if asked the stream before every layer; ends a run that nobody waits for.
class KeepingProbe final : public Probe {
 public:
  KeepingProbe(Capture& capture, std::vector<Tensor>* streams, const std::stop_token& stop)
      : capture_(capture), streams_(streams), stop_(stop) {}

  void attention(const AttentionCall& call) override {
    if (stop_.stop_requested()) throw Stopped("[run] stopped");
    capture_.attention(call);
  }
  void stream(const StreamCall& call) override {
    if (streams_ != nullptr && call.point == StreamPoint::before) {
      streams_->push_back(Tensor::copy_of(call.x));
    }
  }

 private:
  Capture& capture_;
  std::vector<Tensor>* streams_;
  const std::stop_token& stop_;
};

// For a run of the same tokens.
Capture capture_like(const TextModel& model, const TextRun& run) {
  const ModelConfig& config = model.model().config();
  Capture capture;
  capture.model = model.model().name();
  capture.sequences =
      run.run.tokens(config.has_encoder() ? AttentionKind::encoder : AttentionKind::decoder).queries;
  if (config.is_encoder_decoder()) {
    capture.decoder_sequences = run.run.tokens(AttentionKind::decoder).queries;
  }
  return capture;
}

Index first_layer(const Intervention& intervention, const ModelConfig& config) {
  Index first = std::max(config.layers, config.decoder_layers);
  for (const auto& step : intervention.steps()) first = std::min(first, step->place.layer);
  return first;
}

}  // namespace

struct KeptRun::Parts {
  TextModel model;
  TextRun run;
  std::vector<Tensor> streams;  // [1, N, E] before each layer; none where the model cannot restart
};

KeptRun::KeptRun(const TextModel& model, const TextRun& run, const std::stop_token& stop) {
  const bool restarts = model.model().architecture().restarts();
  Capture capture = capture_like(model, run);
  std::vector<Tensor> streams;
  KeepingProbe probe(capture, restarts ? &streams : nullptr, stop);
  TextRun kept{{}, run.input, run.cut, model.model().run(run.input, {.probe = &probe, .logits = false})};
  kept.run = run.run;  // the same numbers, and its memory is there already
  parts_ = std::make_shared<const Parts>(Parts{model, std::move(kept), std::move(streams)});
}

const TextModel& KeptRun::model() const { return parts_->model; }
const TextRun& KeptRun::run() const { return parts_->run; }

TextRun KeptRun::changed(const Intervention& intervention, const std::stop_token& stop) const {
  if (intervention.empty()) return run();
  const Model& of = model().model();
  Capture capture = capture_like(model(), run());
  KeepingProbe probe(capture, nullptr, stop);
  TextRun after{{}, run().input, run().cut, {}};
  if (parts_->streams.empty()) {
    RunOptions options;
    options.probe = &probe;
    options.logits = false;
    options.intervention = intervention;
    after.output = of.run(after.input, options);
  } else {
    Intervener intervener(intervention, after.input, of.config(), &probe);  // checks the places
    const Index first = first_layer(intervention, of.config());
    for (const LayerView& layer : run().run.layers()) {
      if (layer.layer >= first) continue;
      capture.keep({layer.kind, layer.layer, layer.q, layer.k, layer.v, layer.options, layer.memory});
    }
    Restart restart;
    restart.layer = first;
    restart.x = parts_->streams[static_cast<std::size_t>(first)];
    restart.probe = &intervener;
    after.output.hidden = of.architecture().restart(std::move(restart));
  }
  after.run = Run(std::move(capture));
  return after;
}

Tensor KeptRun::logits(const TextRun& run, const std::vector<Index>& positions) const {
  const Model& of = model().model();
  if (!of.config().has_logits) {
    fail("[predict] {} has no output layer: it makes vectors of texts, and predicts no tokens", of.name());
  }
  const Tensor& hidden = run.output.hidden;  // [1, N, E]
  const Index tokens = hidden.shape()[1], width = hidden.shape()[2];
  Tensor chosen = Tensor::uninitialized({1, static_cast<Index>(positions.size()), width});
  float* to = chosen.data();
  for (const Index position : positions) {
    if (position < 0 || position >= tokens) {
      fail("[predict] position {}, there are 0 to {}", position, tokens - 1);
    }
    to = std::copy_n(hidden.data() + position * width, width, to);
  }
  Tensor all = of.architecture().logits(chosen);
  const Index vocabulary = all.shape().back();
  return std::move(all).reshaped({static_cast<Index>(positions.size()), vocabulary});
}

}  // namespace fovea
