// A model together with its tokenizer: text in, attention out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/model.h"
#include "fovea/run.h"
#include "fovea/tokenizer.h"

namespace fovea {

// What a model read, and what its heads did.
struct FOVEA_API TextRun {
  Run run;                  // of one sequence, with its tokens
  ModelInput input;         // to run it again
  Index cut = 0;            // tokens beyond the length that the model takes: left out
  ModelOutput output = {};  // if ReadOptions asked for it
};

struct FOVEA_API ReadOptions {
  Intervention intervention = {};
  bool output = false;                // keep hidden states, and of these positions the logits
  std::vector<Index> logits_at = {};  // none: no logits
  // Of an encoder-decoder model that is given one text: write by itself. Else its decoder reads only the
  // token that starts its output.
  bool write = true;
};

// Cheap to copy, as Model; may be used by several threads at the same time.
class FOVEA_API TextModel {
 public:
  // A folder as load_model and Tokenizer::load take it.
  static TextModel load(const std::string& folder);
  // Of a model with another tokenizer; ids that the model does not have are an Error when they are read.
  TextModel(Model model, Tokenizer tokenizer);

  const Model& model() const { return model_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const Tokenizer& target_tokenizer() const { return *target_; }  // of what it writes: Tokenizer::target()

  // The tokens of a text, or of two as a pair; those beyond the length that the model takes, less `room`,
  // are cut off (Encoding::cut). Throws Error if there are none.
  Encoding encode(const std::vector<std::string>& texts, Index room = 0) const;

  // Runs the model on a text, or on a pair of texts. Of an encoder-decoder model the second text is what it
  // is made to write; without one it writes by itself, greedily.
  TextRun read(const std::vector<std::string>& texts, const ReadOptions& options = {}) const;

  // The same tokens once more, under other options.
  TextRun read_again(const TextRun& run, const ReadOptions& options) const;

  // The same of a text that was generated: the prompt and the new tokens, in one run.
  TextRun read_generated(const Encoding& prompt, const std::vector<Index>& ids) const;

 private:
  Encoding encode(const Tokenizer& tokenizer, const std::vector<std::string>& texts, Index room) const;
  Encoding target(const std::string& text) const;
  std::string token(Index id) const;
  TextRun run(const Encoding& encoding, const TokenSequence* decoder, const ReadOptions& options) const;
  TokenSequence written(const std::vector<Index>& ids) const;

  Model model_;
  std::shared_ptr<const Tokenizer> tokenizer_, target_;
};

}  // namespace fovea
