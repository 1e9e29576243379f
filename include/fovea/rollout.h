// Attention over all layers: rollout and flow.
//
// Both stand on Â_l = D⁻¹ (Ā_l + I): the weights of layer l averaged over its heads, plus the residual,
// each row divided by its sum. A row that sees nothing keeps itself. (Abnar and Zuidema, Quantifying
// Attention Flow, 2020.)
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "fovea/api.h"
#include "fovea/matrix.h"
#include "fovea/run.h"

namespace fovea {

struct FOVEA_API RolloutOptions {
  std::function<void(double)> progress = {};  // told the share that is done
  std::stop_token stop = {};                  // a request ends the work with Stopped, between two layers
};

// All functions of a run take one kind of attention and one sequence (Run::select), with N = M, and throw
// Error for others.

// R = Â_L · … · Â_1 [N, N]: row i says how much of each input token reaches position i of the last
// layer.
FOVEA_API Matrix attention_rollout(const Run& run, const RolloutOptions& = {});
// The same after each layer, [L, N, N]: Â_1, Â_2 · Â_1, ..
FOVEA_API Tensor rollout_by_layer(const Run& run, const RolloutOptions& = {});

// R·u and Rᵀ·u for u [N, C]. Of a run that holds queries and keys: without a matrix of N×N, O(N) memory,
// one product with the weights per layer.
FOVEA_API Tensor rollout_product(const Run& run, ConstView u, const RolloutOptions& = {});
FOVEA_API Tensor rollout_transposed_product(const Run& run, ConstView u, const RolloutOptions& = {});
// Row `position` of R, [N]: what arrives there.
FOVEA_API std::vector<double> rollout_row(const Run& run, Index position, const RolloutOptions& = {});

// The largest flow from position i of the last layer to input token j, for capacities Â_l(i, j) on the
// edges between the layers: row `position`, [N], or all of them [N, N]. For short inputs: N ≤ 512, and
// every pair is a maximum flow through L·N² edges.
inline constexpr Index kMaxFlowTokens = 512;
FOVEA_API std::vector<double> attention_flow(const Run& run, Index position, const RolloutOptions& = {});
FOVEA_API Matrix attention_flow(const Run& run, const RolloutOptions& = {});

}  // namespace fovea
