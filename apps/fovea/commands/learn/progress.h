// What a learner has done, kept in the user's data folder.
#pragma once

#include <set>
#include <string>

namespace fovea::command {

struct LearnProgress {
  std::set<std::string> lessons, exercises, questions;  // ids
};

// $XDG_DATA_HOME/fovea/learn.json, else ~/.local/share/fovea/learn.json. Throws Error without a home.
std::string progress_file();

// Nothing where there is no file yet. Throws Error for one that cannot be read, saying how to begin anew.
LearnProgress load_progress();

// What was done before stays: what is new is added.
void add_progress(const LearnProgress& done);

void reset_progress();

}  // namespace fovea::command
