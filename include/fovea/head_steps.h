// One head of a running model, step by step: every matrix from the input of its layer to the output, as
// the model computed it.
#pragma once

#include <memory>
#include <vector>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/intervention.h"
#include "fovea/model.h"
#include "fovea/run.h"

namespace fovea {

// n query rows and m keys of one head of the first batch entry. The letters are those of attention.h; E2 is
// the width of the layer's output. What a model does not have is empty().
struct FOVEA_API HeadSteps {
  Tensor x, memory;                 // [n, E], [m, E]: what is projected, after the norm before it
  Tensor w_q, w_k, w_v;             // [E, D]
  Tensor b_q, b_k, b_v;             // [D]
  Tensor q_projected, k_projected;  // [n, D], [m, D]: before rotary positions
  Tensor q, k, v;                   // [n, D], [m, D]
  Tensor bias;                      // [n, m]
  Flags visible;                    // [n, m]
  Tensor logsumexp, maximum_score;  // [n] over all keys of the row, also those that are not shown
  Tensor weights;                   // [n, m]
  Tensor head_output;               // [n, D]
  Tensor concat;                    // [n, H·D]: all heads of the layer
  Tensor w_o, b_o;                  // [H·D, E2], [E2]
  Tensor output;                    // [n, E2]: before it is added to the stream

  double scale = 1;                 // the scores were multiplied by this
  double softcap = 0;               // 0: none
  std::vector<double> frequencies;  // [D/2] of the rotary positions: features i and i + D/2 are turned by
                                    // position · frequencies[i]
  Index heads = 1, head = 0;
  Crop crop;  // which rows and keys these are
};

// One attention layer of a run, from which the steps of any of its heads can be cut. Cheap to copy.
class FOVEA_API LayerRun {
 public:
  // Runs the model, with changes if there are any. Throws Error if it has no such layer.
  LayerRun(const Model& model, const ModelInput& input, AttentionKind kind, Index layer,
           const Intervention& intervention = {});

  Index heads() const;
  Index queries() const;  // N
  Index keys() const;     // M
  // Throws Error if the head is not there or the crop leaves the N×M matrix.
  HeadSteps head(Index head, const Crop& crop) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

inline HeadSteps head_steps(const Model& model, const ModelInput& input, AttentionKind kind, Index layer,
                            Index head, const Crop& crop) {
  return LayerRun(model, input, kind, layer).head(head, crop);
}

}  // namespace fovea
