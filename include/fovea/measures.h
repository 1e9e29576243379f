// Measures of attention weights: how spread, who receives, who looks at itself.
#pragma once

#include <string>
#include <vector>

#include "fovea/mask.h"
#include "fovea/render.h"
#include "fovea/tensor.h"

namespace fovea {

// Of one head, or of the mean of all heads.
struct HeadMeasures {
  std::vector<double> entropy;             // [N] −Σ w ln w, nats (0 · ln 0 = 0); may be < 0 if Σ w > 1
  std::vector<double> normalised_entropy;  // [N] divided by ln(visible keys): 0 one key, 1 all alike
  std::vector<double> received;            // [M] column sums: attention each key receives
  std::vector<double> outgoing;            // [N] row sums: 1, but for hidden rows and under dropout
  std::vector<double> diagonal;  // [N] weight of the key at the query's own position i + M − N; 0: none

  double mean_entropy = 0;  // over the rows that see something
  double mean_normalised_entropy =
      0;                     // over the rows that see two keys or more: with one there is no choice
  double mean_diagonal = 0;  // over the rows that see something
  Index rows_seeing = 0;     // rows with a visible key and a weight > 0
};

struct AttentionMeasures {
  Shape shape;                                   // of the weights, as given
  std::vector<std::vector<HeadMeasures>> heads;  // [B][H]
  std::vector<HeadMeasures> head_mean;           // [B], of the weights averaged over the heads
  bool masked = false;                           // a mask told which keys are visible

  // Rows of the heads that see something, but whose weights do not sum to 1 (beyond 1e-3), as under
  // dropout; the renderings carry a note then. Their lowest and highest sum.
  Index rows_not_one = 0;
  double lowest_sum = 1, highest_sum = 1;
};

// weights [N, M], [H, N, M] or [B, H, N, M], any strides. A key is visible if the mask says so; without a
// mask all M keys are. Accumulates in double, row by row: memory beyond the result is O(M).
// Throws Error naming the place of a weight that is NaN, infinite or negative, or > 0 where the mask hides.
AttentionMeasures measure_attention(ConstView weights, const Mask& mask = {});

// Tables: one line per head and per token. `tokens` name the queries, `memory_tokens` the keys (empty: the
// tokens, if N = M); without names they are numbered.
std::string to_terminal(const AttentionMeasures&, const RenderOptions& = {},
                        const std::vector<std::string>& tokens = {},
                        const std::vector<std::string>& memory_tokens = {});
std::string to_json(const AttentionMeasures&);

}  // namespace fovea
