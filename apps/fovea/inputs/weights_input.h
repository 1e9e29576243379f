// Weights from a file, with their tokens: the options and the warnings, the same in every command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/attention_weights.h"
#include "options.h"

namespace fovea::command {

// --tokens, --tokens-file and --memory, --memory-file: names of the queries and of the keys.
class TokenInput {
 public:
  void declare(OptionList& options);
  std::vector<std::string> queries() const;  // none if not given; throws UsageError if given twice
  std::vector<std::string> keys() const;
  const std::optional<std::string>& memory_text() const { return memory_; }

 private:
  std::optional<std::string> tokens_, tokens_file_, memory_, memory_file_;
};

class WeightsInput {
 public:
  void declare(OptionList& options);  // those of the tokens, --key and --axes

  // Reads and checks: NaN, infinite and negative weights are Errors, rows that do not sum to 1 a warning
  // on standard error, and so is a rank that can be read in two ways.
  AttentionWeights load(const std::string& path) const;
  const TokenInput& tokens() const { return tokens_; }

 private:
  TokenInput tokens_;
  std::optional<std::string> key_, axes_;
};

}  // namespace fovea::command
