// What generation is given, checked.
#pragma once

#include <vector>

#include "fovea/generation.h"

namespace fovea {

inline Ids one_sequence(const std::vector<Index>& ids) {
  return Ids({1, static_cast<Index>(ids.size())}, ids);
}

// What the encoder of an encoder-decoder model reads of a prompt, and what the decoder starts with.
std::vector<Index> encoder_part(const ModelConfig& config, const std::vector<Index>& prompt);
std::vector<Index> decoder_part(const ModelConfig& config, const std::vector<Index>& prompt);

// The type in which keys and values are kept. Attention of a model in bfloat16 rounds them anyway: float32
// would keep bits that nobody reads.
inline FloatType cache_type(const Model& model, FloatType wanted) {
  const bool rounded = model.precision() == Precision::bfloat16 && wanted == FloatType::float32;
  return rounded ? FloatType::bfloat16 : wanted;
}

void check_generation(const GenerationOptions& options);
void check_encoder_part(const ModelConfig& config, const std::vector<Index>& ids);
// Tokens that a decoder reads after `before` others.
void check_decoder_part(const ModelConfig& config, const std::vector<Index>& ids, Index before);

}  // namespace fovea
