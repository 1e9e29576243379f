// Weights that are not there as a matrix, but follow from queries and keys: --q and --k, --model with a
// text, or --capture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/capture.h"
#include "inputs/score_arguments.h"
#include "options.h"

namespace fovea::command {

// One head, as attention_statistics() and its kin take it.
struct HeadInput {
  ConstView q, k;  // [N, D], [M, D]
  AttentionOptions options;
};

// Queries and keys of a run. What is computed from them needs O(N + M) memory.
struct QueryKeys {
  Tensor q;                                           // [L, B, H, N, D]
  Tensor k;                                           // [L, B, Hkv, M, D]
  AttentionOptions options;                           // of every layer
  std::vector<std::string> query_tokens, key_tokens;  // of a model's text; else none
  std::vector<Index> segments;                        // of the keys of a pair of texts; else none
  std::string model;                                  // its name; empty for files

  Index layers() const { return q.shape()[0]; }
  Index batch() const { return q.shape()[1]; }
  Index heads() const { return q.shape()[2]; }
  Index queries() const { return q.shape()[3]; }
  Index keys() const { return k.shape()[3]; }
  HeadInput head(Index layer, Index entry, Index head) const;
};

class QueryKeyInput {
 public:
  void declare(OptionList& options);
  bool given() const { return q_ || k_ || model_ || capture_; }
  bool takes_texts() const { return model_.has_value(); }  // the words of the command line are texts
  // Throws UsageError: --k without --q, --scale without either, several sources, a model without a text.
  // `words`: how many there are on the command line that are no options.
  void check(std::size_t words) const;
  Mask mask() const { return scores_.mask(); }
  // `texts`: what the model is to read, as arguments.
  QueryKeys load(const std::vector<std::string>& texts) const;

 private:
  QueryKeys from_files() const;
  QueryKeys from_capture(const Capture& capture) const;
  AttentionKind kind_of(const Capture& capture) const;

  std::optional<std::string> q_, k_, model_, capture_;
  std::string kind_;
  ScoreArguments scores_;
};

}  // namespace fovea::command
