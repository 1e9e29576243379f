#include "nn/attention_layer.h"

#include "ops/attention_concat.h"

namespace fovea {

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

View ProjectedHeads::part(Index column, Index heads) {
  const Shape& shape = projected_.shape();
  const Index columns = shape[2];
  return View(projected_.data() + column, {shape[0], shape[1], heads, heads_.width},
              {shape[1] * columns, columns, heads_.width, 1});
}

void attend(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
            const AttentionPlace& place, Tensor& out) {
  if (place.probe != nullptr) place.probe->attention({place.kind, place.layer, q, k, v, options});
  attention_concat(q, k, v, options, out);
}

void ProjectionRecord::before_rotation(ProjectedHeads& projected, const std::vector<double>& frequencies) {
  if (!wanted_) return;
  q_ = Tensor::copy_of(projected.q());
  k_ = Tensor::copy_of(projected.k());
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

}  // namespace fovea
