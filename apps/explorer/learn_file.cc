#include "learn_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "fovea/exercises.h"
#include "fovea/json_writer.h"
#include "fovea/lessons.h"
#include "learn.h"

namespace fovea::explorer {
namespace {

constexpr int kPositions = 5;  // of a control with many
constexpr std::pair<Language, const char*> kLanguages[] = {{Language::english, "en"},
                                                           {Language::chinese, "zh"}};

// Every value of a control with few of them; else some, evenly spread, by factors where the range is wide.
std::vector<double> positions_of(const LiveControl& control) {
  std::set<double> values = {control.value};
  const double count = std::round((control.highest - control.lowest) / control.step);
  const bool wide = control.lowest > 0 && control.highest / control.lowest > 50;
  const int steps = static_cast<int>(std::min(count, kPositions - 1.0));
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const double value = wide ? control.lowest * std::pow(control.highest / control.lowest, share)
                              : control.lowest + (control.highest - control.lowest) * share;
    // 0.1 + 3 · 0.1 is not 0.4: six digits are
    const double on_step =
        control.lowest + std::round((value - control.lowest) / control.step) * control.step;
    values.insert(std::stod(fmt::format("{:.6g}", on_step)));
  }
  return {values.begin(), values.end()};
}

// All positions of all controls together.
std::vector<LiveInput> inputs_of(const Live& live) {
  std::vector<LiveInput> inputs = {{}};
  for (const LiveControl& control : live.controls) {
    std::vector<LiveInput> more;
    for (const LiveInput& input : inputs) {
      for (const double value : positions_of(control)) {
        more.push_back(input);
        more.back().controls[control.name] = value;
      }
    }
    inputs = std::move(more);
  }
  return inputs;
}

void add_language(std::map<std::string, std::string>& texts, Language language, const std::string& code,
                  const ModelFinder& models) {
  JsonWriter all(JsonStyle::compact), positions(JsonStyle::compact);
  all.begin_array();
  positions.begin_object();
  for (const LessonTitle& title : lessons(language)) {
    const Lesson each = lesson(title.id, language, {models, {}});
    write_json(all, each);
    for (const LessonStep& step : each.steps) {
      if (!step.live || step.live->controls.empty() || step.live->timed || !step.live->missing.empty())
        continue;
      positions.key(step.live->id).begin_array();
      for (const LiveInput& input : inputs_of(*step.live)) {
        write_json(positions, live(step.live->id, language, input, models));
      }
      positions.end_array();
    }
  }
  all.end_array();
  positions.end_object();
  texts["learn." + code] = learn_json(language);
  texts["learn.lessons." + code] = all.take();
  texts["learn.positions." + code] = positions.take();
}

// As many numbers as the page has cells for, and all of them can be typed.
bool can_be_typed(const NumberArray& numbers, const NumberArray& right) {
  return numbers.values.size() == right.values.size() &&
         std::all_of(numbers.values.begin(), numbers.values.end(),
                     [](double value) { return std::isfinite(value); });
}

// As much of it as is typed.
Answer typed_part(const Exercise& exercise, const Solution& solution) {
  Answer answer;
  if (exercise.answer != "output") answer.weights = solution.weights;
  if (exercise.answer != "weights") answer.output = solution.output;
  return answer;
}

void write_answer(JsonWriter& json, const Answer& answer) {
  const auto write = [&](const char* name, const NumberArray& numbers) {
    if (numbers.empty()) return;
    json.key(name).begin_array();
    for (const double value : numbers.values) json.number(std::stod(fmt::format("{:.12g}", value)));
    json.end_array();
  };
  write("weights", answer.weights);
  write("output", answer.output);
}

// Mistakes one by one; for a few numbers by hand, two at a time as well.
std::vector<std::vector<std::string>> mistakes_to_make(const Exercise& exercise) {
  std::vector<std::vector<std::string>> sets;
  for (const Mistake& one : mistakes()) sets.push_back({one.id});
  if (exercise.kind != ExerciseKind::by_hand) return sets;
  for (std::size_t a = 0; a < mistakes().size(); ++a) {
    for (std::size_t b = a + 1; b < mistakes().size(); ++b) {
      sets.push_back({mistakes()[a].id, mistakes()[b].id});
    }
  }
  return sets;
}

// What somebody would type who makes a mistake, and what the check itself says of it: the simplest
// explanations first.
void write_variants(JsonWriter& json, const Exercise& exercise, const Problem& problem) {
  std::set<std::pair<std::vector<double>, std::vector<double>>> known;
  const Answer right = typed_part(exercise, solve(problem));
  json.begin_array();
  for (const std::vector<std::string>& set : mistakes_to_make(exercise)) {
    for (const Solution& wrong : solve_wrongly(problem, set)) {
      const Answer answer = typed_part(exercise, wrong);
      if (!can_be_typed(answer.weights, right.weights) || !can_be_typed(answer.output, right.output))
        continue;
      if (!known.insert({answer.weights.values, answer.output.values}).second) continue;
      const Diagnosis diagnosis = check_answer(exercise.id, answer);
      if (diagnosis.verdict != Verdict::mistaken) continue;
      json.begin_object();
      json.key("explanations").begin_array();
      for (const std::vector<std::string>& explanation : diagnosis.explanations) json.strings(explanation);
      json.end_array();
      write_answer(json, answer);
      json.end_object();
    }
  }
  json.end_array();
}

// All heads of our own models, by layer; in a row of its own one that does not exist.
void write_heads(JsonWriter& json, const Exercise& exercise, const ModelFinder& models) {
  constexpr Index kLayers = 2, kHeads = 4;
  json.begin_array();
  for (Index layer = 0; layer <= kLayers; ++layer) {
    json.begin_array();
    for (Index head = 0; head < (layer < kLayers ? kHeads : 1); ++head) {
      Answer answer;
      answer.heads = {{layer, head}};
      json.begin_object();
      write_fields(json, exercise.id, check_answer(exercise.id, answer, {models}));
      json.key("marks").begin_object();
      json.end_object();
      json.end_object();
    }
    json.end_array();
  }
  json.end_array();
}

void write_exercise_answers(JsonWriter& json, const Exercise& exercise, const ModelFinder& models) {
  json.begin_object();
  json.key("reason").begin_array();
  json.text(exercise.reason);
  json.text(exercise.next);
  json.end_array();
  if (exercise.kind == ExerciseKind::model) {
    json.key("heads");
    write_heads(json, exercise, models);
  } else {
    const Problem problem = exercise_problems(exercise.id).front();
    json.key("right").begin_object();
    write_answer(json, typed_part(exercise, solve(problem)));
    json.end_object();
    json.key("variants");
    write_variants(json, exercise, problem);
  }
  json.end_object();
}

// Whether its model is installed.
bool can_be_checked(const Exercise& exercise, const ModelFinder& models) {
  if (exercise.kind != ExerciseKind::model) return true;
  return models && !models(exercise.id == "pronoun" ? "coreference" : "induction").empty();
}

std::string answers_json(const ModelFinder& models) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("mistakes").begin_object();
  for (const Mistake& one : mistakes()) {
    json.key(one.id).begin_object();
    json.key("title").text(one.title);
    json.key("reason").text(one.reason);
    json.end_object();
  }
  json.end_object();
  json.key("exercises").begin_object();
  for (const Exercise& each : exercises()) {
    if (!can_be_checked(each, models)) continue;
    json.key(each.id);
    write_exercise_answers(json, each, models);
  }
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace

void add_lessons(std::map<std::string, std::string>& texts, const ModelFinder& models) {
  for (const auto& [language, code] : kLanguages) add_language(texts, language, code, models);
  texts["learn.answers"] = answers_json(models);
}

}  // namespace fovea::explorer
