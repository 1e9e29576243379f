// Statistics of attention without its N×M matrix: the plain face of the SIMD code.
#pragma once

#include <cstdint>
#include <stop_token>

#include "kernels/attention.h"

namespace fovea::kernels {

// Results are row-major; "heads" are those over A, B and H together, and null is what nobody asked for.
struct StatisticsProblem : ScoreProblem {
  Index row_begin = 0, row_end = 0;  // rows = row_end − row_begin are looked at

  // Of each row, [heads, rows].
  float* logsumexp = nullptr;
  float* entropy = nullptr;
  float* maximum = nullptr;
  std::int64_t* position = nullptr;
  float* diagonal = nullptr;
  float* distance = nullptr;
  Index top_k = 0;
  float* top_weights = nullptr;  // [heads, rows, top_k], as top_keys
  std::int64_t* top_keys = nullptr;

  float* received = nullptr;  // [heads, M]

  // Cells of all N × M, [heads, picture_rows, picture_columns]; both or none. For these row_begin is 0 and
  // row_end N.
  Index picture_rows = 0, picture_columns = 0;
  float* picture_mean = nullptr;
  float* picture_max = nullptr;

  Index key_begin = 0, key_end = 0;
  float* weights = nullptr;  // [heads, rows, key_end − key_begin]: a crop

  std::stop_token stop = {};

  // A part of a larger matrix: its first query and key, and N and M of the whole, which positions and
  // pictures belong to. By default the part is all there is (whole_* = 0).
  Index query_begin = 0, whole_key_begin = 0, whole_queries = 0, whole_keys = 0;
  // Log-sum-exp over all keys of the whole, [heads, rows]: weights and all measures are then shares of the
  // whole's, which add up; `logsumexp` stays that of the part. Null: the part is normalised by itself.
  const float* given_logsumexp = nullptr;

  const ConstView* u = nullptr;         // [A, B, H, N, C], any strides
  float* transposed_product = nullptr;  // [heads, M, C] = Pᵀ·u

  Index rows() const { return row_end - row_begin; }
  Index picture_queries() const { return whole_queries == 0 ? queries() : whole_queries; }
  Index picture_keys() const { return whole_keys == 0 ? keys() : whole_keys; }
  // The key of this part at which query i stands, perhaps outside of it.
  Index own_key(Index query) const {
    return query + query_begin + picture_keys() - picture_queries() - whole_key_begin;
  }
  Index picture_row(Index query) const { return (query_begin + query) * picture_rows / picture_queries(); }
  bool has_all_rows() const { return rows() == queries(); }
  bool needs_weights() const {
    return diagonal != nullptr || distance != nullptr || received != nullptr || picture_mean != nullptr ||
           weights != nullptr || transposed_product != nullptr;
  }
};

// Parallel over heads and pieces of the rows; the bits do not depend on the number of threads. Allocates
// per thread a few hundred floats per query of a block and at most kKeptFloats scores, and 128 pieces of M
// sums (of M · C sums and at most 256 MB for Pᵀ·u, unless there are more heads than that).
void attention_statistics(const StatisticsProblem& problem);

// Scores that are kept between the two passes: as many as stay in a cache of 512 KB.
inline constexpr Index kKeptFloats = 24 * 5120;

}  // namespace fovea::kernels
