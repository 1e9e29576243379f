#include "fovea/kept_run.h"

#include <algorithm>
#include <utility>

#include "core/fail.h"
#include "core/parallel.h"
#include "models/architecture.h"
#include "models/intervener.h"

namespace fovea {
namespace {

// The streams of a run from which it can go on.
struct KeptStreams {
  std::vector<Tensor> encoder, decoder;  // [1, N, E] before each layer
  std::vector<Tensor> attended;          // of encoder-decoder models: after the decoder's self-attention

  void keep(const StreamCall& call, bool encoder_decoder) {
    const bool decoded = call.kind == AttentionKind::decoder;
    if (call.point == StreamPoint::before) (decoded ? decoder : encoder).push_back(Tensor::copy_of(call.x));
    if (call.point == StreamPoint::middle && decoded && encoder_decoder) {
      attended.push_back(Tensor::copy_of(call.x));
    }
  }
};

// Of the first run: the streams. Its attention is known.
class StreamProbe final : public Probe {
 public:
  StreamProbe(KeptStreams& streams, bool encoder_decoder, const std::stop_token& stop)
      : streams_(streams), encoder_decoder_(encoder_decoder), stop_(stop) {}

  void attention(const AttentionCall&) override { check_stop(stop_, "run"); }
  void stream(const StreamCall& call) override { streams_.keep(call, encoder_decoder_); }

 private:
  KeptStreams& streams_;
  bool encoder_decoder_;
  const std::stop_token& stop_;
};

// Where a changed run leaves the kept one. Models with one stack have a layer of that.
struct Departure {
  Index encoder = 0, decoder = 0;  // the first layers that are computed
  bool attended = false;           // of the decoder's: from its cross-attention on

  bool keeps(AttentionKind kind, Index layer) const {
    if (kind == AttentionKind::encoder) return layer < encoder;
    return layer < decoder || (layer == decoder && attended && kind == AttentionKind::decoder);
  }
};

Departure departure_of(const Intervention& intervention, const ModelConfig& config) {
  Departure first{config.attention_layers(AttentionKind::encoder),
                  config.attention_layers(AttentionKind::decoder)};
  const auto decoder_from = [&first](Index layer, bool attended) {
    if (layer > first.decoder) return;
    first.attended = layer == first.decoder ? first.attended && attended : attended;
    first.decoder = layer;
  };
  for (const auto& step : intervention.steps()) {
    const ActivationPlace& place = step->place;
    if (place.kind == AttentionKind::encoder) {
      first.encoder = std::min(first.encoder, place.layer);
      continue;
    }
    const bool later = place.is_stream() && place.site != ActivationSite::resid_pre;
    decoder_from(place.layer, config.is_encoder_decoder() && (place.kind == AttentionKind::cross || later));
  }
  // The decoder's first self-attention is all that knows nothing of the encoder.
  if (config.is_encoder_decoder() && first.encoder < config.layers) decoder_from(0, true);
  return first;
}

// Attention of a changed run: computed, or where it is that of the kept run, taken from there.
class ChangedProbe final : public Probe {
 public:
  ChangedProbe(Capture& capture, const Run& kept, const Departure& departure, const std::stop_token& stop)
      : capture_(capture), kept_(kept), departure_(departure), stop_(stop) {}

  void attention(const AttentionCall& call) override {
    check_stop(stop_, "run");
    take_until(call.kind, call.layer);
    capture_.attention(call);
  }
  void finish() { take_until(AttentionKind::encoder, -1); }

 private:
  // In the order of the run: what comes before this call and was not computed.
  void take_until(AttentionKind kind, Index layer) {
    const std::vector<LayerView>& layers = kept_.layers();
    for (; next_ < layers.size(); ++next_) {
      const LayerView& at = layers[next_];
      if (at.kind == kind && at.layer == layer) break;
      if (!departure_.keeps(at.kind, at.layer)) continue;
      capture_.keep({at.kind, at.layer, at.q, at.k, at.v, at.options, at.memory, at.precision});
    }
  }

  Capture& capture_;
  const Run& kept_;
  const Departure& departure_;
  const std::stop_token& stop_;
  std::size_t next_ = 0;  // of the kept layers
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

}  // namespace

struct KeptRun::Parts {
  TextModel model;
  TextRun run;
  KeptStreams streams;
  std::vector<KeyValueCache> memory;  // of encoder-decoder models: the encoder's output, per decoder layer

  // A run from there on.
  Restart restart(const Departure& departure) const;
};

Restart KeptRun::Parts::restart(const Departure& departure) const {
  const ModelConfig& config = model.model().config();
  const auto at = [](const std::vector<Tensor>& all, Index layer) {
    return all[static_cast<std::size_t>(layer)];
  };
  Restart restart;
  if (!config.has_decoder()) {
    restart.layer = departure.encoder;
    restart.x = at(streams.encoder, restart.layer);
    return restart;
  }
  restart.layer = departure.decoder;
  restart.attended = departure.attended;
  restart.x = at(departure.attended ? streams.attended : streams.decoder, restart.layer);
  if (!config.is_encoder_decoder()) return restart;
  if (departure.encoder == config.layers) {
    restart.memory = &memory;
  } else {
    restart.encoder_layer = departure.encoder;
    restart.encoder_x = at(streams.encoder, departure.encoder);
  }
  return restart;
}

KeptRun::KeptRun(const TextModel& model, const TextRun& run, const std::stop_token& stop) {
  KeptStreams streams;
  StreamProbe probe(streams, model.model().config().is_encoder_decoder(), stop);
  TextRun kept{run.run, run.input, run.cut,
               model.model().run(run.input, {.probe = &probe, .logits = false})};
  std::vector<KeyValueCache> memory;
  for (const LayerView& layer : run.run.layers()) {
    if (layer.kind != AttentionKind::cross) continue;
    memory.emplace_back(KeyValueCacheConfig{1, layer.k.shape()[1], layer.k.shape()[3]});
    memory.back().append(layer.k, layer.v);
  }
  parts_ =
      std::make_shared<const Parts>(Parts{model, std::move(kept), std::move(streams), std::move(memory)});
}

const TextModel& KeptRun::model() const { return parts_->model; }
const TextRun& KeptRun::run() const { return parts_->run; }

TextRun KeptRun::changed(const Intervention& intervention, const std::stop_token& stop) const {
  if (intervention.empty()) return run();
  const Model& of = model().model();
  Capture capture = capture_like(model(), run());
  TextRun after{{}, run().input, run().cut, {}};
  const Departure departure = departure_of(intervention, of.config());
  ChangedProbe probe(capture, run().run, departure, stop);
  Intervener intervener(intervention, after.input, of.config(), &probe);  // checks the places
  Restart restart = parts_->restart(departure);
  restart.probe = &intervener;
  after.output = of.architecture().restart(std::move(restart));
  probe.finish();
  if (after.output.encoder_hidden.empty()) after.output.encoder_hidden = run().output.encoder_hidden;
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
