// What a model did, kept: queries, keys and values of every attention call. run.h looks at it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/probe.h"
#include "fovea/text_reading.h"

namespace fovea {

// One sequence of tokens. All lists but the last two have one entry per token; those that are not known are
// empty.
struct FOVEA_API TokenSequence {
  std::vector<std::string> tokens;
  std::vector<Index> ids;
  std::vector<Index> begins, ends;         // bytes of the original text; special tokens: 0, 0
  std::vector<Index> segments;             // 0, or 1 for the second text of a pair
  std::vector<UnknownToken> unknown = {};  // in the order of the tokens
  std::vector<TextReading> texts = {};     // of the texts that it is made of
  bool operator==(const TokenSequence&) const = default;
};

struct FOVEA_API CapturedAttention {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  ConstView q, k, v;  // [B, H, N, D], [B, Hkv, M, D], [B, Hkv, M, D]
  AttentionOptions options;
  std::shared_ptr<const void> memory;  // what the views show; copies share it
  // In which the model computed the call. What is computed from a capture, weights above all, is computed
  // in float32, from q and k before they are rounded: with bfloat16 the model's own weights were others, by
  // the error that attention.h names.
  Precision precision = Precision::float32;
};

// O(n) memory. Pass it as the probe of one run, then make a Run of it. Layers are counted from 0.
class FOVEA_API Capture final : public Probe {
 public:
  std::string model;                             // its name, for people
  std::vector<TokenSequence> sequences;          // one per batch entry
  std::vector<TokenSequence> decoder_sequences;  // of an encoder-decoder model, else empty

  // Keeps q, k, v: the call's own memory where it may be kept, else a copy. Throws Error if this layer is
  // there already: a Capture holds one run.
  void attention(const AttentionCall& call) override;

  // A call of another program, whose memory `call.memory` holds: nothing is copied. Throws Error for shapes
  // that do not fit each other, and as attention() does.
  void keep(CapturedAttention call);

  const std::vector<CapturedAttention>& calls() const { return calls_; }  // in the order of the run

  // The tokens of the queries (rows) and of the keys (columns) of this kind of attention.
  const std::vector<TokenSequence>& query_sequences(AttentionKind kind) const;
  const std::vector<TokenSequence>& key_sequences(AttentionKind kind) const;

 private:
  void check_new(AttentionKind kind, Index layer) const;

  std::vector<CapturedAttention> calls_;
};

}  // namespace fovea
