// What every trainable layout offers; one file each implements it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/trainable_model.h"
#include "ops/dropout.h"
#include "train/cross_attention.h"
#include "train/feed_forward.h"
#include "train/parameter_plan.h"
#include "train/self_attention.h"

namespace fovea {

// Why there is a second forward pass beside those of src/models, which read the same parameters under the
// same names: those run on weights packed once, write over their activations and know caches and probes;
// this one runs on weights that change with every step, and keeps what the backward pass needs. They share
// the kernels, the names of config.json (train/config_json) and the frequencies of rotary positions; what a
// config means is said in src/models only. tests/train holds the two against each other, logit by logit.

// A checked batch, as rows; of an encoder-decoder model what the decoder reads.
struct NetworkInput {
  Index batch = 0, tokens = 0;
  std::vector<Index> ids, positions, segments;  // [B·N]
  Mask mask;
  float dropout = 0;
  std::uint64_t seed = 0;
  std::unique_ptr<NetworkInput> source;  // what the encoder of an encoder-decoder model reads, else null

  Index rows() const { return batch * tokens; }
  SelfAttentionCall attention(Index layer, const RotaryTable* rotary = nullptr) const;
  CrossAttentionCall cross_attention(Index layer) const;  // from these rows over those of `source`
  // Of the outputs of parts; `part` counts those of a layer, layer −1 is the embedding.
  DropoutOptions dropout_of(Index layer, Index part) const;
};

// What a block keeps for its backward pass, [B·N, E] each, and the states of its two halves.
struct BlockState {
  Buffer first, second, middle;
  SelfAttentionState attention;
  FeedForwardState feed_forward;
};

// Memory for block after block.
struct BlockScratch {
  Buffer gradient, dropped, inner;
  SelfAttentionScratch attention;
};

inline namespace internal {

class FOVEA_PRIVATE_API Network {
 public:
  virtual ~Network() = default;

  const TrainableConfig& config() const { return config_; }
  ParameterArray& parameters() { return parameters_; }
  const ParameterArray& parameters() const { return parameters_; }

  // Forward, and backward if `gradients`.
  LossResult run(const TrainingBatch& batch, const LossOptions& options, bool gradients);
  Tensor logits(const TrainingBatch& batch);

  // "the output of layer 3": the first place of a forward pass that is not finite; "" if all are.
  std::string first_not_finite(const TrainingBatch& batch, const LossOptions& options);

 protected:
  explicit Network(const TrainableConfig& config) : config_(config) {}

  // Through all blocks; the gradients of all parameters below the head from dx, that by last(), which is
  // lost.
  virtual void forward(const NetworkInput& input, const LossOptions& options) = 0;
  virtual void backward(const NetworkInput& input, const LossOptions& options, View dx) = 0;

  // Of the last forward pass: what came out of the last block, [rows, E]; and everything that went from
  // block to block, first to last, with its name in messages.
  virtual View last(const NetworkInput& input) = 0;
  struct NamedStream {
    std::string name;
    View values;
  };
  virtual std::vector<NamedStream> streams(const NetworkInput& input) = 0;

  // What stands between the last block and the output layer: x → y [rows, E], and the gradient by y, in
  // dx, to that by x, in its place.
  virtual void head(ConstView x, View y) = 0;
  virtual void head_backward(ConstView x, View dx) = 0;

  // The gradient by a part's output, dy, behind its dropout: dy itself, or a copy in the scratch.
  ConstView dropped(const NetworkInput& input, Index layer, Index part, View dy);

  TrainableConfig config_;
  ParameterArray parameters_;
  LinearLayer output_;  // [E, V]: to the logits
  BlockScratch scratch_;

 private:
  NetworkInput checked(const TrainingBatch& batch, const LossOptions& options) const;
  LossResult head_loss(const NetworkInput& input, const TrainingBatch& batch, const LossOptions& options,
                       View* dx);

  Buffer dstream_, asked_, hidden_, dhidden_, logits_;
};

}  // namespace internal
}  // namespace fovea
