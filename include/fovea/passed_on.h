// What heads really pass on (Kobayashi et al. 2020): the norm of weight · value · W_O per query and key. A
// key that gets all the attention and has a tiny value passes nothing.
//
// The norm is weight(i, j) · ‖value(j) · W_O‖. The second factor is one number per head and key, so that a
// run keeps it in O(n), and any part of the matrix comes from it and the weights: HeadChoice::passed_on.
#pragma once

#include "fovea/api.h"
#include "fovea/model.h"
#include "fovea/run.h"
#include "fovea/tensor.h"

namespace fovea {

// ‖value · W_O‖ of the values v [B, Hkv, M, D] of a layer, by the part of W_O that reads each head: [B, H,
// M]. Throws Error for a layer that the model does not have and for values of another shape.
FOVEA_API Tensor value_norms(const Model& model, AttentionKind kind, Index layer, ConstView v);

// Those of every layer, kept by the run. `run` must be one of this model, with its values; throws Error
// else.
FOVEA_API void add_value_norms(const Model& model, Run& run);

}  // namespace fovea
