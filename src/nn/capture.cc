#include "fovea/capture.h"

#include <array>
#include <memory>
#include <utility>

#include "core/fail.h"

namespace fovea {

void Capture::check_new(AttentionKind kind, Index layer) const {
  for (const CapturedAttention& known : calls_) {
    if (known.kind == kind && known.layer == layer) {
      fail("[capture] {} layer {} was already captured: a Capture holds one run", to_string(kind), layer);
    }
  }
}

void Capture::keep(CapturedAttention call) {
  check_new(call.kind, call.layer);
  const Shape &q = call.q.shape(), &k = call.k.shape(), &v = call.v.shape();
  const bool ranks = q.rank() == 4 && k.rank() == 4 && v.rank() == 4;
  const bool fits = ranks && q[0] == k[0] && q[0] == v[0] && k[1] == v[1] && k[1] > 0 && q[1] % k[1] == 0 &&
                    q[3] == k[3] && k[2] == v[2];
  if (!fits) {
    fail(
        "[capture] {} layer {}: got q {}, k {}, v {}, expected [B, H, N, D], [B, Hkv, M, D], [B, Hkv, M, Dv]",
        to_string(call.kind), call.layer, q.to_string(), k.to_string(), v.to_string());
  }
  calls_.push_back(std::move(call));
}

void Capture::attention(const AttentionCall& call) {
  check_new(call.kind, call.layer);
  if (call.memory != nullptr) {
    calls_.push_back(
        {call.kind, call.layer, call.q, call.k, call.v, call.options, call.memory, call.precision});
    return;
  }
  const auto copies = std::make_shared<const std::array<Tensor, 3>>(
      std::array{Tensor::copy_of(call.q), Tensor::copy_of(call.k), Tensor::copy_of(call.v)});
  calls_.push_back({call.kind, call.layer, (*copies)[0], (*copies)[1], (*copies)[2], call.options, copies,
                    call.precision});
}

const std::vector<TokenSequence>& Capture::query_sequences(AttentionKind kind) const {
  return kind == AttentionKind::encoder || decoder_sequences.empty() ? sequences : decoder_sequences;
}

const std::vector<TokenSequence>& Capture::key_sequences(AttentionKind kind) const {
  return kind == AttentionKind::decoder && !decoder_sequences.empty() ? decoder_sequences : sequences;
}

}  // namespace fovea
