// Attention with its projections, as the blocks of a transformer use it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fovea/api.h"
#include "fovea/key_value_cache.h"
#include "fovea/probe.h"
#include "nn/linear.h"

namespace fovea {
inline namespace internal {

// H query heads over Hkv key heads, all of width D.
struct HeadSizes {
  Index heads = 1, kv_heads = 1, width = 1;
  Index query_columns() const { return heads * width; }
  Index key_columns() const { return kv_heads * width; }
};

// Queries, keys and values of one token sequence, each head's rows side by side.
class FOVEA_PRIVATE_API ProjectedHeads {
 public:
  // x [B, N, E] through `layer`, whose outputs are q | k | v, or q alone (`kv_heads` = 0), or k | v alone
  // (`heads` = 0). Memory of an earlier call is used again, unless a probe keeps it.
  void project(ConstView x, const Linear& layer, const HeadSizes& heads);

  // [B, H, N, D], [B, Hkv, N, D] twice. Written through: rotary positions are applied in place.
  View q() { return part(0, heads_.heads); }
  View k() { return part(heads_.heads, heads_.kv_heads); }
  View v() { return part(heads_.heads + heads_.kv_heads, heads_.kv_heads); }
  const std::shared_ptr<Tensor>& memory() const { return memory_; }
  // That of the layer that projected them: attention between them is computed in the same.
  Precision precision() const { return precision_; }

 private:
  View part(Index first, Index heads);

  std::shared_ptr<Tensor> memory_;  // [B, H + 2 Hkv, N, D]
  HeadSizes heads_;
  Precision precision_ = Precision::float32;
};

// Where a call belongs; `probe` may be null.
struct AttentionPlace {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  Probe* probe = nullptr;
};

// Shows the residual stream x [B, N, E] to the probe, which may change it.
inline void show_stream(const AttentionPlace& place, StreamPoint point, Tensor& x) {
  if (place.probe != nullptr) place.probe->stream({place.kind, place.layer, point, x.view()});
}

// Shows the call to the probe, computes it, and puts the heads side by side: q [B, H, N, D], k and v
// [B, Hkv, M, D] → out [B, N, H·D], used again if it has this shape.
FOVEA_PRIVATE_API void attend(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                              const AttentionPlace& place, Tensor& out);
// The same of keys and values in a cache, whatever its type; a probe sees them widened to float32. With
// precision bfloat16 and a cache of bfloat16, a few queries are rounded, and the rest is computed in
// float32: keys and values are read once, where tiles would pack them again for every token.
FOVEA_PRIVATE_API void attend(ConstView q, const KeyValueCache& cache, const AttentionOptions& options,
                              const AttentionPlace& place, Tensor& out);
// Of self-attention, in the precision of the projection; the probe may keep what was projected.
FOVEA_PRIVATE_API void attend(ProjectedHeads& projected, AttentionOptions options,
                              const AttentionPlace& place, Tensor& out);

// Where the queries, keys and values of a call come from: k | v stand side by side in `keys_values`, from
// `key_column` on. Of self-attention, both layers are the same one, and so are x and memory.
struct ProjectionSource {
  ConstView x, memory;  // [B, N, E], [B, M, E]
  const Linear& query;
  const Linear& keys_values;
  Index key_column = 0;
  HeadSizes heads;

  static ProjectionSource self(ConstView x, const Linear& qkv, const HeadSizes& heads) {
    return {x, x, qkv, qkv, heads.query_columns(), heads};
  }
};

// Shows a probe what surrounds one attention call; does nothing for a probe that does not want it.
class FOVEA_PRIVATE_API ProjectionRecord {
 public:
  explicit ProjectionRecord(const AttentionPlace& place)
      : place_(place),
        wanted_(place.probe != nullptr && place.probe->wants_projections(place.kind, place.layer)) {}

  // Of models with rotary positions, before they are applied.
  void before_rotation(ProjectedHeads& projected, const std::vector<double>& frequencies);
  // concat [B, N, H·D] → output [B, N, E] by `output_layer`; computed here, because a layer adds it to its
  // stream at once.
  void show(const ProjectionSource& source, const Tensor& concat, const Linear& output_layer);

 private:
  AttentionPlace place_;
  bool wanted_;
  Tensor q_, k_;
  std::vector<double> frequencies_;
};

}  // namespace internal
}  // namespace fovea
