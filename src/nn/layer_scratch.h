// Memory that layer after layer works in.
#pragma once

#include "nn/attention_layer.h"

namespace fovea {

// Allocated by the first layer of a run, used again by the others: memory that is touched for the first
// time costs more than what is computed in it by the small steps.
struct LayerScratch {
  Tensor normed;  // [B, N, E]
  ProjectedHeads projected;
  Tensor attended;  // [B, N, H·D]
  Tensor inner;     // [rows, inner width]
};

}  // namespace fovea
