// Every head in turn, or every layer and position, against one number: which of them matter?
//
// Runs restart at the layer that is changed, and where attention is causal at the position: what lies below
// is read from the run that was kept. Of an encoder-decoder model, a change of the decoder leaves the
// encoder alone, one of cross-attention also the self-attention of its layer. The numbers are the same;
// nothing is approximated.
#pragma once

#include <stop_token>
#include <string>

#include "fovea/api.h"
#include "fovea/intervention.h"
#include "fovea/matrix.h"
#include "fovea/model.h"
#include "fovea/text_model.h"

namespace fovea {

// What is measured of a run.
struct FOVEA_API SweepMetric {
  enum class Kind {
    logit,             // of token `first`
    logit_difference,  // first − second
    kl,                // divergence from the prediction of the unchanged run, nats
    cosine,            // of the sentence vector with that of the unchanged run
    loss,              // mean −log p of the text's tokens after `position` on, nats; of decoders
  };
  Kind kind = Kind::kl;
  Index first = 0, second = 0;
};
// "logit( he) - logit( she)", "logit( cat)", "kl", "loss", "cosine"; what stands in brackets must be one
// token.
FOVEA_API SweepMetric parse_metric(const std::string& text, const TextModel& model);

struct FOVEA_API SweepOptions {
  SweepMetric metric = {};
  Index position = 0;  // whose logits are measured; of the loss the first of them; not for the cosine
  AttentionKind kind = AttentionKind::decoder;
  Ablation ablation = Ablation::zero;
  bool restart = true;     // false: whole runs, as others do it; for comparison
  Probe* probe = nullptr;  // looks on at the changed runs, at what of them is computed
  std::stop_token stop = {};
};

struct FOVEA_API Sweep {
  double base = 0;  // the metric of the unchanged run
  Matrix values;    // [L, H] or [L, N]: of the changed ones
};

// Each head ablated. One sequence, without pads. Throws Error for models without logits, unless the metric
// is the cosine, and Stopped.
FOVEA_API Sweep sweep_heads(const Model& model, const ModelInput& input, const SweepOptions& options);

// Each position of each layer's stream (before the layer) replaced by that of another run of as many
// tokens; kind is the encoder or the decoder.
FOVEA_API Sweep sweep_positions(const Model& model, const ModelInput& input, const ModelInput& other,
                                const SweepOptions& options);

}  // namespace fovea
