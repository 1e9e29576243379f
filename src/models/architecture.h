// What every architecture offers; one file each implements it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/key_value_cache.h"
#include "fovea/model.h"
#include "models/config_reader.h"
#include "models/weight_plan.h"
#include "nn/linear.h"

namespace fovea {
inline namespace internal {

// Keys and values per layer: of the tokens so far [B, ..], and of the encoder's output [1, ..], which all
// sequences share.
struct FOVEA_PRIVATE_API DecodingState {
  FloatType cache = FloatType::float32;  // the type in which start() makes them
  std::vector<KeyValueCache> self, cross;
  Index tokens = 0;

  // Sequence i goes on where from[i] was.
  void reorder(const std::vector<Index>& from);
};

// How logits come from the residual stream x [E] after the last layer, where norms come first:
//   logits = scale · output(norm(x))
struct Readout {
  const Tensor& norm_weight;  // [E]
  const Tensor& norm_bias;    // [E], or empty()
  float epsilon = 0;
  bool centred = false;  // a layer norm; else by the root of the mean of squares
  const Linear& output;  // E → V
  double scale = 1;
};

// A run that goes on in its middle: layers below are not computed, nor are tokens before.
struct Restart {
  Index layer = 0;
  Tensor x;                        // [1, n, E], the stream before this layer, of the last n tokens
  DecodingState* state = nullptr;  // keys and values of the tokens before, which grow; null: n are all
  bool last_only = false;          // of decoders: only what the last token ends up as
  Probe* probe = nullptr;

  // The rest is of encoder-decoder models, whose layer and x above are those of the decoder.
  bool attended = false;  // x is the stream after this layer's self-attention
  // Either the encoder goes on in its middle, too, or this is what the decoder knows of it.
  Index encoder_layer = 0;
  Tensor encoder_x = {};                               // [1, M, E], the stream before that layer
  const std::vector<KeyValueCache>* memory = nullptr;  // per decoder layer, as in DecodingState::cross
};

class FOVEA_PRIVATE_API Architecture {
 public:
  virtual ~Architecture() = default;

  const ModelConfig& config() const { return config_; }
  void read_generation(ConfigReader& config);  // what it must and must not write, the same for all

  // The input was checked: shapes agree, at least one token, not too many.
  virtual ModelOutput run(const ModelInput& input, const RunOptions& options) const = 0;

  // Decoders only. `encoder_ids` [1, N] of an encoder-decoder model, else empty.
  virtual void start(DecodingState& state, const Ids& encoder_ids, Probe* probe) const;
  // ids [B, T], added to the state → logits of the token after the last one, [B, V]. More than one
  // sequence, as beam search has them, go on token by token: T is 1.
  virtual Tensor next(DecodingState& state, const Ids& ids, Probe* probe) const;

  // hidden [.., E] → logits [.., V]; only of models that have them.
  virtual Tensor logits(const Tensor& hidden) const = 0;
  // The stream after some layer → what run() would call hidden if that layer were the last.
  virtual Tensor last_norm(Tensor x) const { return x; }
  virtual std::optional<Readout> readout() const { return std::nullopt; }
  // The layer that mixes the heads, W_O: H·D → E. The layer is there.
  virtual const Linear& attention_output(AttentionKind kind, Index layer) const = 0;

  // Without logits; hidden is [1, 1, E] with last_only, and encoder_hidden only there if the encoder ran.
  virtual ModelOutput restart(Restart restart) const = 0;

 protected:
  // Those that the options ask for; empty if there are none.
  Tensor wanted_logits(const Tensor& hidden, const RunOptions& options) const;

  ModelConfig config_;
};

}  // namespace internal

// Each reads its config and plans its weights; both may complain, and nothing is loaded yet.
std::unique_ptr<Architecture> make_bert(ConfigReader& config, WeightPlan& weights);
std::unique_ptr<Architecture> make_gpt2(ConfigReader& config, WeightPlan& weights);
std::unique_ptr<Architecture> make_llama(ConfigReader& config, WeightPlan& weights);
std::unique_ptr<Architecture> make_t5(ConfigReader& config, WeightPlan& weights);
std::unique_ptr<Architecture> make_bart(ConfigReader& config, WeightPlan& weights);

// By the config's model_type. Throws Error for one that is not known, and for everything that is wrong with
// the config, at once.
std::unique_ptr<Architecture> make_architecture(const Json& config, const std::string& where,
                                                WeightPlan& weights);

}  // namespace fovea
