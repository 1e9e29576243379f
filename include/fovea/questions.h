// Questions with reasons, the checklist that ticks itself, the reading list.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/json_writer.h"
#include "fovea/language.h"
#include "fovea/render.h"

namespace fovea {

struct FOVEA_API Option {
  std::string text;
  bool right = false;
  std::string reason;  // why it is right, or why it is wrong
};

// Multiple choice with exactly one right option; or a short answer (no options) with a model answer.
struct FOVEA_API Question {
  std::string id;
  std::string text;
  std::vector<Option> options = {};
  std::string answer = {};  // of a short one: to compare one's own with

  bool is_choice() const { return !options.empty(); }
};

FOVEA_API std::vector<Question> questions(Language language);
FOVEA_API Question question(std::string_view id, Language language);  // throws Error naming those there are

// What somebody can do who has learned this. An item is ticked by its exercises and questions.
struct FOVEA_API ChecklistItem {
  std::string id;
  std::string text;
  std::vector<std::string> exercises = {}, questions = {};  // ids; all of them are needed

  bool is_ticked(const std::set<std::string>& exercises_done,
                 const std::set<std::string>& questions_done) const;
};
// Of the exercises that there are (exercises.h).
FOVEA_API std::vector<ChecklistItem> checklist(Language language);

struct FOVEA_API ReadingTip {
  std::string id;
  std::string title, url;
  std::string sentence;  // what it is good for
};
FOVEA_API std::vector<ReadingTip> reading_list(Language language);

struct FOVEA_API QuestionRendering {
  bool answers = false;  // with the reasons, or the model answer
};
FOVEA_API std::string to_terminal(const Question&, const RenderOptions& = {},
                                  const QuestionRendering& = {});
FOVEA_API std::string to_terminal(const std::vector<ReadingTip>&, const RenderOptions& = {});
FOVEA_API void write_json(JsonWriter& json, const Question&);
FOVEA_API void write_json(JsonWriter& json, const ChecklistItem&);
FOVEA_API void write_json(JsonWriter& json, const ReadingTip&);

}  // namespace fovea
