// The slow truth about the layers around attention: scalar, double, forward only. Their gradients are
// judged by finite differences of these.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/attention.h"
#include "kernels/activation.h"
#include "reference/double_array.h"

namespace fovea::reference {

// x [.., E], w [F, E], b [F] or empty: x Wᵀ + b.
DoubleArray linear(const DoubleArray& x, const DoubleArray& w, const DoubleArray& b);

// x [.., E], w and b [E]: (x − mean) / √(variance + epsilon) · w + b; x / √(mean of squares + epsilon) · w.
DoubleArray layer_norm(const DoubleArray& x, const DoubleArray& w, const DoubleArray& b, double epsilon);
DoubleArray rms_norm(const DoubleArray& x, const DoubleArray& w, double epsilon);

DoubleArray activate(Activation activation, const DoubleArray& x);
// x [rows, 2 F] = gate | up → f(gate) · up [rows, F].
DoubleArray activate_gated(Activation activation, const DoubleArray& x);

// x [rows, E]: dropped by seed, row and column; kept ones times 1 / (1 − p).
DoubleArray dropout(const DoubleArray& x, float p, std::uint64_t seed);

// x [B, N, heads, D]: features i and i + D/2 of token n turned by n · frequencies[i].
DoubleArray rotate(const DoubleArray& x, const std::vector<double>& frequencies);

// logits [rows, V]: Σ over rows of (1 − s) · −log p(target) + s · mean over classes of −log p(class).
double cross_entropy(const DoubleArray& logits, const std::vector<Index>& targets, double smoothing);

// Multi-head attention in the order of the paper. in_w [(H + Hkv) d_k + Hkv d_v, E], out_w [E, H d_v].
struct MultiHeadProblem {
  DoubleArray query, key, value;         // [B, N, E], [B, M, E] twice
  DoubleArray in_w, in_b, out_w, out_b;  // biases may be empty
  Index heads, kv_heads, d_k, d_v;
  AttentionOptions options;
};
DoubleArray multi_head(const MultiHeadProblem& problem);

// One step of AdamW on all elements; `step` counts from 1.
struct AdamWProblem {
  double rate, beta1, beta2, epsilon, decay;
  Index step;
};
void adamw(const AdamWProblem& problem, const DoubleArray& gradient, DoubleArray& parameters,
           DoubleArray& first, DoubleArray& second);

}  // namespace fovea::reference
