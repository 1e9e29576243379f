// Scaled dot-product attention: softmax(Q Kᵀ / √D + bias + mask) V.
//
// Letters, everywhere: B batch, H heads, Hkv key/value heads, N queries, M keys, D key width,
// Dv value width, E model width. Rows are queries, columns are keys.
#pragma once

#include <cstdint>
#include <optional>

#include "fovea/api.h"
#include "fovea/bias.h"
#include "fovea/mask.h"
#include "fovea/precision.h"
#include "fovea/tensor.h"
#include "fovea/typed_view.h"

namespace fovea {

// score(i, j) = softcap(scale · q_i · k_j) + bias(i, j) + additive mask(i, j), where
// softcap(s) = c · tanh(s / c) for softcap = c > 0.
struct FOVEA_API AttentionOptions {
  Mask mask = {};                   // default: everything visible
  Bias bias = {};                   // default: none
  std::optional<float> scale = {};  // default: 1/√D
  float softcap = 0;                // 0: off
  float dropout = 0;                // share of the weights dropped; kept ones are scaled by 1/(1−p)
  std::uint64_t seed = 0;           // of the dropout
  bool weights = false;             // also return [.., N, M]
  bool logsumexp = false;           // also return [.., N], natural logarithm
  // bfloat16: q, k, v and the exponentials of the scores are rounded to bfloat16, products summed in
  // float32; scores, masks, biases and the softmax stay float32. For q, k, v drawn from N(0, 1) the
  // output's relative L2 error is at most 4e-3. attention() only, without weights and dropout: the rest
  // says so by an Error. By AMX or AVX512_BF16 where bfloat16_arithmetic() (instruction_set.h) says so,
  // whose sums run in another order: last bits differ. (So far AMX was never run on a processor, see
  // docs/performance.md.)
  // Copies k and v, in bfloat16.
  Precision precision = Precision::float32;
};

// What was not requested is empty().
struct FOVEA_API AttentionResult {
  Tensor output;     // [.., N, Dv]
  Tensor weights;    // [.., N, M], after dropout: the ones used
  Tensor logsumexp;  // [.., N], before dropout; −inf for a row that sees nothing
};

// q [B, H, N, D], k [B, Hkv, M, D], v [B, Hkv, M, Dv], H a multiple of Hkv; query head h reads key
// head h / (H / Hkv). Also [N, D]; [B, N, D] (one head); rank 5 with one more batch axis in front,
// [A, B, H, N, D]: masks then fit B, or A·B. Any strides. Without `weights` no N×M matrix is made:
// memory beyond inputs and results is O(N + M).
//
// Hidden keys have no effect, NaN or not. A row that sees nothing gives output 0 and weights 0.
FOVEA_API AttentionResult attention(ConstView q, ConstView k, ConstView v, const AttentionOptions& = {});

// The same for float16, bfloat16 and int8 inputs, alone or mixed; everything is computed in float32. They
// are read as they are, and no float32 copy of them is made: where at most 16 queries share a key head
// (N · H / Hkv) numbers are widened in registers, else 128 keys at a time, once for some hundred queries.
// The results have the bits of inputs converted before (of int8 where there are more than 16 queries).
// Inputs whose last axis has gaps are converted on the way in.
FOVEA_API AttentionResult attention(const TypedView& q, const TypedView& k, const TypedView& v,
                                    const AttentionOptions& = {});

// Gradients of a loss by q, k, v and by the data of the bias, each in the shape of what it belongs to:
// dbias is [2·max+1, H] for a relative table, [buckets, H] for T5's, [H] for ALiBi's slopes, the shape
// given for a dense bias (summed where it broadcasts), empty() without one. Additive masks are constants.
struct FOVEA_API AttentionGradients {
  Tensor dq, dk, dv, dbias;
};

// From doutput [.., N, Dv], the gradient by the output. `forward` is the result of attention() for the same
// q, k, v and options, requested with `logsumexp`; weights are recomputed from it, dropout included,
// and memory beyond inputs and results is O(N + M) per head. A row that sees nothing gives nothing, a key
// that nobody sees gets zeros, NaN there or not. The bits do not depend on the number of threads.
FOVEA_API AttentionGradients attention_backward(ConstView q, ConstView k, ConstView v,
                                                const AttentionResult& forward, ConstView doutput,
                                                const AttentionOptions& = {});

// x [.., N, E], w_q and w_k [E, D], w_v [E, Dv]: attention(x W_q, x W_k, x W_v).
FOVEA_API AttentionResult self_attention(ConstView x, ConstView w_q, ConstView w_k, ConstView w_v,
                                         const AttentionOptions& = {});

}  // namespace fovea
