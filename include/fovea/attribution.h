// Where a prediction comes from: what each layer would predict, what each part adds to a logit. All
// of one sequence, B = 1. What heads pass on: passed_on.h.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/model.h"
#include "fovea/tensor.h"

namespace fovea {

// The logit lens: the stream after every layer, read by the last norm and the output layer as if that layer
// were the last. [L, P, V] of P positions; of an encoder-decoder model, of its decoder. Throws Error for a
// model without logits.
FOVEA_API Tensor logit_lens(const Model& model, const ModelInput& input,
                            const std::vector<Index>& positions, const RunOptions& options = {});

// One term of a logit.
struct FOVEA_API LogitPart {
  enum class What {
    embedding,     // tokens and positions
    head,          // of self- or cross-attention
    output_bias,   // of a layer's attention
    feed_forward,  // with its own biases
    readout_bias,  // of the last norm and the output layer
  };
  What what = What::embedding;
  AttentionKind kind = AttentionKind::decoder;
  Index layer = 0, head = 0;  // where they have a meaning
  double value = 0;
};

struct FOVEA_API LogitAttribution {
  double logit = 0;              // as the model computes it, in float32
  double sum = 0;                // of the parts, in double
  std::vector<LogitPart> parts;  // in the order of the model
};

// Direct logit attribution: the stream is a sum, and with the last norm's scale held at its value, so is
// the logit of a token. For models whose norms come first (GPT-2, Llama, T5, mBART); throws Error for
// others.
FOVEA_API LogitAttribution attribute_logit(const Model& model, const ModelInput& input, Index position,
                                           Index token, const RunOptions& options = {});

}  // namespace fovea
