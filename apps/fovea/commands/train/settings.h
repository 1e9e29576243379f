// What a training is made of: from the command line, and back from the folder of one that was interrupted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/shape.h"

namespace fovea::command {

// As given; what was not is empty.
struct TrainArguments {
  std::vector<std::string> words;  // TASK, FILE, or text FILE
  std::string family, tokenizer;
  std::optional<Index> steps, batch, width, layers, heads, length, vocabulary, warmup, seed, evaluate_every,
      film_every;
  std::optional<double> rate, weight_decay, dropout;
  bool half = false;
  std::vector<std::string> film;
};

// All of it decides the bits of the result.
struct TrainSettings {
  std::string task;       // sort, induction, addition, coreference, text
  std::string file;       // text: its path
  std::string file_hash;  // and what was in it
  std::string family, tokenizer;
  Index steps = 0, batch = 0, width = 0, layers = 0, heads = 0, length = 0, vocabulary = 0, warmup = 0,
        seed = 0, evaluate_every = 0, film_every = 0;
  double rate = 0, weight_decay = 0, dropout = 0;
  bool half = false;
  std::vector<std::string> film;
};

// Throws UsageError for what does not fit the task.
TrainSettings settings_of(const TrainArguments& given);

// The settings of the folder's training. Throws Error if there is none, UsageError if something was given
// that differs from them.
TrainSettings settings_to_resume(const std::string& folder, const TrainArguments& given);

std::string settings_json(const TrainSettings& settings);

}  // namespace fovea::command
