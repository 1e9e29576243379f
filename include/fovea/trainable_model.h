// Models that can be trained: GPT-2's, Llama's, BERT's and BART's layouts, with the gradients of all
// parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/model.h"
#include "fovea/random.h"
#include "fovea/tensor.h"

namespace fovea {

// The sizes of a model to be trained. 0, or an empty string, means the family's default.
struct FOVEA_API TrainableConfig {
  ModelFamily family = ModelFamily::gpt2;  // gpt2, llama, bert or bart
  Index vocabulary = 0;                    // V
  Index layers = 0, heads = 0, width = 0;  // the width E divides by the heads; bart: layers of either stack
  Index max_tokens = 0;                    // the longest sequence
  Index kv_heads = 0;                      // llama: fewer than heads share keys and values; = heads
  Index inner_width = 0;                   // 4 E; llama: 8/3 E, rounded up to a multiple of 32
  Index segments = 0;                      // bert: token types; 2
  std::string activation = {};             // gelu_new, silu, gelu, gelu; also relu
  float norm_epsilon = 0;                  // 1e-5, 1e-6, 1e-12, 1e-5
  float rope_theta = 10000;                // llama
  bool tied = true;   // the output layer is the table of words; always so in bert and bart
  float dropout = 0;  // of weights, layers' outputs and embeddings; llama: of attention weights only
  Index pad_id = -1, begin_id = -1, end_id = -1;  // for the config file; −1: none
  Index start_id = -1;  // bart: the token before the decoder's first one; −1: end_id
};

// A target that is ignored.
inline constexpr Index kIgnored = -100;

// B sequences of N tokens. targets(b, n) is the id that the model should name at position n: of a decoder
// the next token, of BERT the masked one; kIgnored where there is none. BART's encoder reads `ids`, its
// decoder `decoder_ids`: targets(b, t) is the token after decoder_ids(b, t). Pads of a decoder stand at the
// end, without a target: nobody sees them.
struct FOVEA_API TrainingBatch {
  Ids ids, targets;      // [B, N]
  Flags real = {};       // [B, N], 0: a pad; empty: there are none
  Ids segments = {};     // [B, N], BERT's token types; empty: zeros
  Ids decoder_ids = {};  // [B, T], BART's; its targets are [B, T], too
};

struct FOVEA_API LossOptions {
  float label_smoothing = 0;
  bool dropout = false;    // let the config's dropout act
  std::uint64_t seed = 0;  // of the dropout: a new one for every step
  // By what the summed loss is divided before gradients are taken; 0: by the number of targets. Of several
  // batches that make one step: by the number of targets of all.
  Index denominator = 0;
  // Keep the inputs of layers only and compute the rest again in the backward pass: a quarter more work,
  // a tenth of the memory.
  bool recompute = false;
  std::stop_token stop = {};
};

struct FOVEA_API LossResult {
  double sum = 0;     // of −log p over all targets
  Index targets = 0;  // that count
  Index correct = 0;  // where no other token got a higher logit

  double mean() const { return targets == 0 ? 0 : sum / static_cast<double>(targets); }
};

// A parameter as Hugging Face names and shapes it.
struct FOVEA_API TrainableParameter {
  std::string name;  // "transformer.h.0.attn.c_attn.weight"
  Shape shape;
  bool decays = true;  // false for biases and norms: AdamW's decay leaves them alone
};

inline namespace internal {
class FOVEA_PRIVATE_API Network;  // private, src/train
}

// Parameters, their gradients, and memory for the steps in between, reused by every step. One call at
// a time. Results do not depend on the number of threads, bit for bit.
class FOVEA_API TrainableModel {
 public:
  // Initialised as usual for the family: N(0, 0.02²), GPT-2's layers that add to the stream /√(2 · layers);
  // zero biases, norms of 1. Throws one Error with everything that is wrong with the config.
  TrainableModel(const TrainableConfig& config, Random& random);
  TrainableModel(const TrainableConfig& config, Random&& random);
  ~TrainableModel();
  TrainableModel(TrainableModel&&) noexcept;
  TrainableModel& operator=(TrainableModel&&) noexcept;

  const TrainableConfig& config() const;  // zeros replaced by what they mean
  const std::vector<TrainableParameter>& parameters() const;
  Index parameter_count() const;  // numbers, those used twice counted once

  // Of one parameter, in its shape; throws Error for an unknown name.
  View parameter(std::string_view name);
  ConstView parameter(std::string_view name) const;
  View gradient(std::string_view name);
  ConstView gradient(std::string_view name) const;

  // Forward: the loss. Throws Error for shapes, ids, targets that do not fit.
  LossResult loss(const TrainingBatch& batch, const LossOptions& options = {});
  // Forward and backward: adds the gradients of the mean loss to those that are there.
  LossResult add_gradients(const TrainingBatch& batch, const LossOptions& options = {});
  void zero_gradients();

  // [B, N, V]: all logits of a batch whose targets are not looked at and may be empty.
  Tensor logits(const TrainingBatch& batch);

  // The model as it is now, for runs, captures and generation: a copy of its own.
  Model to_model(const std::string& name = "trained") const;

  Network& network() { return *network_; }  // for the optimizer
  const Network& network() const { return *network_; }

 private:
  std::unique_ptr<Network> network_;
};

}  // namespace fovea
