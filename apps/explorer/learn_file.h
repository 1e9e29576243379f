// The lessons inside of a single file, which has nobody to ask: what could be asked is computed ahead.
#pragma once

#include <map>
#include <string>

#include "fovea/live.h"

namespace fovea::explorer {

// learn.en, learn.zh: as GET /api/learn; learn.lessons.en, .zh: a list of lessons;
// learn.positions.en, .zh: by id, what is live at some positions of its controls;
// learn.answers: of each exercise the right answer and those of the mistakes, for the page to compare with.
void add_lessons(std::map<std::string, std::string>& texts, const ModelFinder& models);

}  // namespace fovea::explorer
