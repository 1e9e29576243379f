// Changes to a run, as values: heads ablated or scaled, edges hidden, activations replaced by those of
// another run. They combine like masks: a & b is a, then b. Nothing is approximated: everything after the
// change is computed again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/mask.h"
#include "fovea/probe.h"
#include "fovea/tensor.h"

namespace fovea {

// Heads of one layer, counted from 0; none: all of them.
struct FOVEA_API HeadPlace {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  std::vector<Index> heads = {};
};

// What can be read of a run by its name, and but for the last three, replaced.
enum class ActivationSite {
  q,            // [B, N, H, D] as attention reads it, after rotary positions
  k,            // [B, M, Hkv, D]
  v,            // [B, M, Hkv, D]
  z,            // [B, N, H, D] what the heads give, before the output layer
  resid_pre,    // [B, N, E] the stream before the layer; where norms come last, after them
  resid_mid,    // after self-attention
  resid_cross,  // after cross-attention
  resid_post,   // after the feed-forward layer
  projected_q,  // [B, N, H, D] before rotary positions; of other models the same as q
  projected_k,  // [B, M, Hkv, D]
  pattern,      // [B, H, N, M] the weights
};
FOVEA_API const char* to_string(ActivationSite site);  // "q", .., "resid_pre", .., "pattern"

struct FOVEA_API ActivationPlace {
  ActivationSite site = ActivationSite::resid_post;
  AttentionKind kind = AttentionKind::encoder;  // of a stream: encoder or decoder
  Index layer = 0;
  std::vector<Index> heads = {};  // of q, k, v, z; none: all. k and v have key heads

  bool is_stream() const { return site >= ActivationSite::resid_pre && site <= ActivationSite::resid_post; }
};

enum class Ablation {
  zero,  // the heads give nothing
  mean,  // at every position, the mean of what they give over the (real) positions
};

inline namespace internal {
struct FOVEA_PRIVATE_API InterventionStep;  // private, src/models
}

// Cheap to copy. Layers, heads and positions that the model does not have are an Error of the run.
class FOVEA_API Intervention {
 public:
  Intervention() = default;  // changes nothing
  static Intervention ablate(const HeadPlace& heads, Ablation how = Ablation::zero);
  static Intervention scale(const HeadPlace& heads, float factor);
  // Keys that `visible` hides are hidden to these heads, too, and the softmax goes over the others. Throws
  // Error for an additive mask.
  static Intervention hide(const HeadPlace& heads, const Mask& visible);
  // `values` as activations() gives them of a run of as many positions; only the positions named are
  // replaced, none: all. Of a batch, every sequence, or all by one of [1, ..]. Throws Error for sites that
  // can only be read.
  static Intervention replace(const ActivationPlace& place, Tensor values,
                              const std::vector<Index>& positions = {});

  friend FOVEA_API Intervention operator&(const Intervention& a, const Intervention& b);

  bool empty() const { return steps_.empty(); }
  const std::vector<std::shared_ptr<const InterventionStep>>& steps() const { return steps_; }

 private:
  explicit Intervention(InterventionStep step);
  std::vector<std::shared_ptr<const InterventionStep>> steps_;
};

}  // namespace fovea
