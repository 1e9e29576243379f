// How alike the heads are, in a few rows of a text.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/shape.h"

namespace fovea {

// At most `rows` different rows of N, drawn by the text's hash: the same wherever the text stands.
std::vector<Index> compared_rows(std::uint64_t hash, Index n, Index rows);

// Jensen–Shannon divergences in nats, summed over the rows: [A · (A − 1) / 2], the pairs (0, 1), (0, 2), ..
// of weights [rows, A, N]. As head_similarity() has them: rows are brought to a sum of 1; a row that only
// one of two heads sees counts as ln 2, one that neither sees as 0.
std::vector<double> divergence_sums(const std::vector<float>& weights, Index rows, Index heads, Index n);

}  // namespace fovea
