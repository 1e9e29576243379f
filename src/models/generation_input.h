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

void check_generation(const GenerationOptions& options);
void check_encoder_part(const ModelConfig& config, const std::vector<Index>& ids);
// Tokens that a decoder reads after `before` others.
void check_decoder_part(const ModelConfig& config, const std::vector<Index>& ids, Index before);

}  // namespace fovea
