// What every architecture offers; one file each implements it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/key_value_cache.h"
#include "fovea/model.h"
#include "models/config_reader.h"
#include "models/weight_plan.h"

namespace fovea {
inline namespace internal {

// Keys and values per layer: of the tokens so far [B, ..], and of the encoder's output [1, ..], which all
// sequences share.
struct FOVEA_PRIVATE_API DecodingState {
  std::vector<KeyValueCache> self, cross;
  Index tokens = 0;
};

class FOVEA_PRIVATE_API Architecture {
 public:
  virtual ~Architecture() = default;

  const ModelConfig& config() const { return config_; }

  // The input was checked: shapes agree, at least one token, not too many.
  virtual ModelOutput run(const ModelInput& input, const RunOptions& options) const = 0;

  // Decoders only. `encoder_ids` [1, N] of an encoder-decoder model, else empty.
  virtual void start(DecodingState& state, const Ids& encoder_ids, Probe* probe) const;
  // ids [B, T], added to the state → logits of the token after the last one, [B, V]. More than one
  // sequence, as beam search has them, go on token by token: T is 1.
  virtual Tensor next(DecodingState& state, const Ids& ids, Probe* probe) const;

 protected:
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
