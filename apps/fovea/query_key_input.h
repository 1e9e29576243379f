// --q and --k: weights that are not there as a matrix, but follow from queries and keys.
#pragma once

#include <optional>
#include <string>

#include "fovea/attention.h"
#include "options.h"
#include "score_arguments.h"

namespace fovea::command {

// Queries and keys of a run. What is computed from them needs O(N + M) memory.
struct QueryKeys {
  Tensor q;                  // [L, B, H, N, D]
  Tensor k;                  // [L, B, Hkv, M, D]
  AttentionOptions options;  // for all heads of one layer

  Index layers() const { return q.shape()[0]; }
  Index batch() const { return q.shape()[1]; }
  Index heads() const { return q.shape()[2]; }
  Index queries() const { return q.shape()[3]; }
  Index keys() const { return k.shape()[3]; }
};

// One head of them, as attention_statistics() and its kin take it: q [B', 1, N, D], k [B', 1, M, D].
// B' is 1, or B where the mask tells batch entries apart; `entry` is the one that was asked for.
struct HeadInput {
  ConstView q, k;
  AttentionOptions options;
  Index entry = 0;
};

class QueryKeyInput {
 public:
  void declare(OptionList& options);
  bool given() const { return q_ || k_; }
  void check() const;  // throws UsageError: --k without --q, --scale without either
  Mask mask() const { return scores_.mask(); }
  QueryKeys load() const;
  HeadInput head(const QueryKeys& input, Index layer, Index entry, Index head) const;

 private:
  std::optional<std::string> q_, k_;
  ScoreArguments scores_;
};

}  // namespace fovea::command
