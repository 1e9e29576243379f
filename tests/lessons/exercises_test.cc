// The check names every mistake that an exercise lists, and never one that was not made.
#include "fovea/exercises.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>

#include "lessons/check_matching.h"
#include "lessons/exercise_testing.h"
#include "lessons/mistake_slips.h"

namespace fovea {
namespace {

std::vector<Exercise> with_inputs() {
  std::vector<Exercise> some;
  for (const Exercise& each : exercises()) {
    if (each.kind != ExerciseKind::model) some.push_back(each);
  }
  return some;
}

// What somebody who makes this mistake in its f-th form answers to all problems: nothing where the program
// would stop.
std::vector<std::optional<Answer>> answers_with(const Exercise& exercise, const std::string& id,
                                                std::size_t form, const AsWritten& written) {
  std::vector<std::optional<Answer>> answers;
  for (const Problem& problem : exercise_problems(exercise.id)) {
    const std::vector<Solution> variants = solve_wrongly(problem, {id});
    answers.emplace_back();
    if (!variants.empty()) {
      answers.back() = answer_of_exercise(exercise, variants[std::min(form, variants.size() - 1)], written);
    }
    // Without weights only two runs tell of dropout in several heads.
    if (answers.back() && id == "dropout_at_inference" && problem.heads > 1) {
      answers.back()->weights = variants.front().weights;
    }
  }
  return answers;
}

std::size_t forms_of(const Exercise& exercise, const std::string& id) {
  std::size_t forms = 0;
  for (const Problem& problem : exercise_problems(exercise.id)) {
    forms = std::max(forms, solve_wrongly(problem, {id}).size());
  }
  return forms;
}

// For each exercise and each mistake that it lists, in every form: the table of the verdicts.
TEST(Exercises, the_check_names_every_listed_mistake) {
  std::size_t checks = 0;
  for (const Exercise& exercise : with_inputs()) {
    ASSERT_FALSE(exercise.mistakes.empty()) << exercise.id;
    std::cout << exercise.id << '\n';
    for (const std::string& id : exercise.mistakes) {
      const std::size_t forms = forms_of(exercise, id);
      ASSERT_GT(forms, 0u) << exercise.id << " " << id;
      std::cout << "  " << id;
      for (std::size_t form = 0; form < forms; ++form) {
        for (const AsWritten& written : ways_to_write(exercise)) {
          const Diagnosis diagnosis = check_answers(exercise.id, answers_with(exercise, id, form, written));
          const std::vector<std::string> named = diagnosis.mistakes();
          EXPECT_EQ(diagnosis.verdict, Verdict::mistaken)
              << exercise.id << " " << id << " " << written.name;
          if (written.rounded) {  // three decimals may leave several in question
            EXPECT_NE(std::find(named.begin(), named.end(), id), named.end())
                << exercise.id << " " << id << " form " << form;
          } else {
            EXPECT_EQ(named, std::vector<std::string>{id})
                << exercise.id << " form " << form << written.name;
          }
          std::cout << (named == std::vector<std::string>{id} ? " ✓" : " (✓)");
          ++checks;
        }
      }
      std::cout << '\n';
    }
  }
  std::cout << checks << " checks\n";
}

bool apart(const Exercise& exercise, const Problem& problem, const Solution& a, const Solution& b) {
  const Answer answer = answer_of_exercise(exercise, a, ways_to_write(exercise).front());
  const Allowed allowed = allowed_for(exercise, problem, solve(problem), answer, true);
  return !matches(answer, b, {2 * allowed.weights, 2 * allowed.output, allowed.relative});
}

// Whatever the form: on one of the inputs, the two are apart by more than twice the tolerance, or only one
// of them runs at all.
bool told_apart(const Exercise& exercise, const std::string& a, const std::string& b) {
  for (const Problem& problem : exercise_problems(exercise.id)) {
    const std::vector<Solution> as = a.empty() ? std::vector{solve(problem)} : solve_wrongly(problem, {a}),
                                bs = b.empty() ? std::vector{solve(problem)} : solve_wrongly(problem, {b});
    if (as.empty() != bs.empty()) return true;
    bool all = !as.empty();
    for (const Solution& x : as) {
      for (const Solution& y : bs) all = all && apart(exercise, problem, x, y);
    }
    if (all) return true;
  }
  return false;
}

TEST(Exercises, listed_mistakes_differ_from_the_right_answer_and_from_each_other) {
  std::size_t pairs = 0;
  for (const Exercise& exercise : with_inputs()) {
    for (std::size_t i = 0; i < exercise.mistakes.size(); ++i) {
      const std::string& a = exercise.mistakes[i];
      // Forms of one mistake may hide on an input (float32 underflows where float64 does not): each by
      // itself.
      EXPECT_TRUE(told_apart(exercise, a, "")) << exercise.id << ": " << a << " gives the right answer";
      for (std::size_t j = 0; j < i; ++j, ++pairs) {
        EXPECT_TRUE(told_apart(exercise, a, exercise.mistakes[j]))
            << exercise.id << ": " << a << " and " << exercise.mistakes[j] << " look alike";
      }
    }
  }
  std::cout << pairs << " pairs\n";
}

// Two mistakes at once are found, and one that hides behind another is not made up.
TEST(Exercises, pairs_of_mistakes_are_named) {
  std::size_t named = 0, simpler = 0;
  for (const char* id : {"attention", "padding-and-causal", "multi-head", "deep-ml-multi-head", "cross"}) {
    const Exercise& asked = exercise(id);
    const Problem problem = exercise_problems(id).front();
    for (const std::string& a : asked.mistakes) {
      for (const std::string& b : asked.mistakes) {
        if (a >= b || a == "dropout_at_inference" || b == "dropout_at_inference") continue;
        const std::vector<Solution> variants = solve_wrongly(problem, {a, b});
        if (variants.empty()) continue;
        Answer answer;
        answer.output = variants.front().output;
        const Diagnosis diagnosis = check_answer(id, answer);
        if (diagnosis.correct()) continue;  // both hide on this input
        ASSERT_EQ(diagnosis.verdict, Verdict::mistaken) << id << " " << a << " " << b;
        if (diagnosis.explanations.front().size() == 1) {
          ++simpler;  // one of them, or a third, explains the numbers alone
          continue;
        }
        const auto is_pair = [&](const std::vector<std::string>& ids) {
          return std::find(ids.begin(), ids.end(), a) != ids.end() &&
                 std::find(ids.begin(), ids.end(), b) != ids.end();
        };
        EXPECT_TRUE(std::any_of(diagnosis.explanations.begin(), diagnosis.explanations.end(), is_pair))
            << id << " " << a << " " << b;
        ++named;
      }
    }
  }
  std::cout << named << " pairs named, " << simpler << " explained by one mistake\n";
  EXPECT_GT(named, 300u);
}

// Twenty inputs per exercise, each in float64, in float32 (by our own kernels, which know nothing of this
// check) and with three decimals.
TEST(Exercises, right_answers_never_raise_an_alarm) {
  std::size_t checks = 0;
  for (const Exercise& exercise : with_inputs()) {
    std::vector<Problem> problems = exercise_problems(exercise.id);
    for (std::uint32_t seed = 100; seed < 120; ++seed)
      problems.push_back(random_problem(exercise.id, seed));
    for (const Problem& problem : problems) {
      for (const AsWritten& written : ways_to_write(exercise)) {
        for (const Solution& right : {reference_solution(problem), engine_solution(problem)}) {
          const Answer answer = answer_of_exercise(exercise, right, written);
          const Diagnosis diagnosis = check_problems(exercise, {problem}, {answer});
          EXPECT_TRUE(diagnosis.correct())
              << exercise.id << " " << written.name << ": " << diagnosis.sentences.front().en
              << diagnosis.sentences.back().en;
          ++checks;
        }
      }
    }
  }
  std::cout << checks << " right answers\n";
}

TEST(Exercises, every_text_is_there_in_both_languages) {
  for (const Exercise& each : exercises()) {
    ASSERT_EQ(each.hints.size(), 3u) << each.id;
    std::vector<Text> texts = each.hints;
    for (const Text& text : {each.title, each.task, each.reason, each.next}) texts.push_back(text);
    for (const Text& text : texts) {
      EXPECT_FALSE(text.en.empty() || text.zh.empty()) << each.id;
      EXPECT_TRUE(is_chinese(text.zh) || text.zh == text.en) << text.zh;  // code is the same in both
    }
  }
  ASSERT_EQ(mistakes().size(), kSlips);
  for (const Mistake& each : mistakes()) {
    EXPECT_TRUE(is_chinese(each.title.zh) && is_chinese(each.reason.zh)) << each.id;
    EXPECT_FALSE(each.title.en.empty() || each.reason.en.empty()) << each.id;
  }
}

}  // namespace
}  // namespace fovea
