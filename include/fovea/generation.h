// Text that grows token by token: GPT-2, Llama, T5 and BART.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "fovea/api.h"
#include "fovea/model.h"

namespace fovea {

inline namespace internal {
struct FOVEA_PRIVATE_API DecodingState;  // private, src/models
}

// One sequence, with the keys and values of the tokens so far. The model must outlive it.
class FOVEA_API Decoding {
 public:
  // `encoder_ids`: what an encoder-decoder model reads; empty for the others. Throws Error for a model
  // without a decoder.
  // `cache`: how keys and values are kept, KeyValueCacheConfig::type.
  explicit Decoding(const Model& model, const std::vector<Index>& encoder_ids = {}, Probe* probe = nullptr,
                    FloatType cache = FloatType::float32);
  ~Decoding();
  Decoding(Decoding&&) noexcept;
  Decoding& operator=(Decoding&&) noexcept;

  // Takes the tokens in; gives the logits of the one after them, [V].
  Tensor next(const std::vector<Index>& ids, Probe* probe = nullptr);
  Index size() const;  // tokens so far

 private:
  const Architecture* architecture_;
  std::unique_ptr<DecodingState> state_;
};

struct FOVEA_API GenerationOptions {
  Index max_tokens = 200;  // new ones; fewer where the model's length ends
  double temperature = 0;  // 0: always the most likely; else logits are divided by it and sampled
  Index top_k = 0;         // sample from the k most likely; 0: from all
  double top_p = 1;        // sample from the most likely that together have this probability
  std::uint64_t seed = 0;
  Index beams = 1;            // above 1: beam search, which follows so many texts at once; not sampled
  double length_penalty = 1;  // of beams: a text of n tokens has the score log p / n^penalty
  bool early_end = false;     // of beams: done once there are as many whole texts as beams; else only when
                              // the texts still open look no better than those
  bool stop_at_end = true;    // at a token of the model's end_ids
  std::function<void(Index)> on_token = {};  // told of each token as it comes; of beams, at the end
  std::stop_token stop = {};                 // a request ends the text after the token at hand
  // How the keys and values of the tokens so far are kept (KeyValueCacheConfig::type says how exactly). A
  // model of Precision::bfloat16, which rounds them, keeps bfloat16 instead of float32.
  FloatType cache = FloatType::float32;
};

struct FOVEA_API Generation {
  std::vector<Index> ids;  // the new tokens, without the one that ended the text
  bool ended = false;      // by such a token
  double score = 0;        // of beam search: log p / n^penalty, with the token that ended it
};

// Continues the prompt; an encoder-decoder model reads the prompt and starts its own text. Throws Error
// for an empty prompt, one that fills the model's length, and options out of range.
FOVEA_API Generation generate(const Model& model, const std::vector<Index>& prompt,
                              const GenerationOptions& options = {});

// The texts that beam search ended with, at most options.beams, best first: scores, length penalty and
// early end as transformers defines them (num_beams, length_penalty, early_stopping true or false). Of
// texts with equal scores, the one from the better beam with the lower token comes first. generate() gives
// the best.
FOVEA_API std::vector<Generation> beam_search(const Model& model, const std::vector<Index>& prompt,
                                              const GenerationOptions& options);

// The place of the token that the options choose for logits [V]: the first of the largest without
// temperature, else by `uniform`, a number in [0, 1).
FOVEA_API Index choose_token(const Tensor& logits, const GenerationOptions& options, double uniform);

}  // namespace fovea
