// Corpora on the command line: where the texts are, and what is told of those that cannot be read.
#pragma once

#include <optional>
#include <string>

#include "command.h"
#include "fovea/corpus.h"

namespace fovea::command {

class CorpusInput {
 public:
  void declare(OptionList& options);

  // `limit`: where --limit does not say; 0: all.
  CorpusOptions options(Index limit = 0) const;
  Corpus open(const std::string& path, Index limit = 0) const { return Corpus(path, options(limit)); }

 private:
  std::string format_;
  std::optional<std::string> field_;
  std::optional<Index> limit_;
  bool strict_ = false;
};

// What was left out, repaired or empty: on standard error, one line each.
void print_corpus_notes(const CorpusCounts& counts, Language language);

}  // namespace fovea::command
