// Keys and values of the tokens seen so far, for decoding token by token.
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {

struct FOVEA_API KeyValueCacheConfig {
  Index batch = 1;
  Index kv_heads = 1;
  Index d_k = 0;
  Index d_v = 0;  // 0: as d_k
};

// The rows of each head lie side by side, [B, Hkv, capacity, D]: the layout in which attention() reads keys
// and values in place, long prompts and single tokens alike. attention(q, cache.keys(), cache.values(),
// {.mask = Mask::causal()}) lines the new queries up with the last tokens.
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
  Index capacity() const { return keys_.shape()[2]; }
  const KeyValueCacheConfig& config() const { return config_; }

  // [B, Hkv, size(), D] and [B, Hkv, size(), Dv], until the next append or reserve.
  ConstView keys() const;
  ConstView values() const;

 private:
  KeyValueCacheConfig config_;
  Tensor keys_, values_;
  Index size_ = 0;
};

}  // namespace fovea
