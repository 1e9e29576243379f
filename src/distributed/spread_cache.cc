// Decoding with keys and values on many ranks: each attends to its own, and the results are merged.
#include <cstring>
#include <limits>

#include "core/fail.h"
#include "distributed/rank_group.h"
#include "fovea/attention_merge.h"
#include "fovea/distributed.h"

namespace fovea {
namespace {

std::string as_bytes(const AttentionResult& result) {
  const auto bytes = [](const Tensor& x) {
    return std::string(reinterpret_cast<const char*>(x.data()),
                       static_cast<std::size_t>(x.shape().elements()) * sizeof(float));
  };
  return bytes(result.output) + bytes(result.logsumexp);
}

AttentionResult from_bytes(const std::string& bytes, const AttentionResult& like) {
  AttentionResult result;
  result.output = Tensor::uninitialized(like.output.shape());
  result.logsumexp = Tensor::uninitialized(like.logsumexp.shape());
  const auto output = static_cast<std::size_t>(like.output.shape().elements()) * sizeof(float);
  const auto sums = static_cast<std::size_t>(like.logsumexp.shape().elements()) * sizeof(float);
  if (bytes.size() != output + sums) {
    fail("[SpreadCache] the ranks have results of different sizes: were they given the same queries?");
  }
  std::memcpy(result.output.data(), bytes.data(), output);
  std::memcpy(result.logsumexp.data(), bytes.data() + output, sums);
  return result;
}

}  // namespace

SpreadCache::SpreadCache(const Ranks& ranks, const KeyValueCacheConfig& config, Index block)
    : ranks_(ranks), block_(block), cache_(config) {
  if (block < 1) fail("[SpreadCache] blocks of {} tokens, expected ≥ 1", block);
}

void SpreadCache::append(ConstView k, ConstView v) {
  if (k.shape().rank() != 4 || v.shape().rank() != 4 || k.shape()[2] != v.shape()[2]) {
    fail("[SpreadCache] keys {} and values {}, expected [B, Hkv, T, D] and [B, Hkv, T, Dv]",
         k.shape().to_string(), v.shape().to_string());
  }
  const Index tokens = k.shape()[2];
  for (Index at = 0; at < tokens;) {
    const Index position = size_ + at, block = position / block_;
    const Index count = std::min(tokens - at, (block + 1) * block_ - position);
    if (block % ranks_.size() == ranks_.rank()) {
      cache_.append(k.slice(2, at, at + count), v.slice(2, at, at + count));
    }
    at += count;
  }
  size_ += tokens;
}

AttentionResult SpreadCache::attention(ConstView q, const AttentionOptions& options) const {
  if (options.weights) fail("[SpreadCache] weights are not to be had over several ranks");
  if (q.shape().rank() != 4) fail("[SpreadCache] q is {}, expected [B, H, N, D]", q.shape().to_string());
  const Index n = q.shape()[2];
  const auto attend = [&](Index first, Index count, Index position) {
    AttentionOptions of_part = part_options(options, {0, n, n, position, position + count, size_});
    of_part.logsumexp = true;
    return fovea::attention(q, cache_.keys().slice(2, first, first + count),
                            cache_.values().slice(2, first, first + count), of_part);
  };
  AttentionResult own = attend(0, 0, 0);  // of no keys: zeros
  for (Index first = 0; first < cache_.size(); first += block_) {
    const Index position = (first / block_ * ranks_.size() + ranks_.rank()) * block_;
    merge_attention_into(own, attend(first, std::min(block_, cache_.size() - first), position));
  }
  std::vector<AttentionResult> parts;
  for (const std::string& bytes : ranks_.gather(as_bytes(own))) parts.push_back(from_bytes(bytes, own));
  AttentionResult all = merge_attention(parts);
  if (!options.logsumexp) all.logsumexp = {};
  return all;
}

}  // namespace fovea
