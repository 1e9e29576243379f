// The lessons: short texts in steps of one screen, whose numbers are computed while they are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/json_writer.h"
#include "fovea/language.h"
#include "fovea/live.h"
#include "fovea/questions.h"
#include "fovea/render.h"

namespace fovea {

struct FOVEA_API LessonTitle {
  std::string id;  // "masks"
  std::string title;
};
// In the order of teaching.
FOVEA_API std::vector<LessonTitle> lessons(Language language);

// A view of the explorer: `fovea serve --model MODEL TEXT`, then that view.
struct FOVEA_API LessonView {
  std::string view;  // "text", "matrix", "lines", "steps", "masks", ..
  std::string model;
  std::string text;
};

struct FOVEA_API LessonParagraph {
  std::string text;      // one line, to be wrapped
  bool formula = false;  // to be shown as it is, indented
};

// One screen: a few paragraphs, and at most one thing to look at or to move.
struct FOVEA_API LessonStep {
  std::string title;
  std::vector<LessonParagraph> paragraphs;
  std::optional<Live> live;
  std::optional<Question> question;
  std::optional<LessonView> view;
  std::string exercise;  // its id, or ""
};

struct FOVEA_API Lesson {
  std::string id;
  std::string title;
  std::vector<LessonStep> steps;
};

struct FOVEA_API LessonOptions {
  ModelFinder models = {};  // without it none of our own models is there, and the texts say so
  // Applied to everything live in the lesson that has a control or a matrix of that name; the texts still
  // speak of the defaults.
  LiveInput input = {};
};

// Computes every number of it. Throws Error naming the lessons there are; for an input that nothing in the
// lesson takes.
FOVEA_API Lesson lesson(std::string_view id, Language language, const LessonOptions& options = {});

// All steps one below the other; or one of them, counted from 0.
FOVEA_API std::string render_lesson(const Lesson& lesson, const RenderOptions& = {});
FOVEA_API std::string render_step(const Lesson& lesson, std::size_t step, const RenderOptions& = {});

FOVEA_API void write_json(JsonWriter& json, const Lesson&);
FOVEA_API std::string to_json(const Lesson&);

}  // namespace fovea
