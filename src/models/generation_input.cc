#include "models/generation_input.h"

#include <cmath>

#include "core/fail.h"

namespace fovea {

std::vector<Index> encoder_part(const ModelConfig& config, const std::vector<Index>& prompt) {
  return config.is_encoder_decoder() ? prompt : std::vector<Index>();
}

std::vector<Index> decoder_part(const ModelConfig& config, const std::vector<Index>& prompt) {
  return config.is_encoder_decoder() ? std::vector<Index>{config.decoder_start_id} : prompt;
}

void check_generation(const GenerationOptions& options) {
  if (options.max_tokens < 0 || options.top_k < 0 || !(options.temperature >= 0) ||
      !std::isfinite(options.temperature) || !(options.top_p > 0 && options.top_p <= 1)) {
    fail(
        "[generate] got max_tokens {}, temperature {}, top_k {}, top_p {}; expected ≥ 0, ≥ 0, ≥ 0 and "
        "0 < top_p ≤ 1",
        options.max_tokens, options.temperature, options.top_k, options.top_p);
  }
  constexpr Index kMostBeams = 1024;
  if (options.beams < 1 || options.beams > kMostBeams || !(std::abs(options.length_penalty) <= 100)) {
    fail("[generate] got {} beams and length penalty {}; expected 1 to {}, and −100 to 100", options.beams,
         options.length_penalty, kMostBeams);
  }
  if (options.beams > 1 && options.temperature != 0) {
    fail("[generate] got {} beams and temperature {}: beam search does not sample, expected 0",
         options.beams, options.temperature);
  }
}

void check_encoder_part(const ModelConfig& config, const std::vector<Index>& ids) {
  if (config.is_encoder_decoder() && ids.empty()) {
    fail("[generate] an encoder-decoder model needs tokens to read, got none");
  }
  if (static_cast<Index>(ids.size()) > config.max_tokens) {
    fail("[generate] got {} tokens to read, the model's limit is {}", ids.size(), config.max_tokens);
  }
}

void check_decoder_part(const ModelConfig& config, const std::vector<Index>& ids, Index before) {
  const auto count = static_cast<Index>(ids.size());
  if (count == 0) fail("[generate] no tokens were given, expected at least one");
  if (before + count > config.max_tokens) {
    fail("[generate] {} tokens after {} exceed the model's limit of {}", count, before, config.max_tokens);
  }
  for (const Index id : ids) {
    if (id < 0 || id >= config.vocabulary) {
      fail("[generate] got token {}, expected 0 to {}", id, config.vocabulary - 1);
    }
  }
}

}  // namespace fovea
