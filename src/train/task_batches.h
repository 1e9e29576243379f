// What the tasks have in common.
#pragma once

#include "fovea/random.h"
#include "fovea/trainable_model.h"

namespace fovea {

// One generator per batch: batches can be asked for in any order.
Random generator_of(std::uint64_t seed, Index number);

// [batch, tokens] of zeros without a target.
TrainingBatch empty_batch(Index batch, Index tokens);

}  // namespace fovea
