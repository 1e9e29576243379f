// The tokens that a file of weights carries.
#pragma once

#include "fovea/attention_weights.h"

namespace fovea {

// `tokens`, or `query_tokens` and `key_tokens`: JSON lists of texts, or texts split at white space.
void set_tokens_of_metadata(AttentionWeights& weights, const NamedArrays& arrays);

}  // namespace fovea
