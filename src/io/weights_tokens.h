// The tokens that a file of weights carries.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "fovea/attention_weights.h"

namespace fovea {

// The text of this name beside the arrays; "" if there is none.
using MetadataText = std::function<std::string(const std::string& name)>;

// `tokens`, or `query_tokens` and `key_tokens`: JSON lists of texts, or texts split at white space. Where
// there are `decoder_tokens` too, they are the queries of arrays named decoder.. and cross.., and the keys
// of the former.
void set_tokens_of_metadata(AttentionWeights& weights, const MetadataText& text, std::string_view name);

}  // namespace fovea
