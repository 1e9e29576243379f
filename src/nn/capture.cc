#include "fovea/capture.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/fail.h"

namespace fovea {

void Capture::attention(const AttentionCall& call) {
  for (const CapturedAttention& known : calls_) {
    if (known.kind == call.kind && known.layer == call.layer) {
      fail("[capture] {} layer {} was captured already: a Capture holds one run", to_string(call.kind),
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

std::vector<AttentionKind> Capture::kinds() const {
  std::vector<AttentionKind> found;
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (layers(kind) > 0) found.push_back(kind);
  }
  return found;
}

Index Capture::layers(AttentionKind kind) const {
  return std::count_if(calls_.begin(), calls_.end(), [&](const auto& call) { return call.kind == kind; });
}

const CapturedAttention& Capture::at(AttentionKind kind, Index layer) const {
  for (const CapturedAttention& call : calls_) {
    if (call.kind == kind && call.layer == layer) return call;
  }
  std::string there;
  for (const AttentionKind each : kinds()) {
    there += fmt::format("{}{} {} layer{}", there.empty() ? "" : ", ", layers(each), to_string(each),
                         layers(each) == 1 ? "" : "s");
  }
  fail("[capture] {} layer {} was asked for, there {}", to_string(kind), layer,
       there.empty() ? "is nothing" : "are " + there + ", counted from 0");
}

const std::vector<TokenSequence>& Capture::query_sequences(AttentionKind kind) const {
  return kind == AttentionKind::encoder || decoder_sequences.empty() ? sequences : decoder_sequences;
}

const std::vector<TokenSequence>& Capture::key_sequences(AttentionKind kind) const {
  return kind == AttentionKind::decoder && !decoder_sequences.empty() ? decoder_sequences : sequences;
}

Tensor Capture::weights(AttentionKind kind, Index layer) const {
  const CapturedAttention& call = at(kind, layer);
  return attention_crop(call.q, call.k, call.options, {0, call.q.shape()[2], 0, call.k.shape()[2]});
}

Tensor Capture::weights(AttentionKind kind, Index layer, Index head, Index batch) const {
  const CapturedAttention& call = at(kind, layer);
  return crop(kind, layer, head, {0, call.q.shape()[2], 0, call.k.shape()[2]}, batch);
}

CapturedHead Capture::head(AttentionKind kind, Index layer, Index head, Index batch) const {
  const CapturedAttention& call = at(kind, layer);
  const Shape& q = call.q.shape();
  if (batch < 0 || batch >= q[0] || head < 0 || head >= q[1]) {
    fail("[capture] batch entry {} and head {} were asked for, there are {} and {}", batch, head, q[0],
         q[1]);
  }
  AttentionOptions options = call.options;
  options.mask = options.mask.select(batch, head);
  options.bias = options.bias.select(batch, head);
  const Index key_head = head / (q[1] / call.k.shape()[1]);
  return {call.q.select(0, batch).select(0, head), call.k.select(0, batch).select(0, key_head),
          call.v.select(0, batch).select(0, key_head), std::move(options)};
}

Tensor Capture::crop(AttentionKind kind, Index layer, Index head, const Crop& crop, Index batch) const {
  const CapturedHead one = this->head(kind, layer, head, batch);
  return attention_crop(one.q, one.k, one.options, crop);
}

AttentionStatistics Capture::statistics(AttentionKind kind, Index layer, StatisticsOptions options) const {
  const CapturedAttention& call = at(kind, layer);
  return attention_statistics(call.q, call.k, call.options, options);
}

}  // namespace fovea
