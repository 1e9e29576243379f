// Keys and values of the tokens seen so far, for decoding token by token.
#pragma once

#include <utility>
#include <vector>

#include "fovea/api.h"
#include "fovea/attention.h"
#include "fovea/tensor.h"
#include "fovea/typed_view.h"

namespace fovea {

struct FOVEA_API KeyValueCacheConfig {
  Index batch = 1;
  Index kv_heads = 1;
  Index d_k = 0;
  Index d_v = 0;  // 0: as d_k
  // How keys and values are stored; everything is computed in float32. Relative L2 error of attention's
  // output for N(0, 1) keys, values and queries, against the same with float32:
  //   bfloat16   ≤ 3e-3, half the memory
  //   float16    ≤ 4e-4, half the memory; over 65,519 becomes infinity
  //   int8       ≤ 1.5e-2, a quarter and 4 bytes per row: each row of D numbers is scaled by its largest,
  //   which
  //              becomes 127; a row with a number that is not finite becomes NaN
  FloatType type = FloatType::float32;
};

// The rows of each head lie side by side, [B, Hkv, capacity, D]: the layout in which attention() reads keys
// and values in place, long prompts and single tokens alike. attention(q, cache, {.mask = Mask::causal()})
// lines the new queries up with the last tokens.
class FOVEA_API KeyValueCache {
 public:
  explicit KeyValueCache(const KeyValueCacheConfig& config);

  // k [B, Hkv, T, D], v [B, Hkv, T, Dv], any strides; also [Hkv, T, D] for a batch of 1. Throws Error for
  // other shapes, and leaves the cache as it was. Appending copies T tokens; when room is short it doubles.
  void append(ConstView k, ConstView v);

  // Room for so many tokens in all; never less than there is.
  void reserve(Index tokens);
  // Forgets all tokens from this one on; their room stays. Throws Error unless 0 ≤ tokens ≤ size().
  void truncate(Index tokens);
  void clear() { truncate(0); }
  // Sequence i of the batch becomes what sequence from[i] was; the batch then has from.size() sequences,
  // for beam search. A sequence that stays where it is (from[i] = i) is not copied, as long as the batch
  // keeps its size and every sequence that is read stays; else all are. Throws Error for a place that there
  // is not.
  void reorder(const std::vector<Index>& from);

  Index size() const { return size_; }  // tokens
  Index capacity() const { return capacity_; }
  const KeyValueCacheConfig& config() const { return config_; }

  // [B, Hkv, size(), D] and [B, Hkv, size(), Dv], until the next append or reserve. Throws Error unless
  // they are stored as float32.
  ConstView keys() const;
  ConstView values() const;
  // The same, in the type in which they are stored.
  TypedView stored_keys() const;
  TypedView stored_values() const;

 private:
  // Rows [B, Hkv, capacity] of the type, in whole floats of memory; of int8, their scales.
  struct Rows {
    Tensor memory, scales;
  };
  Rows room(Index batch, Index capacity, Index width) const;
  Index row_bytes(Index width) const;
  void write(ConstView piece, Index width, Rows& rows, Index capacity) const;
  void copy_sequence(const Rows& source, Index source_capacity, Index from, Rows& target,
                     Index target_capacity, Index to, Index width) const;
  std::pair<Rows, Rows> grow(Index capacity);  // gives what was there before
  TypedView view_of(const Rows& rows, Index width) const;

  KeyValueCacheConfig config_;
  Rows keys_, values_;
  Index size_ = 0, capacity_ = 0;
};

// attention(q, keys, values) of a cache of any type. q [B, H, N, D].
FOVEA_API AttentionResult attention(ConstView q, const KeyValueCache& cache, const AttentionOptions& = {});

}  // namespace fovea
