// One training from its beginning or its checkpoint to its end.
#pragma once

#include "command.h"
#include "commands/train/folder.h"
#include "commands/train/settings.h"
#include "commands/train/task.h"
#include "fovea/film.h"
#include "fovea/text_model.h"
#include "fovea/train.h"
#include "fovea/training_log.h"

namespace fovea::command {

class TrainSession {
 public:
  // Makes the folder, or reads what is in it. Throws before anything is written if something is wrong with
  // the task or the sizes.
  TrainSession(const TrainSettings& settings, const TrainFolder& folder, bool resume);

  // Trains, examines, saves. A stop request throws Stopped after the checkpoint was written.
  void run(const Context& context, Index checkpoint_every, bool json);

 private:
  Trainer make_trainer() const;
  void write_beginning() const;  // of a new training: everything that it needs to be resumed
  void start_film();
  std::vector<std::string> film_sides(const std::string& text) const;  // one text, or source and target
  void film_step(Index step, double loss);
  void train(const Context& context, Index checkpoint_every, bool quiet);
  void finish(const Context& context, bool json);
  void print_summary(const Context& context, const TrainingEvaluation& last,
                     const TaskResult& result) const;
  void print_json(const Context& context, const TrainingEvaluation& last, const TaskResult& result) const;

  TrainSettings settings_;
  TrainFolder folder_;
  bool resume_;
  PreparedTask task_;
  Trainer trainer_;
  Tokenizer tokenizer_;
  Film film_;
  double last_loss_ = 0, seconds_ = 0, tokens_per_second_ = 0;
  TrainingEnd end_ = TrainingEnd::finished;
};

}  // namespace fovea::command
