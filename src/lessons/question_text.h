// Questions, checklist and reading list as their files have them.
#pragma once

#include <vector>

#include "fovea/questions.h"
#include "lessons/text_file.h"

namespace fovea {

// All throw Error with file and line for what is missing, given twice, or does not belong there.
//   ## id, the question, then "+ right", "- wrong", each followed by ": reason"; or "= model answer"
std::vector<Question> parse_questions(const TextFile& file);
//   ## id, one sentence, @exercise ID, @question ID
std::vector<ChecklistItem> parse_checklist(const TextFile& file);
//   ## id, @title, @url, one sentence
std::vector<ReadingTip> parse_reading_list(const TextFile& file);

}  // namespace fovea
