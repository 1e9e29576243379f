// The tasks of fovea train: data, tokenizer, sizes of the model, and how well it did.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/train/settings.h"
#include "fovea/trainable_model.h"
#include "fovea/training_tasks.h"
#include "texts/message.h"

namespace fovea::command {

// What a trained model reached on data it has not seen.
struct TaskResult {
  std::vector<std::pair<std::string, double>> numbers;  // for programs
  Message says;
};

struct PreparedTask {
  TrainableConfig config;
  std::string tokenizer;  // tokenizer.json
  std::shared_ptr<const TrainingData> data, held_out;
  Index held_out_batches = 8;
  float label_smoothing = 0;
  std::vector<Message> notes = {};  // on the file
  // Further files of the folder: name, contents.
  std::vector<std::pair<std::string, std::string>> files = {};
  std::function<TaskResult(TrainableModel&)> examine;
};

// The sizes that every task has in common.
PreparedTask task_with_sizes(const TrainSettings& settings, Index vocabulary, Index max_tokens);

// Pairs of texts: translate_task.cc.
PreparedTask prepare_translate(const TrainSettings& settings, const std::string& tokenizer);

// Reads the file and makes a tokenizer of it, unless `tokenizer` is one already. Throws Error for files and
// sizes that do not fit.
PreparedTask prepare_task(const TrainSettings& settings, const std::string& tokenizer = "");

}  // namespace fovea::command
