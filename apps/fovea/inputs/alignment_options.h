// How words are aligned: what a model's config says, and what the command line says instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/json_writer.h"
#include "fovea/word_alignment.h"
#include "options.h"

namespace fovea::command {

class AlignmentArguments {
 public:
  void declare(OptionList& options);
  // Throws UsageError for what is no list of heads or no share.
  AlignmentOptions options(const std::string& model_folder) const;

 private:
  std::optional<Index> layer_;
  std::optional<std::string> heads_;
  std::optional<double> threshold_;
  std::string reading_;
};

// "source", "target", "weights" and "links" of an object.
void write_alignment(JsonWriter& json, const WordAlignment& alignment);

// "3, 17, 20", the first ten of them.
std::string numbers_of_lines(const std::vector<Index>& lines);

}  // namespace fovea::command
