// What pictures are drawn from: weights of a file, or what follows from queries and keys, a model's too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/matrix.h"
#include "fovea/measures.h"
#include "inputs/head_selection.h"
#include "inputs/query_key_input.h"
#include "inputs/weights_input.h"

namespace fovea::command {

// The chosen heads as matrices; for long inputs, as the means of at most 512 × 512 cells.
struct PictureInput {
  ChosenHeads heads;
  Tensor values;                                      // [K, R, C], one per chosen head
  Index queries = 0, keys = 0;                        // N and M; R and C are smaller for long inputs
  std::vector<std::string> query_tokens, key_tokens;  // N and M names, or none
  Index layers = 1, layer_heads = 1;                  // of the whole run
  Mask mask;
  Index batch_entry = 0;
  std::string model;  // its name; empty for files

  bool is_thumbnail() const { return values.shape()[1] != queries || values.shape()[2] != keys; }
  ConstView value(std::size_t i) const { return values.view().select(0, static_cast<Index>(i)); }
};

// Column sums of the mean of the chosen heads.
struct ReceivedAttention {
  std::vector<double> values;           // M
  std::vector<std::string> key_tokens;  // M names, or none
  Index queries = 0;
  ChosenHeads heads;
};

// One measure of every head, for whole layers or the same heads of each.
struct MeasureTable {
  Measure measure = Measure::entropy;
  Matrix values;  // [layers, heads]
  std::vector<Index> layers, heads;
};

inline constexpr Index kWhole = 0;

class PictureSource {
 public:
  void declare(OptionList& options);
  // `words`: one file, none with --q and --k, one text or two with --model; else throws UsageError.
  void check(std::size_t words) const;

  // `words` are a file that holds weights, or what the model reads. From q and k, long inputs are reduced
  // to `most` rows and columns; kWhole: they are not, and Error says that they are too long.
  PictureInput picture(const std::vector<std::string>& words, DefaultHeads otherwise, Index most) const;
  ReceivedAttention received(const std::vector<std::string>& words) const;
  // Throws Error if the measure applies to none of a head's rows (punctuation without tokens).
  MeasureTable measure(const std::vector<std::string>& words, Measure measure) const;

  bool heads_chosen() const { return selection_.chosen(); }
  bool from_query_key() const { return query_key_.given(); }
  bool takes_texts() const { return query_key_.takes_texts(); }
  Mask mask() const { return query_key_.mask(); }
  const TokenInput& tokens() const { return weights_.tokens(); }

 private:
  PictureInput computed(const QueryKeys& source, DefaultHeads otherwise, Index most) const;
  Tensor computed_head(const QueryKeys& input, const HeadPlace& place, CombineHeads combine,
                       Index most) const;
  void describe(const QueryKeys& source, PictureInput& input) const;  // extents, model and tokens

  WeightsInput weights_;
  HeadSelection selection_;
  QueryKeyInput query_key_;
};

}  // namespace fovea::command
