#include "fovea/capture.h"

#include <array>
#include <memory>

#include "core/fail.h"

namespace fovea {

void Capture::attention(const AttentionCall& call) {
  for (const CapturedAttention& known : calls_) {
    if (known.kind == call.kind && known.layer == call.layer) {
      fail("[capture] {} layer {} was already captured: a Capture holds one run", to_string(call.kind),
           call.layer);
    }
  }
  if (call.memory != nullptr) {
    calls_.push_back({call.kind, call.layer, call.q, call.k, call.v, call.options, call.memory});
    return;
  }
  const auto copies = std::make_shared<const std::array<Tensor, 3>>(
      std::array{Tensor::copy_of(call.q), Tensor::copy_of(call.k), Tensor::copy_of(call.v)});
  calls_.push_back({call.kind, call.layer, (*copies)[0], (*copies)[1], (*copies)[2], call.options, copies});
}

const std::vector<TokenSequence>& Capture::query_sequences(AttentionKind kind) const {
  return kind == AttentionKind::encoder || decoder_sequences.empty() ? sequences : decoder_sequences;
}

const std::vector<TokenSequence>& Capture::key_sequences(AttentionKind kind) const {
  return kind == AttentionKind::decoder && !decoder_sequences.empty() ? decoder_sequences : sequences;
}

}  // namespace fovea
