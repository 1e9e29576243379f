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

}  // namespace fovea
