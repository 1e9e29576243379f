// The path and the checklist, ticked by what was done.
#include <fmt/core.h>

#include <algorithm>

#include "commands/learn/views.h"
#include "fovea/json_writer.h"
#include "fovea/lessons.h"
#include "fovea/questions.h"
#include "fovea/render.h"

namespace fovea::command {
namespace {

Message kind_name(ExerciseKind kind) {
  switch (kind) {
    case ExerciseKind::by_hand:
      return tr("by hand");
    case ExerciseKind::code:
      return tr("with code");
    case ExerciseKind::model:
      return tr("with a model");
  }
  return {};
}

std::string ticked(bool done, const std::string& id, int width) {
  return fmt::format("{} {}", done ? "✓" : "·", pad_right(id, width));
}

// An exercise that this version does not have keeps nobody from the tick.
std::set<std::string> done_or_not_there(const ChecklistItem& item, const LearnProgress& progress) {
  std::set<std::string> done = progress.exercises;
  const std::vector<std::string> ids = exercise_ids();
  for (const std::string& id : item.exercises) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) done.insert(id);
  }
  return done;
}

std::vector<std::string> missing_for(const ChecklistItem& item, const LearnProgress& progress) {
  const std::set<std::string> exercises = done_or_not_there(item, progress);
  std::vector<std::string> missing;
  for (const std::string& id : item.exercises) {
    if (!exercises.contains(id)) missing.push_back("fovea learn " + id);
  }
  for (const std::string& id : item.questions) {
    if (!progress.questions.contains(id)) missing.push_back("fovea learn question " + id);
  }
  return missing;
}

void write_lessons(JsonWriter& json, const LearnProgress& progress) {
  const std::vector<LessonTitle> english = lessons(Language::english), chinese = lessons(Language::chinese);
  json.key("lessons").begin_array();
  for (std::size_t i = 0; i < english.size(); ++i) {
    json.begin_object();
    json.key("id").string(english[i].id);
    json.key("title").text({english[i].title, chinese[i].title});
    json.key("done").boolean(progress.lessons.contains(english[i].id));
    json.end_object();
  }
  json.end_array();
}

void write_questions(JsonWriter& json, const LearnProgress& progress) {
  json.key("questions").begin_array();
  for (const Question& each : questions(Language::english)) {
    json.begin_object();
    json.key("id").string(each.id);
    json.key("done").boolean(progress.questions.contains(each.id));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void print_path(const Context& context, const LearnProgress& progress) {
  constexpr int kIds = 22, kColumn = kIds + 3;
  context.heading(tr("Lessons"));
  for (const LessonTitle& each : lessons(context.language)) {
    context.entry(ticked(progress.lessons.contains(each.id), each.id, kIds), each.title, kColumn);
  }
  context.line();
  context.heading(tr("Exercises"));
  for (const Exercise& each : exercises()) {
    context.entry(ticked(progress.exercises.contains(each.id), each.id, kIds),
                  fmt::format("{} ({})", context.say(each.title), context.say(kind_name(each.kind))),
                  kColumn);
  }
  context.line();
  context.paragraph(
      tr("fovea learn NAME shows a lesson or a task. fovea learn check EXERCISE ANSWER looks at "
         "numbers, fovea learn test EXERCISE -- COMMAND runs a program. fovea learn questions, "
         "checklist and reading: the rest."));
}

void print_path_json(const Context& context, const LearnProgress& progress) {
  JsonWriter json;
  json.begin_object();
  write_lessons(json, progress);
  json.key("exercises").begin_array();
  for (const Exercise& each : exercises()) {
    json.begin_object();
    json.key("id").string(each.id);
    json.key("kind").string(to_string(each.kind));
    json.key("title").text(each.title);
    json.key("done").boolean(progress.exercises.contains(each.id));
    json.key("mistakes").strings(each.mistakes);
    json.end_object();
  }
  json.end_array();
  write_questions(json, progress);
  json.end_object();
  context.print(json.take());
}

void print_checklist(const Context& context, const LearnProgress& progress) {
  context.heading(tr("What you can do"));
  for (const ChecklistItem& item : checklist(context.language)) {
    const bool done = item.is_ticked(done_or_not_there(item, progress), progress.questions);
    context.entry(done ? "✓" : "·", item.text, 2);
    if (done) continue;
    for (const std::string& step : missing_for(item, progress)) context.line("    " + step);
  }
}

void print_checklist_json(const Context& context, const LearnProgress& progress) {
  JsonWriter json;
  json.begin_array();
  for (const ChecklistItem& item : checklist(context.language)) {
    json.begin_object();
    json.key("id").string(item.id);
    json.key("text").string(item.text);
    json.key("done").boolean(item.is_ticked(done_or_not_there(item, progress), progress.questions));
    json.key("exercises").strings(item.exercises);
    json.key("questions").strings(item.questions);
    json.end_object();
  }
  json.end_array();
  context.print(json.take());
}

void print_questions(const Context& context, const LearnProgress& progress) {
  for (const Question& each : questions(context.language)) {
    context.entry(ticked(progress.questions.contains(each.id), each.id, 22), each.text, 25);
  }
  context.line();
  context.paragraph(tr("fovea learn question NAME shows one, fovea learn question NAME a answers it."));
}

}  // namespace fovea::command
