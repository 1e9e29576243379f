// What a training wrote down about itself: a line of JSON per step and per evaluation.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/train.h"

namespace fovea {

struct FOVEA_API TrainingHistory {
  std::vector<TrainingStep> steps;
  std::vector<TrainingEvaluation> evaluations;
};

// {"step":1,"loss":2.31,"rate":0.001,"norm":1.2,"tokens":960,"targets":512,"correct":60}
// {"step":200,"evaluation":{"loss":0.13,"accuracy":0.97,"best":true}}
// Numbers keep all their bits, and there are no times in it: two trainings of the same bits have the same
// log. A line is written at once, so that a program that is killed loses nothing.
class FOVEA_API TrainingLog {
 public:
  // Goes on with the file, or begins it. Lines of steps after this one are cut off: they will come again.
  // Throws Error if the file cannot be written, or is no such log.
  TrainingLog(const std::string& path, Index step);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  // Throw Error if the line cannot be written, because the disk is full for instance.
  void add(const TrainingStep& step);
  void add(const TrainingEvaluation& evaluation);
  void synchronize();  // to the disk, before a checkpoint relies on it

  // An unfinished last line does not count. Throws Error that names the line.
  static TrainingHistory load(const std::string& path);

 private:
  void write_line(std::string line);

  std::string path_;
  int file_ = -1;
};

}  // namespace fovea
