// A lesson as its file has it, before its numbers are computed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/lessons.h"
#include "lessons/text_file.h"

namespace fovea {

struct ParagraphText {
  std::string text;
  bool formula = false;
  // Shown only with, or only without, one of our own models.
  std::string with = {}, without = {};
};

struct StepText {
  std::string title;
  std::vector<ParagraphText> paragraphs;
  std::string live, question, exercise;  // ids; at most one of these and the view is there
  std::optional<LessonView> view;
};

struct LessonText {
  std::string id;
  std::string title;
  std::vector<StepText> steps;
};

// Directives of a step: @live ID, @question ID, @exercise ID, @view VIEW MODEL TEXT (one of them at most);
// @with MODEL and @without MODEL, for the paragraph that follows.
LessonText parse_lesson(const TextFile& file, std::string_view id);
LessonText lesson_text(std::string_view id, Language language);

const std::vector<std::string>& lesson_ids();  // in the order of teaching

}  // namespace fovea
