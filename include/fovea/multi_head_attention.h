// Multi-head attention: Concat(head_1 .. head_H) W_O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).
#pragma once

#include "fovea/api.h"
#include "fovea/attention.h"
#include "fovea/random.h"
#include "fovea/tensor.h"

namespace fovea {

// 0 means: kv_heads = heads, d_k = d_model / heads, d_v = d_k.
struct FOVEA_API MultiHeadConfig {
  Index d_model, heads;
  Index kv_heads = 0, d_k = 0, d_v = 0;
  bool bias = true;
  float dropout = 0.1f;  // acts in training mode only
};

// One class for self-attention, cross-attention and grouped queries. Inputs [B, N, E], weights [B, H, N,
// M]. Options are those of attention(): masks, biases, scale, weights. Calls are const and thread-safe.
class FOVEA_API MultiHeadAttention {
 public:
  // Xavier-uniform weights and zero biases, drawn from `random`. Throws Error for a width that does not
  // divide.
  MultiHeadAttention(const MultiHeadConfig& config, Random& random);
  MultiHeadAttention(const MultiHeadConfig& config, Random&& random);

  AttentionResult operator()(ConstView x, const AttentionOptions& = {}) const;  // self
  AttentionResult operator()(ConstView query, ConstView memory,
                             const AttentionOptions& = {}) const;  // cross
  AttentionResult operator()(ConstView query, ConstView key, ConstView value,
                             const AttentionOptions& = {}) const;

  // Dropout acts in training mode only; the default is inference. In training mode config().dropout is used
  // where the options ask for none. The same seed drops the same weights: pass a new one with every step.
  void train(bool on) { training_ = on; }
  bool training() const { return training_; }

  const MultiHeadConfig& config() const { return config_; }  // zeros replaced by what they mean

  // Parameters as PyTorch's nn.MultiheadAttention keeps them, rows are outputs.
  struct Parameters {
    Tensor in_proj_weight;   // [H·d_k + Hkv·d_k + Hkv·d_v, E]: W_q, W_k, W_v below each other
    Tensor in_proj_bias;     // [same], or empty without bias
    Tensor out_proj_weight;  // [E, H·d_v]
    Tensor out_proj_bias;    // [E], or empty
  };
  const Parameters& parameters() const { return parameters_; }
  void set_parameters(Parameters parameters);  // throws Error, naming every shape that does not fit

 private:
  // x [B, N, E] by rows [begin, begin + heads·width) of in_proj, into `memory`; seen as [B, heads, N,
  // width].
  ConstView project_heads(ConstView x, Index begin, Index heads, Index width, const char* name,
                          Tensor& memory) const;

  MultiHeadConfig config_;
  Parameters parameters_;
  bool training_ = false;
};

}  // namespace fovea
