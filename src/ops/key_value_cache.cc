#include "fovea/key_value_cache.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/fail.h"
#include "core/stored_row.h"

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

void check_float32(FloatType type) {
  if (type == FloatType::float32) return;
  fail("[cache] keys and values are stored as {}: stored_keys() and stored_values() give them",
       to_string(type));
}

}  // namespace

KeyValueCache::KeyValueCache(const KeyValueCacheConfig& config) : config_(config) {
  if (config_.d_v == 0) config_.d_v = config_.d_k;
  if (config_.batch < 1 || config_.kv_heads < 1 || config_.d_k < 1 || config_.d_v < 1) {
    fail("[cache] got batch {}, {} key heads, widths {} and {}; expected all of them ≥ 1", config_.batch,
         config_.kv_heads, config_.d_k, config_.d_v);
  }
  keys_ = room(config_.batch, 0, config_.d_k);
  values_ = room(config_.batch, 0, config_.d_v);
}

Index KeyValueCache::row_bytes(Index width) const { return width * bytes_of(config_.type); }

KeyValueCache::Rows KeyValueCache::room(Index batch, Index capacity, Index width) const {
  const Index rows = batch * config_.kv_heads * capacity;
  return {Tensor::uninitialized({(rows * row_bytes(width) + 3) / 4}),
          Tensor::uninitialized({config_.type == FloatType::int8 ? rows : 0})};
}

// piece [B, Hkv, tokens, width] → the rows after those that are there.
void KeyValueCache::write(ConstView piece, Index width, Rows& rows, Index capacity) const {
  const Shape& shape = piece.shape();
  std::vector<float> own(static_cast<std::size_t>(width));
  auto* memory = reinterpret_cast<char*>(rows.memory.data());
  for (Index bh = 0; bh < shape[0] * shape[1]; ++bh) {
    for (Index t = 0; t < shape[2]; ++t) {
      const Index row = bh * capacity + size_ + t;
      for (Index i = 0; i < width; ++i) {
        own[static_cast<std::size_t>(i)] = piece(bh / shape[1], bh % shape[1], t, i);
      }
      char* to = memory + row * row_bytes(width);
      const float scale = store_row(config_.type, own.data(), width, to);
      if (config_.type == FloatType::int8) rows.scales.data()[row] = scale;
    }
  }
}

// Sequence `to` of `target` = sequence `from` of `source`, which may be the same.
void KeyValueCache::copy_sequence(const Rows& source, Index source_capacity, Index from, Rows& target,
                                  Index target_capacity, Index to, Index width) const {
  if (size_ == 0) return;
  const auto* read = reinterpret_cast<const char*>(source.memory.data());
  auto* write = reinterpret_cast<char*>(target.memory.data());
  for (Index h = 0; h < config_.kv_heads; ++h) {
    const Index old_row = (from * config_.kv_heads + h) * source_capacity;
    const Index new_row = (to * config_.kv_heads + h) * target_capacity;
    std::copy_n(read + old_row * row_bytes(width), size_ * row_bytes(width),
                write + new_row * row_bytes(width));
    if (config_.type != FloatType::int8) continue;
    std::copy_n(source.scales.data() + old_row, size_, target.scales.data() + new_row);
  }
}

std::pair<KeyValueCache::Rows, KeyValueCache::Rows> KeyValueCache::grow(Index capacity) {
  const auto moved = [&](Rows& rows, Index width) {
    Rows larger = room(config_.batch, capacity, width);
    for (Index b = 0; b < config_.batch; ++b) copy_sequence(rows, capacity_, b, larger, capacity, b, width);
    return larger;
  };
  std::pair<Rows, Rows> other{moved(keys_, config_.d_k), moved(values_, config_.d_v)};
  std::swap(keys_, other.first);
  std::swap(values_, other.second);
  capacity_ = capacity;
  return other;
}

void KeyValueCache::append(ConstView k, ConstView v) {
  k = with_batch(k);
  v = with_batch(v);
  check_piece("keys", k, config_, config_.d_k);
  check_piece("values", v, config_, config_.d_v);
  const Index tokens = k.shape()[2];
  if (v.shape()[2] != tokens) fail("[cache] there are {} keys, but {} values", tokens, v.shape()[2]);
  // The pieces may be this cache's own keys and values: their memory stays until they are written.
  std::pair<Rows, Rows> old;
  if (size_ + tokens > capacity_) old = grow(std::max(size_ + tokens, std::max<Index>(2 * capacity_, 16)));
  write(k, config_.d_k, keys_, capacity_);
  write(v, config_.d_v, values_, capacity_);
  size_ += tokens;
}

void KeyValueCache::reserve(Index tokens) {
  if (tokens < 0) fail("[cache] got a capacity of {} tokens, expected ≥ 0", tokens);
  if (tokens > capacity_) grow(tokens);
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
  const auto moved = [&](Rows& old, Index width) {
    Rows kept = in_place ? Rows() : room(batch, capacity_, width);
    for (Index i = 0; i < batch; ++i) {
      if (in_place && stays(i)) continue;
      copy_sequence(old, capacity_, from[static_cast<std::size_t>(i)], in_place ? old : kept, capacity_, i,
                    width);
    }
    if (!in_place) old = std::move(kept);
  };
  moved(keys_, config_.d_k);
  moved(values_, config_.d_v);
  config_.batch = batch;
}

TypedView KeyValueCache::view_of(const Rows& rows, Index width) const {
  const Shape shape = {config_.batch, config_.kv_heads, size_, width};
  const Strides strides = row_major_strides(Shape{config_.batch, config_.kv_heads, capacity_, width});
  const auto* bits = reinterpret_cast<const std::uint16_t*>(rows.memory.data());
  switch (config_.type) {
    case FloatType::float32:
      return ConstView(rows.memory.data(), shape, strides);
    case FloatType::float16:
      return TypedView::float16(bits, shape, strides);
    case FloatType::bfloat16:
      return TypedView::bfloat16(bits, shape, strides);
    case FloatType::int8:
      break;
  }
  return TypedView::int8(reinterpret_cast<const std::int8_t*>(bits), rows.scales.data(), shape, strides);
}

TypedView KeyValueCache::stored_keys() const { return view_of(keys_, config_.d_k); }

TypedView KeyValueCache::stored_values() const { return view_of(values_, config_.d_v); }

ConstView KeyValueCache::keys() const {
  check_float32(config_.type);
  const TypedView view = stored_keys();
  return ConstView(keys_.memory.data(), view.shape(), view.strides());
}

ConstView KeyValueCache::values() const {
  check_float32(config_.type);
  const TypedView view = stored_values();
  return ConstView(values_.memory.data(), view.shape(), view.strides());
}

AttentionResult attention(ConstView q, const KeyValueCache& cache, const AttentionOptions& options) {
  return attention(q, cache.stored_keys(), cache.stored_values(), options);
}

}  // namespace fovea
