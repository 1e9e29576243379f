// A run of a model, kept: queries, keys and values of every attention call, from which its weights can be
// computed at any time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/attention_statistics.h"
#include "fovea/probe.h"

namespace fovea {

// One sequence of tokens. All lists have one entry per token; those that are not known are empty.
struct FOVEA_API TokenSequence {
  std::vector<std::string> tokens;
  std::vector<Index> ids;
  std::vector<Index> begins, ends;  // bytes of the original text; special tokens: 0, 0
  std::vector<Index> segments;      // 0, or 1 for the second text of a pair
  bool operator==(const TokenSequence&) const = default;
};

struct FOVEA_API CapturedAttention {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  ConstView q, k, v;  // [B, H, N, D], [B, Hkv, M, D], [B, Hkv, M, D]
  AttentionOptions options;
  std::shared_ptr<const void> memory;  // what the views show; copies share it
};

// One head of a call; the views are the capture's.
struct FOVEA_API CapturedHead {
  ConstView q, k, v;  // [N, D], [M, D], [M, Dv]
  AttentionOptions options;
};

// O(n) memory: N×M matrices are made when they are asked for, of one layer at a time. Pass it as the probe
// of one run. Layers and heads are counted from 0.
class FOVEA_API Capture final : public Probe {
 public:
  std::string model;                             // its name, for people
  std::vector<TokenSequence> sequences;          // one per batch entry
  std::vector<TokenSequence> decoder_sequences;  // of an encoder-decoder model, else empty

  // Keeps q, k, v: the call's own memory where it may be kept, else a copy. Throws Error if this layer is
  // there already: a Capture holds one run.
  void attention(const AttentionCall& call) override;

  const std::vector<CapturedAttention>& calls() const { return calls_; }  // in the order of the run
  std::vector<AttentionKind> kinds() const;                               // that there are
  Index layers(AttentionKind kind) const;
  // Throws Error, naming what there is, if this kind and layer are not there.
  const CapturedAttention& at(AttentionKind kind, Index layer) const;

  // The tokens of the queries (rows) and of the keys (columns) of this kind of attention.
  const std::vector<TokenSequence>& query_sequences(AttentionKind kind) const;
  const std::vector<TokenSequence>& key_sequences(AttentionKind kind) const;

  // One batch entry and head, for attention() and its kin. Throws Error if there is no such head.
  CapturedHead head(AttentionKind kind, Index layer, Index head, Index batch = 0) const;

  // The weights: of all heads [B, H, N, M]; of one batch entry and head [N, M], and a rectangle of it.
  Tensor weights(AttentionKind kind, Index layer) const;
  Tensor weights(AttentionKind kind, Index layer, Index head, Index batch = 0) const;
  Tensor crop(AttentionKind kind, Index layer, Index head, const Crop& crop, Index batch = 0) const;
  // Entropy, attention received, thumbnails and the rest, of all heads of a layer.
  AttentionStatistics statistics(AttentionKind kind, Index layer, StatisticsOptions options = {}) const;

  // One safetensors file. Throws Error for masks that have no text (see Mask::expression) and dense biases;
  // loading for whatever is wrong with the file.
  void save(const std::string& path) const;
  static Capture load(const std::string& path);

 private:
  std::vector<CapturedAttention> calls_;
};

}  // namespace fovea
