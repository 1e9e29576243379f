// Lessons, live numbers and questions as JSON.
#include "fovea/lessons.h"

namespace fovea {
namespace {

void write_control(JsonWriter& json, const LiveControl& control) {
  json.begin_object();
  json.key("name").string(control.name);
  json.key("title").string(control.title);
  json.key("value").number(control.value);
  json.key("lowest").number(control.lowest);
  json.key("highest").number(control.highest);
  json.key("step").number(control.step);
  json.end_object();
}

void write_live_matrix(JsonWriter& json, const LiveMatrix& matrix) {
  json.begin_object();
  json.key("name").string(matrix.name);
  json.key("title").string(matrix.title);
  json.key("rows").strings(matrix.row_labels);
  json.key("columns").strings(matrix.column_labels);
  json.key("editable").boolean(matrix.editable);
  json.key("weights").boolean(matrix.weights);
  json.key("values").matrix(matrix.matrix);
  json.end_object();
}

void write_step(JsonWriter& json, const LessonStep& step) {
  json.begin_object();
  json.key("title").string(step.title);
  json.key("paragraphs").begin_array();
  for (const LessonParagraph& paragraph : step.paragraphs) {
    json.begin_object();
    json.key(paragraph.formula ? "formula" : "text").string(paragraph.text);
    json.end_object();
  }
  json.end_array();
  if (step.live) {
    json.key("live");
    write_json(json, *step.live);
  }
  if (step.question) {
    json.key("question");
    write_json(json, *step.question);
  }
  if (step.view) {
    json.key("view").begin_object();
    json.key("view").string(step.view->view);
    json.key("model").string(step.view->model);
    json.key("text").string(step.view->text);
    json.end_object();
  }
  if (!step.exercise.empty()) json.key("exercise").string(step.exercise);
  json.end_object();
}

}  // namespace

void write_json(JsonWriter& json, const Live& live) {
  json.begin_object();
  json.key("id").string(live.id);
  json.key("title").string(live.title);
  if (!live.missing.empty()) json.key("missing").string(live.missing);
  json.key("controls").begin_array();
  for (const LiveControl& control : live.controls) write_control(json, control);
  json.end_array();
  json.key("matrices").begin_array();
  for (const LiveMatrix& matrix : live.matrices) write_live_matrix(json, matrix);
  json.end_array();
  json.key("numbers").begin_object();
  for (const auto& [name, value] : live.numbers) json.key(name).number(value);
  json.end_object();
  json.end_object();
}

std::string to_json(const Live& live) {
  JsonWriter json;
  write_json(json, live);
  return json.take();
}

void write_json(JsonWriter& json, const Question& question) {
  json.begin_object();
  json.key("id").string(question.id);
  json.key("text").string(question.text);
  if (question.is_choice()) {
    json.key("options").begin_array();
    for (const Option& option : question.options) {
      json.begin_object();
      json.key("text").string(option.text);
      json.key("right").boolean(option.right);
      json.key("reason").string(option.reason);
      json.end_object();
    }
    json.end_array();
  } else {
    json.key("answer").string(question.answer);
  }
  json.end_object();
}

void write_json(JsonWriter& json, const ChecklistItem& item) {
  json.begin_object();
  json.key("id").string(item.id);
  json.key("text").string(item.text);
  json.key("exercises").strings(item.exercises);
  json.key("questions").strings(item.questions);
  json.end_object();
}

void write_json(JsonWriter& json, const ReadingTip& tip) {
  json.begin_object();
  json.key("id").string(tip.id);
  json.key("title").string(tip.title);
  json.key("url").string(tip.url);
  json.key("sentence").string(tip.sentence);
  json.end_object();
}

void write_json(JsonWriter& json, const Lesson& lesson) {
  json.begin_object();
  json.key("id").string(lesson.id);
  json.key("title").string(lesson.title);
  json.key("steps").begin_array();
  for (const LessonStep& step : lesson.steps) write_step(json, step);
  json.end_array();
  json.end_object();
}

std::string to_json(const Lesson& lesson) {
  JsonWriter json;
  write_json(json, lesson);
  return json.take();
}

}  // namespace fovea
