#include "nn/attention_layer.h"

#include <atomic>

#include "core/half.h"
#include "ops/attention_concat.h"

namespace fovea {

Probe::~Probe() = default;

const char* to_string(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder:
      return "encoder";
    case AttentionKind::decoder:
      return "decoder";
    case AttentionKind::cross:
      return "cross";
  }
  return "";
}

inline namespace internal {

void ProjectedHeads::project(ConstView x, const Linear& layer, const HeadSizes& heads) {
  heads_ = heads;
  precision_ = layer.precision();
  const Shape shape = {x.shape()[0], heads.heads + 2 * heads.kv_heads, x.shape()[1], heads.width};
  const bool mine = memory_ != nullptr && memory_.use_count() == 1;
  // Whoever let go of the memory last may have read it in another thread.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!mine || !(memory_->shape() == shape)) {
    memory_ = std::make_shared<Tensor>(Tensor::uninitialized(shape));
  }
  layer.store_heads(x, heads.width, memory_->view());
}

View ProjectedHeads::part(Index first, Index heads) {
  const Shape& shape = memory_->shape();
  const Index head = shape[2] * shape[3];
  return View(memory_->data() + first * head, {shape[0], heads, shape[2], shape[3]},
              {shape[1] * head, head, shape[3], 1});
}

namespace {

void show(const AttentionPlace& place, ConstView q, ConstView k, ConstView v,
          const AttentionOptions& options, std::shared_ptr<const Tensor> memory) {
  if (place.probe == nullptr) return;
  // Whoever computes weights from the call does so in float32.
  AttentionOptions exact = options;
  exact.precision = Precision::float32;
  place.probe->attention({place.kind, place.layer, q, k, v, exact, std::move(memory), options.precision});
}

Tensor rounded_to_bfloat16(ConstView x) {
  Tensor result = Tensor::copy_of(x);
  for (Index i = 0; i < result.shape().elements(); ++i) {
    result.data()[i] = bfloat16_to_float(float_to_bfloat16(result.data()[i]));
  }
  return result;
}

bool is_changed(const AttentionPlace& place) {
  return place.probe != nullptr && place.probe->changes(place.kind, place.layer);
}

// The probe changes what goes in, sees it, and changes what comes out.
void attend_changed(View q, View k, View v, AttentionOptions options, const AttentionPlace& place,
                    std::shared_ptr<const Tensor> memory, Tensor& out) {
  AttentionChange change{place.kind, place.layer, q, k, v, options};
  place.probe->change(change);
  show(place, q, k, v, options, std::move(memory));
  attention_concat(q, k, v, options, out);
  const Shape heads = {out.shape()[0], out.shape()[1], q.shape()[1], v.shape()[3]};
  place.probe->change_outputs({place.kind, place.layer, View(out.data(), heads)});
}

}  // namespace

void attend(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
            const AttentionPlace& place, Tensor& out) {
  if (is_changed(place)) {  // on copies: keys and values may be those of a cache
    Tensor own_q = Tensor::copy_of(q), own_k = Tensor::copy_of(k), own_v = Tensor::copy_of(v);
    return attend_changed(own_q.view(), own_k.view(), own_v.view(), options, place, nullptr, out);
  }
  show(place, q, k, v, options, nullptr);
  attention_concat(q, k, v, options, out);
}

void attend(ConstView q, const KeyValueCache& cache, const AttentionOptions& options,
            const AttentionPlace& place, Tensor& out) {
  if (options.precision == Precision::bfloat16 && cache.config().type == FloatType::bfloat16 &&
      is_decoded(q, cache.stored_keys())) {
    AttentionOptions exact = options;
    exact.precision = Precision::float32;
    return attend(rounded_to_bfloat16(q), cache, exact, place, out);
  }
  if (cache.config().type == FloatType::float32) {
    return attend(q, cache.keys(), cache.values(), options, place, out);
  }
  if (place.probe != nullptr) {
    const Tensor k = to_float32(cache.stored_keys()), v = to_float32(cache.stored_values());
    return attend(q, k, v, options, place, out);
  }
  attention_concat(q, cache.stored_keys(), cache.stored_values(), options, out);
}

void attend(ProjectedHeads& projected, AttentionOptions options, const AttentionPlace& place, Tensor& out) {
  options.precision = projected.precision();
  if (is_changed(place)) {
    return attend_changed(projected.q(), projected.k(), projected.v(), options, place, projected.memory(),
                          out);
  }
  const ConstView q = projected.q(), k = projected.k(), v = projected.v();
  show(place, q, k, v, options, projected.memory());
  attention_concat(q, k, v, options, out);
}

void ProjectionRecord::before_rotation(ProjectedHeads& projected, const std::vector<double>& frequencies) {
  if (!wanted_) return;
  q_ = Tensor::copy_of(projected.q().transpose(1, 2));
  k_ = Tensor::copy_of(projected.k().transpose(1, 2));
  frequencies_ = frequencies;
}

void ProjectionRecord::show(const ProjectionSource& source, const Tensor& concat,
                            const Linear& output_layer) {
  if (!wanted_) return;
  const Tensor output = output_layer(concat);
  const Index q_end = source.heads.query_columns(), columns = source.heads.key_columns();
  const Index k = source.key_column, v = k + columns, v_end = v + columns;
  const Linear &query = source.query, &keys_values = source.keys_values;
  place_.probe->projections({.kind = place_.kind,
                             .layer = place_.layer,
                             .x = source.x,
                             .memory = source.memory,
                             .w_q = query.weight_columns(0, q_end),
                             .w_k = keys_values.weight_columns(k, v),
                             .w_v = keys_values.weight_columns(v, v_end),
                             .b_q = query.bias_columns(0, q_end),
                             .b_k = keys_values.bias_columns(k, v),
                             .b_v = keys_values.bias_columns(v, v_end),
                             .q = std::move(q_),
                             .k = std::move(k_),
                             .frequencies = std::move(frequencies_),
                             .concat = concat,
                             .w_o = output_layer.weight_columns(0, output_layer.outputs()),
                             .b_o = output_layer.bias_columns(0, output_layer.outputs()),
                             .output = output});
}

}  // namespace internal
}  // namespace fovea
