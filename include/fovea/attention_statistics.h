// What attention looks at, without the N×M matrix of weights: measures per row, per key and per head,
// pictures, crops and matrix-free products. All of them come from q, k and the options alone.
//
// Everything here describes the weights before dropout: AttentionOptions::dropout is ignored, and so are
// `weights` and `logsumexp`. Shapes, masks, biases, cap and scale are those of attention(). Beyond inputs
// and results, memory is O(N + M), at most 128 sums per key; the bits do not depend on the threads.
#pragma once

#include <stop_token>

#include "fovea/api.h"
#include "fovea/attention.h"

namespace fovea {

// What to compute; what is not requested stays empty().
struct FOVEA_API StatisticsOptions {
  bool rows = true;           // entropy, maximum, position, diagonal, distance, logsumexp, visible, means
  bool received = true;       // received
  Index thumbnail = 256;      // G: thumbnails of at most G×G cells; 0: none
  Index top_k = 0;            // the k largest weights of each row; more than M are given as M
  bool weights = false;       // the matrix itself, too: of short sequences, cheaper than a crop after it
  std::stop_token stop = {};  // a request ends the work with Stopped
};

// Means over the rows that see something; 0 if there are none. Each tensor is [B, H]: q's axes before N,
// or [1] for q [N, D].
struct FOVEA_API HeadMeans {
  Tensor entropy, maximum, diagonal, distance, visible;
  Ids rows_seeing;  // how many rows have a weight > 0; the attention a key receives is this / M on average
};

// Rows are queries; query i stands at position p = i + M − N. A row that sees nothing has entropy, maximum,
// diagonal and distance 0, position −1 and log-sum-exp −inf. A row with a score that is NaN or +inf has
// measures NaN and position −1, and NaN is what the keys it sees receive.
struct FOVEA_API AttentionStatistics {
  Tensor entropy;    // [.., N] −Σ w ln w, in nats
  Tensor maximum;    // [.., N] the largest weight
  Ids position;      // [.., N] its key, the first of equals; −1: none
  Tensor diagonal;   // [.., N] the weight of key p; 0 if there is no such key
  Tensor distance;   // [.., N] Σ w |j − p|: how far away the row looks
  Tensor logsumexp;  // [.., N] natural logarithm of the sum of exp(score)
  Ids visible;       // [.., N] keys that the mask lets the row see
  HeadMeans means;   // per head

  Tensor received;  // [.., M] sum over the rows: attention that each key receives

  // The weights in R×C cells, R = min(G, N), C = min(G, M): weight (i, j) belongs to cell
  // (⌊i·R/N⌋, ⌊j·C/M⌋). Hidden pairs count as weights of 0.
  Tensor thumbnail;      // [.., R, C] mean of each cell
  Tensor thumbnail_max;  // [.., R, C] maximum of each cell

  // Largest first, of equals the first key first; rows with fewer scores than k end in weight 0, key −1.
  Tensor top_weights;  // [.., N, k]
  Ids top_keys;        // [.., N, k]

  Tensor weights;  // [.., N, M]
};

// q [B, H, N, D], k [B, Hkv, M, D], or another rank as in attention(). Two products Q Kᵀ for long keys,
// one where the scores of a few rows fit into the cache.
FOVEA_API AttentionStatistics attention_statistics(ConstView q, ConstView k, const AttentionOptions& = {},
                                                   StatisticsOptions = {});

// log Σ exp(score) of each row, [.., N]; −inf for a row that sees nothing.
FOVEA_API Tensor attention_logsumexp(ConstView q, ConstView k, const AttentionOptions& = {});

// The rectangle [row_begin, row_end) × [key_begin, key_end) of the weights.
struct FOVEA_API Crop {
  Index row_begin = 0, row_end = 0;
  Index key_begin = 0, key_end = 0;
};

// The weights of the crop, [.., rows, keys], as they stand in the whole matrix: normalised over all keys
// of the row. Throws Error if the crop leaves the matrix. Costs the crop's rows times all keys.
FOVEA_API Tensor attention_crop(ConstView q, ConstView k, const AttentionOptions& options,
                                const Crop& crop);

// P·u for the weights P [.., N, M] and u [.., M, C], [.., N, C]: attention with u as values. The heads of u
// are those of k, or those of q (then grouped keys are copied, once per query head).
FOVEA_API Tensor attention_product(ConstView q, ConstView k, ConstView u, const AttentionOptions& = {});

// Pᵀ·u for u [.., N, C] with the heads of q: [.., M, C]. With a mean over heads and layer after layer, the
// two products are attention rollout without its matrices.
FOVEA_API Tensor attention_transposed_product(ConstView q, ConstView k, ConstView u,
                                              const AttentionOptions& = {});

}  // namespace fovea
