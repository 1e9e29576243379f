// What pictures are drawn from: the chosen heads of a run.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "fovea/matrix.h"
#include "fovea/measures.h"
#include "inputs/head_selection.h"
#include "inputs/run_input.h"

namespace fovea::command {

// The chosen heads as matrices; for long inputs, as the means of at most 512 × 512 cells.
struct PictureInput {
  std::vector<HeadChoice> heads;
  Tensor values;                                      // [K, R, C], one per chosen head
  std::vector<Mask> masks;                            // what each of them may see
  Index queries = 0, keys = 0;                        // N and M; R and C are smaller for long inputs
  std::vector<std::string> query_labels, key_labels;  // N and M names, or none
  Index layers = 1, layer_heads = 1;                  // of the whole run
  std::string model;                                  // its name; empty for files

  bool is_thumbnail() const { return values.shape()[1] != queries || values.shape()[2] != keys; }
  ConstView value(std::size_t i) const { return values.view().select(0, static_cast<Index>(i)); }
};

// What each key receives from the mean of the chosen heads.
struct ReceivedAttention {
  std::vector<double> values;           // M
  std::vector<std::string> key_labels;  // M names, or none
  Index queries = 0;
  bool passed_on = false;  // norms passed on, instead of weights
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

  // `words` are a file that holds weights, or what the model reads (RunInput::load). `measures`: some need
  // more than weights.
  OpenRun open(const std::vector<std::string>& words, Language language, bool measures = false) const {
    return input_.load(words, language, passed_on() || measures);
  }

  // From queries and keys, long inputs are reduced to `most` rows and columns; kWhole: they are not, and
  // Error says that they are too long.
  PictureInput picture(const OpenRun& open, DefaultHeads otherwise, Index most,
                       const std::stop_token& stop) const;
  ReceivedAttention received(const OpenRun& open, const std::stop_token& stop) const;
  // Throws Error if the measure applies to none of a head's rows (punctuation without tokens).
  MeasureTable measure(const OpenRun& open, Measure measure, const std::stop_token& stop) const;

  bool passed_on() const { return show_ == "passed-on"; }  // instead of weights
  bool heads_chosen() const { return selection_.chosen(); }
  bool computed() const { return input_.computed(); }
  bool takes_texts() const { return input_.takes_texts(); }
  Mask mask() const { return input_.mask(); }
  const TokenInput& tokens() const { return input_.tokens(); }

 private:
  std::vector<HeadChoice> chosen(const OpenRun& open, DefaultHeads otherwise) const;

  std::string show_ = "weights";
  HeadSelection selection_;
  RunInput input_;
};

}  // namespace fovea::command
