#include "models/decoder_step.h"

namespace fovea {

void DecoderStep::attend(std::size_t layer, ProjectedHeads& projected, AttentionOptions options,
                         Tensor& out) const {
  options.mask = mask_;
  options.precision = projected.precision();
  const AttentionPlace where = place(AttentionKind::decoder, layer);
  const bool narrow = narrow_ == static_cast<Index>(layer);
  if (state_ == nullptr && !narrow) return fovea::attend(projected, options, where, out);
  const Index tokens = projected.q().shape()[2];
  const ConstView q = projected.q().slice(2, narrow ? tokens - 1 : 0, tokens);
  if (state_ == nullptr) return fovea::attend(q, projected.k(), projected.v(), options, where, out);
  KeyValueCache& cache = state_->self[layer];
  cache.append(projected.k(), projected.v());
  fovea::attend(q, cache, options, where, out);
}

void DecoderStep::keep_attended(std::size_t layer, Tensor& x) const {
  const Index tokens = x.shape()[1];
  if (narrow_ == static_cast<Index>(layer)) x = Tensor::copy_of(x.view().slice(1, tokens - 1, tokens));
}

void DecoderStep::attend_memory(std::size_t layer, ConstView q, const KeyValueCache& kept,
                                const AttentionOptions& options, Tensor& out) const {
  const AttentionPlace where = place(AttentionKind::cross, layer);
  const Index sequences = q.shape()[0], width = q.shape()[1] * q.shape()[3];
  if (sequences == 1) return fovea::attend(q, kept, options, where, out);
  // One token each of several sequences, which read the same text: queries of one sequence.
  fovea::attend(q.transpose(0, 2), kept, options, where, out);
  out = std::move(out).reshaped({sequences, 1, width});
}

Ids counted_positions(const Shape& shape, Index first) {
  Ids positions = Ids::filled(shape, 0);
  for (Index i = 0; i < shape.elements(); ++i) positions.data()[i] = first + i % shape[1];
  return positions;
}

Tensor last_token(const Tensor& x) { return Tensor::copy_of(x.view().select(1, x.shape()[1] - 1)); }

}  // namespace fovea
