// Attention over all layers: rollout and flow, from explicit weights or from q and k.
//
// Both stand on Â_l = D⁻¹ (Ā_l + I): the weights of layer l averaged over its heads, plus the residual,
// each row divided by its sum. A row that sees nothing keeps itself. (Abnar and Zuidema, Quantifying
// Attention Flow, 2020.)
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/attention.h"
#include "fovea/matrix.h"
#include "fovea/tensor.h"

namespace fovea {

// R = Â_L · … · Â_1 [N, N]: row i tells how much of each input token arrives at position i of the last
// layer. weights [L, H, N, N], or [L, 1, H, N, N]; the first layer first. O(L · N³). Throws Error for N ≠ M
// and for weights that are NaN, infinite or negative.
FOVEA_API Matrix attention_rollout(ConstView weights);

// One layer of one sequence: q [1, H, N, D] and k [1, Hkv, N, D], or [N, D]. The tensors must outlive it.
struct FOVEA_API RolloutLayer {
  ConstView q, k;
  AttentionOptions options = {};
};

// R·u and Rᵀ·u for u [N, C], without a matrix of N×N: O(N) memory, one product with the weights per layer.
FOVEA_API Tensor rollout_product(const std::vector<RolloutLayer>& layers, ConstView u);
FOVEA_API Tensor rollout_transposed_product(const std::vector<RolloutLayer>& layers, ConstView u);
// Row `position` of R, [N]: what arrives there.
FOVEA_API std::vector<double> rollout_row(const std::vector<RolloutLayer>& layers, Index position);

// The largest flow from position i of the last layer to input token j, for capacities Â_l(i, j) on the
// edges between the layers: row `position`, [N], or all of them [N, N]. weights as for attention_rollout.
// For short inputs: N ≤ 512, and every pair is a maximum flow through L·N² edges.
inline constexpr Index kMaxFlowTokens = 512;
FOVEA_API std::vector<double> attention_flow(ConstView weights, Index position);
FOVEA_API Matrix attention_flow(ConstView weights);
FOVEA_API std::vector<double> attention_flow(const std::vector<RolloutLayer>& layers, Index position);
FOVEA_API Matrix attention_flow(const std::vector<RolloutLayer>& layers);

}  // namespace fovea
