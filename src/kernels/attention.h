// Fused attention, forward: the plain face of the SIMD code.
#pragma once

#include <atomic>
#include <cstdint>

#include "fovea/float_type.h"
#include "fovea/precision.h"
#include "mask/bias_node.h"
#include "mask/mask_node.h"

namespace fovea::kernels {

// Rows of q, k or v that are not float32. The view beside it then gives shape and strides, in elements, and
// is not read.
struct StoredRows {
  FloatType type = FloatType::float32;
  const void* data = nullptr;  // of other types than float32
  const float* scales =
      nullptr;  // of int8: row r, counted as if all rows lay side by side, is data · scales[r]

  const void* at(const ConstView& view) const { return type == FloatType::float32 ? view.data() : data; }
};

// Everything was checked by the caller. Views have rank 5, [A, B, heads, rows, width]; rows of k and v are
// contiguous (stride 1 along the width). Results are row-major, but for the heads of the output.
struct ScoreProblem {
  ConstView q;  // [A, B, H, N, D], any strides
  ConstView k;  // [A, B, Hkv, M, D]
  const MaskNode* mask = nullptr;
  const BiasNode* bias = nullptr;
  float scale = 1;
  float softcap = 0;
  StoredRows stored_q = {};  // in the forward pass only, of rows without gaps; not in decoding

  Index heads() const { return q.shape()[0] * q.shape()[1] * q.shape()[2]; }  // over A, B and H together
  Index group() const { return q.shape()[2] / k.shape()[2]; }  // query heads that share a key head
  Index queries() const { return q.shape()[3]; }
  Index keys() const { return k.shape()[3]; }
  Index depth() const { return q.shape()[4]; }
  // Batch and head of one of heads().
  Row row_of(Index head_index) const {
    return {head_index / q.shape()[2], head_index % q.shape()[2], 0, queries(), keys()};
  }
  // The first row of head `head` of batch entry `batch` in x. Not &x(a, b, h): an empty view may be null.
  template <typename T>
  static T* start(const BasicView<T>& x, Index batch, Index head) {
    const Index a = batch / x.shape()[1], b = batch % x.shape()[1];
    return x.data() + a * x.stride(0) + b * x.stride(1) + head * x.stride(2);
  }
  // In elements, of one of x's heads, counted over A and B as well.
  static Index offset(const ConstView& x, Index head_index) {
    const Index heads = x.shape()[2], batch = head_index / heads;
    return batch / x.shape()[1] * x.stride(0) + batch % x.shape()[1] * x.stride(1) +
           head_index % heads * x.stride(2);
  }
};

// What was done, for "which path ran?". Tiles are strips of queries × blocks of keys.
struct TileCounts {
  std::atomic<Index> hidden = 0, full = 0, partial = 0, gathered = 0;
};

struct AttentionProblem : ScoreProblem {
  ConstView v;  // [A, B, Hkv, M, Dv]
  float dropout = 0;
  std::uint64_t seed = 0;
  float* output = nullptr;  // [A, B, H, N, Dv]: rows contiguous, the rest by these strides
  Index output_batch_stride = 0, output_head_stride = 0, output_row_stride = 0;
  float* weights = nullptr;     // [A, B, H, N, M] or null
  float* logsumexp = nullptr;   // [A, B, H, N] or null
  TileCounts* tiles = nullptr;  // counted if asked for
  StoredRows stored_k = {}, stored_v = {};
  Precision precision = Precision::float32;

  Index value_width() const { return v.shape()[4]; }
  float* output_row(Index head_index, Index query) const {
    const Index batch = head_index / q.shape()[2], head = head_index % q.shape()[2];
    return output + batch * output_batch_stride + head * output_head_stride + query * output_row_stride;
  }
};

// True if every output is finite, which costs least where it is still in cache.
// Parallel over heads and blocks of queries; the bits do not depend on the number of threads. Allocates,
// per block at work, a few hundred floats per query plus what the mask says of its rows: O(M) at most per
// row; and, with a bias by relative position, N + M floats per head.
bool attention_forward(const AttentionProblem& problem);

// Queries in a whole strip, by the instruction set in use.
Index strip_width();

}  // namespace fovea::kernels
