#include "learn.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "fovea/exercises.h"
#include "fovea/lessons.h"
#include "fovea/questions.h"
#include "limits.h"
#include "request_body.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr std::string_view kControl = "control.", kMatrix = "matrix.";

std::string required_parameter(const Parameters& parameters, const std::string& name) {
  const std::optional<std::string> text = text_parameter(parameters, name);
  if (!text) throw RequestError(400, fmt::format("expected the parameter {}", name));
  return *text;
}

double number_of(std::string_view text, const std::string& name) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw RequestError(400, fmt::format("{}: expected a number", name));
  }
  return value;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "1,0;0,1"
Matrix matrix_of(std::string_view text, const std::string& name) {
  const std::vector<std::string_view> rows = parts_of(text, ';');
  std::vector<double> values;
  std::size_t columns = 0;
  for (const std::string_view row : rows) {
    const std::vector<std::string_view> numbers = parts_of(row, ',');
    if (columns != 0 && numbers.size() != columns) {
      throw RequestError(400, fmt::format("{}: expected rows of the same length, such as 1,0;0,1", name));
    }
    columns = numbers.size();
    for (const std::string_view number : numbers) values.push_back(number_of(number, name));
  }
  return {static_cast<Index>(rows.size()), static_cast<Index>(columns), values};
}

LiveInput live_input(const Parameters& parameters) {
  LiveInput input;
  for (const auto& [name, text] : parameters) {
    if (name.starts_with(kControl)) input.controls[name.substr(kControl.size())] = number_of(text, name);
    if (name.starts_with(kMatrix)) input.matrices[name.substr(kMatrix.size())] = matrix_of(text, name);
  }
  return input;
}

void write_inputs(JsonWriter& json, const Problem& problem) {
  json.begin_object();
  const auto matrix = [&](const char* name, const Matrix& value) {
    if (!value.empty()) json.key(name).matrix(value);
  };
  matrix("scores", problem.scores);
  matrix("q", problem.q);
  matrix("k", problem.k);
  matrix("v", problem.v);
  matrix("x", problem.x);
  matrix("memory", problem.memory);
  matrix("w_q", problem.w_q);
  matrix("w_k", problem.w_k);
  matrix("w_v", problem.w_v);
  matrix("w_o", problem.w_o);
  json.end_object();
}

// The shape of what is typed: [N, M] of the weights, [N, Dv] of the output.
void write_shapes(JsonWriter& json, const Exercise& exercise, const Problem& problem) {
  const Solution right = solve(problem);
  json.begin_object();
  if (exercise.answer != "output") json.key("weights").shape(right.weights.shape);
  if (exercise.answer != "weights") json.key("output").shape(right.output.shape);
  json.end_object();
}

void write_problem(JsonWriter& json, const Exercise& exercise) {
  const std::vector<Problem> problems = exercise_problems(exercise.id);
  if (problems.empty()) return;
  const Problem& first = problems.front();  // typed answers are to the first
  json.key("inputs");
  write_inputs(json, first);
  json.key("heads").integer(first.heads);
  json.key("causal").boolean(first.causal);
  json.key("real").begin_array();
  for (const bool real : first.real) json.boolean(real);
  json.end_array();
  json.key("shapes");
  write_shapes(json, exercise, first);
}

void write_exercise(JsonWriter& json, const Exercise& exercise, Language language) {
  json.begin_object();
  json.key("id").string(exercise.id);
  json.key("kind").string(to_string(exercise.kind));
  json.key("title").string(exercise.title.in(language));
  json.key("task").string(exercise.task.in(language));
  json.key("hints").begin_array();
  for (const Text& hint : exercise.hints) json.string(hint.in(language));
  json.end_array();
  json.key("answer").string(exercise.answer);
  json.key("decimals").integer(exercise.decimals);
  write_problem(json, exercise);
  json.end_object();
}

template <typename Items>
void write_all(JsonWriter& json, const char* name, const Items& items) {
  json.key(name).begin_array();
  for (const auto& item : items) write_json(json, item);
  json.end_array();
}

void write_marks(JsonWriter& json, const char* name, const std::vector<bool>& marks) {
  json.key(name).begin_array();
  for (const bool mark : marks) json.boolean(mark);
  json.end_array();
}

}  // namespace

Language language_parameter(const Parameters& parameters) {
  const std::string code = text_parameter(parameters, "language").value_or("en");
  if (code == "en") return Language::english;
  if (code == "zh") return Language::chinese;
  throw RequestError(400, "language: expected en or zh");
}

std::string learn_json(Language language) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("lessons").begin_array();
  for (const LessonTitle& lesson : lessons(language)) {
    json.begin_object();
    json.key("id").string(lesson.id);
    json.key("title").string(lesson.title);
    json.end_object();
  }
  json.end_array();
  json.key("exercises").begin_array();
  for (const Exercise& each : exercises()) write_exercise(json, each, language);
  json.end_array();
  write_all(json, "questions", questions(language));
  write_all(json, "checklist", checklist(language));
  write_all(json, "reading", reading_list(language));
  json.end_object();
  return json.take();
}

std::string lesson_json(const Parameters& parameters, const ModelFinder& models) {
  const std::string id = required_parameter(parameters, "lesson");
  const Language language = language_parameter(parameters);
  JsonWriter json(JsonStyle::compact);
  write_json(json, lesson(id, language, {models, {}}));
  return json.take();
}

std::string live_json(const Parameters& parameters, const ModelFinder& models) {
  const std::string id = required_parameter(parameters, "live");
  const Language language = language_parameter(parameters);
  const LiveInput input = live_input(parameters);
  JsonWriter json(JsonStyle::compact);
  write_json(json, live(id, language, input, models));
  return json.take();
}

AnswerRequest parse_answer_request(const std::string& body) {
  const auto texts = parse_texts(body, {"exercise", "answer"}, "{\"exercise\": .., \"answer\": ..}");
  AnswerRequest request = {required_text(texts, "exercise"), required_text(texts, "answer")};
  if (request.answer.size() > kMostAnswerBytes) {
    throw RequestError(413, fmt::format("the answer has {} bytes, at most {} are allowed",
                                        request.answer.size(), kMostAnswerBytes));
  }
  return request;
}

std::string diagnosis_json(const AnswerRequest& request, const ModelFinder& models) {
  const auto& [id, text] = request;
  const Answer answer = parse_answer(id, text);
  const Diagnosis diagnosis = check_answer(id, answer, {models});
  const AnswerMarks marks = mark_answer(id, answer);
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  write_fields(json, id, diagnosis);
  json.key("marks").begin_object();
  write_marks(json, "weights", marks.weights);
  write_marks(json, "output", marks.output);
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace fovea::explorer
