#include "fovea/key_value_cache.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/fail.h"

namespace fovea {
namespace {

// [Hkv, T, D] → [1, Hkv, T, D]
ConstView with_batch(ConstView view) {
  return view.shape().rank() == 3 ? ConstView(view.insert_axis(0)) : view;
}

void check_piece(const char* name, const ConstView& piece, const KeyValueCacheConfig& config, Index width) {
  const Shape& shape = piece.shape();
  if (shape.rank() == 4 && shape[0] == config.batch && shape[1] == config.kv_heads && shape[3] == width)
    return;
  fail("[cache] {} have shape {}, expected [{}, {}, tokens, {}]", name, shape.to_string(), config.batch,
       config.kv_heads, width);
}

// to [B, H, from .. from + tokens, D] = piece [B, H, tokens, D]
void copy_tokens(ConstView piece, Index from, Tensor& to) {
  const Shape& shape = piece.shape();
  for (Index b = 0; b < shape[0]; ++b) {
    for (Index h = 0; h < shape[1]; ++h) {
      float* out = to.data() + ((b * shape[1] + h) * to.shape()[2] + from) * shape[3];
      for (Index t = 0; t < shape[2]; ++t) {
        for (Index i = 0; i < shape[3]; ++i) *out++ = piece(b, h, t, i);
      }
    }
  }
}

Tensor grown(ConstView tokens, Index capacity) {
  const Shape& shape = tokens.shape();
  Tensor result = Tensor::uninitialized({shape[0], shape[1], capacity, shape[3]});
  copy_tokens(tokens, 0, result);
  return result;
}

// Sequence `to` of [B, H, capacity, D] = sequence `from` of another such array, or of the same one.
void copy_sequence(const Tensor& source, Index from, Index tokens, Tensor& target, Index to) {
  const Index heads = source.shape()[1], width = source.shape()[3], stride = source.shape()[2] * width;
  for (Index h = 0; h < heads; ++h) {
    std::copy_n(source.data() + (from * heads + h) * stride, tokens * width,
                target.data() + (to * heads + h) * stride);
  }
}

}  // namespace

KeyValueCache::KeyValueCache(const KeyValueCacheConfig& config) : config_(config) {
  if (config_.d_v == 0) config_.d_v = config_.d_k;
  if (config_.batch < 1 || config_.kv_heads < 1 || config_.d_k < 1 || config_.d_v < 1) {
    fail("[cache] got batch {}, {} key heads, widths {} and {}; expected all of them ≥ 1", config_.batch,
         config_.kv_heads, config_.d_k, config_.d_v);
  }
  keys_ = Tensor::uninitialized({config_.batch, config_.kv_heads, 0, config_.d_k});
  values_ = Tensor::uninitialized({config_.batch, config_.kv_heads, 0, config_.d_v});
}

void KeyValueCache::append(ConstView k, ConstView v) {
  k = with_batch(k);
  v = with_batch(v);
  check_piece("keys", k, config_, config_.d_k);
  check_piece("values", v, config_, config_.d_v);
  const Index tokens = k.shape()[2];
  if (v.shape()[2] != tokens) fail("[cache] there are {} keys, but {} values", tokens, v.shape()[2]);
  if (size_ + tokens > capacity()) {
    // Pieces of this cache's own keys are read after its old memory would be gone: grow into new memory
    // first.
    const Index capacity_wanted = std::max(size_ + tokens, std::max<Index>(2 * capacity(), 16));
    Tensor new_keys = grown(keys(), capacity_wanted), new_values = grown(values(), capacity_wanted);
    copy_tokens(k, size_, new_keys);
    copy_tokens(v, size_, new_values);
    keys_ = std::move(new_keys);
    values_ = std::move(new_values);
  } else {
    copy_tokens(k, size_, keys_);
    copy_tokens(v, size_, values_);
  }
  size_ += tokens;
}

void KeyValueCache::reserve(Index tokens) {
  if (tokens < 0) fail("[cache] got a capacity of {} tokens, expected ≥ 0", tokens);
  if (tokens <= capacity()) return;
  Tensor new_keys = grown(keys(), tokens), new_values = grown(values(), tokens);
  keys_ = std::move(new_keys);
  values_ = std::move(new_values);
}

void KeyValueCache::truncate(Index tokens) {
  if (tokens < 0 || tokens > size_) {
    fail("[cache] cannot keep {} tokens, there are only {}", tokens, size_);
  }
  size_ = tokens;
}

void KeyValueCache::reorder(const std::vector<Index>& from) {
  if (from.empty()) fail("[cache] got no sequences to keep, expected at least one");
  for (const Index i : from) {
    if (i < 0 || i >= config_.batch)
      fail("[cache] got sequence {}, expected 0 to {}", i, config_.batch - 1);
  }
  const auto batch = static_cast<Index>(from.size());
  const auto stays = [&](Index i) { return from[static_cast<std::size_t>(i)] == i; };
  const bool in_place = batch == config_.batch && std::all_of(from.begin(), from.end(), stays);
  const auto moved = [&](Tensor& old) {
    if (in_place) {
      for (Index i = 0; i < batch; ++i) {
        if (!stays(i)) copy_sequence(old, from[static_cast<std::size_t>(i)], size_, old, i);
      }
      return;
    }
    const Shape& shape = old.shape();
    Tensor kept = Tensor::uninitialized({batch, shape[1], shape[2], shape[3]});
    for (Index i = 0; i < batch; ++i) copy_sequence(old, from[static_cast<std::size_t>(i)], size_, kept, i);
    old = std::move(kept);
  };
  moved(keys_);
  moved(values_);
  config_.batch = batch;
}

ConstView KeyValueCache::keys() const { return keys_.view().slice(2, 0, size_); }

ConstView KeyValueCache::values() const { return values_.view().slice(2, 0, size_); }

}  // namespace fovea
