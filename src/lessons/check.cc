// The check: right, one of the mistakes we know, two of them, or something else.
#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "fovea/exercises.h"
#include "lessons/check_matching.h"
#include "lessons/check_model.h"
#include "lessons/check_sentences.h"
#include "lessons/mistake_variants.h"

namespace fovea {
namespace {

// One problem with what was answered.
struct Case {
  std::size_t input = 0;
  const Problem* problem = nullptr;
  const Answer* answer = nullptr;
  Solution right;
  Allowed strict, usual;
  bool correct = false;

  const Allowed& allowed(bool strictly) const { return strictly ? strict : usual; }
};
using Cases = std::vector<Case>;
using Explanation = std::vector<Slip>;

Cases cases_of(const Exercise& exercise, const std::vector<Problem>& problems,
               const std::vector<std::optional<Answer>>& answers) {
  Cases cases;
  for (std::size_t i = 0; i < std::min(problems.size(), answers.size()); ++i) {
    if (!answers[i]) continue;
    Case each = {i, &problems[i], &*answers[i], solve(problems[i]), {}, {}, false};
    each.strict = allowed_for(exercise, problems[i], each.right, *answers[i], true);
    each.usual = allowed_for(exercise, problems[i], each.right, *answers[i], false);
    each.correct = matches(*each.answer, each.right, each.usual);
    cases.push_back(std::move(each));
  }
  if (cases.empty()) fail("[check] got no answer to {}, expected at least one", exercise.id);
  return cases;
}

bool explains(const Explanation& slips, const Case& each, bool strictly) {
  const std::vector<Solution> variants = variants_of(*each.problem, slips);
  return std::any_of(variants.begin(), variants.end(), [&](const Solution& variant) {
    return matches(*each.answer, variant, each.allowed(strictly));
  });
}

std::vector<Explanation> explaining(const std::vector<Explanation>& candidates, const Cases& cases,
                                    bool strictly) {
  std::vector<Explanation> found;
  for (const Explanation& candidate : candidates) {
    const auto fits = [&](const Case& each) { return explains(candidate, each, strictly); };
    if (std::all_of(cases.begin(), cases.end(), fits)) found.push_back(candidate);
  }
  return found;
}

// Dropout differs from run to run: it is known by what it does, not by its numbers.
bool is_dropout(const Cases& cases) {
  bool seen = false;
  for (const Case& each : cases) {
    if (each.correct) continue;
    const auto dropped = looks_like_dropout(*each.problem, each.right, *each.answer, each.usual);
    if (dropped && !*dropped) return false;
    seen = seen || dropped;
  }
  return seen;
}

std::vector<Explanation> singles(const Problem& problem) {
  std::vector<Explanation> all;
  for (const SlipFacts& facts : slip_facts()) {
    if (facts.slip != Slip::dropout_at_inference && applies(problem, facts.slip)) {
      all.push_back({facts.slip});
    }
  }
  return all;
}

std::vector<Explanation> pairs(const std::vector<Explanation>& alone) {
  std::vector<Explanation> all;
  for (std::size_t a = 0; a < alone.size(); ++a) {
    for (std::size_t b = a + 1; b < alone.size(); ++b) {
      if (facts_of(alone[a][0]).step == facts_of(alone[b][0]).step) continue;
      all.push_back({alone[a][0], alone[b][0]});
    }
  }
  return all;
}

// The simplest explanations: one mistake before two, close ones before rough ones.
std::vector<Explanation> explanations_of(const Cases& cases) {
  const std::vector<Explanation> alone = singles(*cases.front().problem);
  for (const bool strictly : {true, false}) {
    const std::vector<Explanation> found = explaining(alone, cases, strictly);
    if (!found.empty()) return found;
  }
  if (is_dropout(cases)) return {{Slip::dropout_at_inference}};
  const std::vector<Explanation> together = pairs(alone);
  for (const bool strictly : {true, false}) {
    const std::vector<Explanation> found = explaining(together, cases, strictly);
    if (!found.empty()) return found;
  }
  return {};
}

// What is wrong in the form of an answer, before its numbers are looked at.
std::optional<Diagnosis> formal_mistake(const Exercise& exercise, const Case& each) {
  if (exercise.kind == ExerciseKind::code && each.answer->output.empty()) {
    return Diagnosis{Verdict::missing, {}, {}, {sentence_of_missing_output()}};
  }
  for (const bool weights : {true, false}) {
    const NumberArray& got = weights ? each.answer->weights : each.answer->output;
    const NumberArray& expected = weights ? each.right.weights : each.right.output;
    if (got.empty() || expected.empty() || same_shape(got, expected)) continue;
    return Diagnosis{Verdict::wrong_shape, {}, {}, {sentence_of_shape(weights, got, expected)}};
  }
  return std::nullopt;
}

std::optional<Difference> difference_in(const Case& each) {
  for (const bool weights : {true, false}) {
    const NumberArray& got = weights ? each.answer->weights : each.answer->output;
    const NumberArray& expected = weights ? each.right.weights : each.right.output;
    if (!got.empty() && !expected.empty() && !same_shape(got, expected)) return std::nullopt;
  }
  std::optional<Difference> first = first_difference(*each.answer, each.right, each.usual);
  if (first) first->input = each.input;
  return first;
}

Diagnosis wrong(const Exercise& exercise, const Cases& cases, const Case& first_wrong) {
  std::vector<Explanation> found = explanations_of(cases);
  if (found.empty()) found = explanations_of({first_wrong});  // at least that one
  Diagnosis diagnosis;
  diagnosis.first = difference_in(first_wrong);
  for (const Explanation& explanation : found) {
    std::vector<std::string> ids;
    for (const Slip slip : explanation) ids.emplace_back(facts_of(slip).id);
    diagnosis.explanations.push_back(std::move(ids));
  }
  if (!found.empty()) {
    diagnosis.verdict = Verdict::mistaken;
    diagnosis.sentences = sentences_of(diagnosis, cases.size());
    return diagnosis;
  }
  if (std::optional<Diagnosis> formal = formal_mistake(exercise, first_wrong)) return *formal;
  diagnosis.verdict = std::isfinite(diagnosis.first->got) ? Verdict::unknown : Verdict::not_a_number;
  diagnosis.sentences = sentences_of(diagnosis, cases.size());
  return diagnosis;
}

}  // namespace

Diagnosis check_problems(const Exercise& exercise, const std::vector<Problem>& problems,
                         const std::vector<std::optional<Answer>>& answers) {
  const Cases cases = cases_of(exercise, problems, answers);
  for (const Case& each : cases) {
    const bool missing = exercise.kind == ExerciseKind::code && each.answer->output.empty();
    if (!each.correct || missing) return wrong(exercise, cases, each);
  }
  for (const Case& each : cases) {
    if (!too_few_decimals(exercise, *each.answer) || matches(*each.answer, each.right, each.strict))
      continue;
    return {Verdict::imprecise, {}, {}, {sentence_of_decimals(exercise.decimals)}};
  }
  return {Verdict::correct, {}, {}, {exercise.reason, exercise.next}};
}

Diagnosis check_answers(std::string_view id, const std::vector<std::optional<Answer>>& answers,
                        const CheckOptions& options) {
  const Exercise& asked = exercise(id);
  if (asked.kind != ExerciseKind::model) return check_problems(asked, exercise_problems(id), answers);
  if (answers.empty() || !answers.front() || answers.front()->heads.empty()) {
    fail("[check] got no answer to {}, expected the name of a head", id);
  }
  return check_head(asked, answers.front()->heads, options);
}

Diagnosis check_answer(std::string_view id, const Answer& answer, const CheckOptions& options) {
  return check_answers(id, {answer}, options);
}

AnswerMarks mark_answer(std::string_view id, const Answer& answer) {
  const Exercise& asked = exercise(id);
  if (asked.kind == ExerciseKind::model) return {};
  const Problem problem = exercise_problems(id).front();
  const Solution right = solve(problem);
  const Allowed allowed = allowed_for(asked, problem, right, answer, false);
  return {right_numbers(answer.weights, right.weights, allowed.weights, allowed.relative),
          right_numbers(answer.output, right.output, allowed.output, allowed.relative)};
}

bool answers_differ(const Answer& a, const Answer& b) {
  const auto differ = [](const NumberArray& x, const NumberArray& y) {
    if (x.values.size() != y.values.size()) return true;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      if (!near(x.values[i], y.values[i], 1e-4 * std::max(1.0, std::abs(x.values[i])))) return true;
    }
    return false;
  };
  return differ(a.output, b.output) || differ(a.weights, b.weights);
}

std::vector<std::string> Diagnosis::mistakes() const {
  std::vector<std::string> ids;
  for (const std::vector<std::string>& explanation : explanations) {
    for (const std::string& id : explanation) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  return ids;
}

namespace {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::correct:
      return "correct";
    case Verdict::mistaken:
      return "mistaken";
    case Verdict::unknown:
      return "unknown";
    case Verdict::wrong_shape:
      return "wrong_shape";
    case Verdict::not_a_number:
      return "not_a_number";
    case Verdict::imprecise:
      return "imprecise";
    case Verdict::missing:
      return "missing";
  }
  return "";
}

}  // namespace

void write_fields(JsonWriter& json, std::string_view id, const Diagnosis& diagnosis) {
  json.key("exercise").string(id);
  json.key("correct").boolean(diagnosis.correct());
  json.key("verdict").string(name_of(diagnosis.verdict));
  json.key("mistakes").strings(diagnosis.mistakes());
  json.key("explanations").begin_array();
  for (const std::vector<std::string>& explanation : diagnosis.explanations) json.strings(explanation);
  json.end_array();
  if (diagnosis.first) {
    json.key("part").string(diagnosis.first->part);
    json.key("input").integer(static_cast<Index>(diagnosis.first->input));
    json.key("cell").integers(diagnosis.first->cell);
    json.key("expected").number(diagnosis.first->expected);
    json.key("got").number(diagnosis.first->got);
  } else {
    for (const char* key : {"part", "input", "cell", "expected", "got"}) json.key(key).null();
  }
  json.key("sentences").begin_array();
  for (const Text& sentence : diagnosis.sentences) json.text(sentence);
  json.end_array();
}

}  // namespace fovea
