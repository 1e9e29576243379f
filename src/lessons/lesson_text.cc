#include "lessons/lesson_text.h"

#include <algorithm>

#include "core/fail.h"

namespace fovea {
namespace {

// "matrix induction old tree red": the view, the model, and the text up to the end.
LessonView parse_view(const TextFile& file, const TextEntry& entry) {
  const std::string& text = entry.text;
  const std::size_t first = text.find(' ');
  const std::size_t second = first == std::string::npos ? first : text.find(' ', first + 1);
  if (second == std::string::npos) {
    file.fail_at(entry.line, "got \"@view {}\", expected \"@view VIEW MODEL TEXT\"", text);
  }
  return {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
}

class StepReader {
 public:
  StepReader(const TextFile& file, const TextSection& section) : file_(file), section_(section) {
    step_.title = section.heading;
  }

  StepText read() {
    for (const TextEntry& entry : section_.entries) {
      if (entry.kind == TextEntry::Kind::mark) {
        file_.fail_at(entry.line, "got \"{} {}\": options belong to questions", entry.name, entry.text);
      }
      if (entry.kind == TextEntry::Kind::directive) {
        directive(entry);
      } else {
        step_.paragraphs.push_back({entry.text, entry.kind == TextEntry::Kind::formula, with_, without_});
        with_ = without_ = "";
      }
    }
    if (!with_.empty() || !without_.empty()) {
      file_.fail_at(section_.entries.back().line, "expected a paragraph after @with or @without");
    }
    if (step_.paragraphs.empty()) file_.fail_at(section_.line, "the step {} has no text", step_.title);
    return std::move(step_);
  }

 private:
  void directive(const TextEntry& entry) {
    if (entry.text.empty()) file_.fail_at(entry.line, "expected something after @{}", entry.name);
    if (entry.name == "with" || entry.name == "without") {
      if (!with_.empty() || !without_.empty()) file_.fail_at(entry.line, "two conditions in a row");
      (entry.name == "with" ? with_ : without_) = entry.text;
      return;
    }
    if (has_thing_) file_.fail_at(entry.line, "a second thing in one step: @{} {}", entry.name, entry.text);
    has_thing_ = true;
    if (entry.name == "live") {
      step_.live = entry.text;
    } else if (entry.name == "question") {
      step_.question = entry.text;
    } else if (entry.name == "exercise") {
      step_.exercise = entry.text;
    } else if (entry.name == "view") {
      step_.view = parse_view(file_, entry);
    } else {
      file_.fail_at(entry.line, "got @{}, expected @live, @question, @exercise, @view, @with or @without",
                    entry.name);
    }
  }

  const TextFile& file_;
  const TextSection& section_;
  StepText step_;
  std::string with_, without_;
  bool has_thing_ = false;
};

}  // namespace

LessonText parse_lesson(const TextFile& file, std::string_view id) {
  LessonText lesson{std::string(id), file.title, {}};
  for (const TextSection& section : file.sections) lesson.steps.push_back(StepReader(file, section).read());
  return lesson;
}

const std::vector<std::string>& lesson_ids() {
  static const std::vector<std::string> kIds = {
      "picture",   "by-hand",   "why-scale", "shares",  "masks",  "several-heads", "self-and-cross",
      "positions", "recurrent", "families",  "learned", "linear", "not-told",      "uses"};
  return kIds;
}

LessonText lesson_text(std::string_view id, Language language) {
  const std::vector<std::string>& ids = lesson_ids();
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
    fail("[lessons] no lesson named {}; there are: {}", id, listed(ids, 30));
  }
  return parse_lesson(lesson_file(language, id), id);
}

}  // namespace fovea
