// Answers as people give them, and what the check makes of them.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/error.h"
#include "fovea/exercises.h"
#include "fovea/npy.h"
#include "lessons/lesson_testing.h"
#include "support/temporary_directory.h"

namespace fovea {
namespace {

Diagnosis checked(const char* id, const char* text) { return check_answer(id, parse_answer(id, text)); }
using Ids_ = std::vector<std::string>;

// The true numbers of the worked exercises.
TEST(Check, the_true_numbers_are_right) {
  EXPECT_TRUE(checked("weights-by-hand", "0.2312239 0.62853172 0.14024438").correct());
  EXPECT_TRUE(checked("weights-by-hand", "15.58409528").correct());
  EXPECT_TRUE(checked("weights-by-hand", "15.570").correct());  // with a hand's rounding
  EXPECT_TRUE(checked("second-by-hand", "3.34880775, 3.30238451").correct());
  EXPECT_TRUE(checked("second-by-hand", "0.66976155 0.33023845 3.34880775 3.30238451").correct());
  EXPECT_TRUE(checked("three-words", "0.3653192 0.3285554 0.30612539 0.78122622 0.68591824").correct());
  EXPECT_TRUE(checked("deep-ml-self", "[[1.6604769, 2.6604769], [2.3395231, 3.3395231]]").correct());
  EXPECT_TRUE(checked("deep-ml-multi-head", "[[0.7311, 0.5], [0.5, 0.7311]]").correct());
  EXPECT_TRUE(
      checked("self-attention",
              R"({"output": [[-0.85815938, -1.3735256, 0.08172599], [0.3150046, 1.49837575, 0.81211613],
                         [-0.7327598, -0.50535041, -0.83629886]], "weights": [[0.81995736, 0.02616278, 0.15387986],
                         [0.02856435, 0.0325557, 0.93887995], [0.14520511, 0.74423134, 0.11056355]]})")
          .correct());
}

TEST(Check, a_tutorials_wrong_numbers_are_not) {
  EXPECT_FALSE(checked("three-words", "0.370 0.320 0.310").correct());
  EXPECT_FALSE(checked("deep-ml-multi-head", "[[1, 0], [0, 1]]").correct());
}

TEST(Check, names_the_mistake_and_the_first_number) {
  const Diagnosis diagnosis = checked("second-by-hand", "3.655 2.689");
  EXPECT_EQ(diagnosis.mistakes(), Ids_{"no_scaling"});
  ASSERT_TRUE(diagnosis.first);
  EXPECT_EQ(diagnosis.first->part, "output");
  EXPECT_EQ(diagnosis.first->cell, (std::vector<Index>{0, 0}));
  EXPECT_NEAR(diagnosis.first->expected, 3.34880775, 1e-8);
  EXPECT_EQ(diagnosis.first->got, 3.655);
  EXPECT_NE(diagnosis.sentences.back().en.find("should be 3.348808, yours is 3.655, 0.306192 off"),
            std::string::npos);
}

TEST(Check, mistakes_that_look_alike_are_all_named) {
  // K = I: the weights forgotten and keys mixed give the same two numbers.
  const Diagnosis diagnosis = checked("second-by-hand", "{\"output\": [[0.66976155, 0.33023845]]}");
  EXPECT_EQ(diagnosis.mistakes(), (Ids_{"values_forgotten", "values_are_keys"}));
  EXPECT_EQ(diagnosis.explanations.size(), 2u);
}

TEST(Check, other_numbers_are_unknown_with_a_cell) {
  const Diagnosis diagnosis = checked("second-by-hand", "3.349 3.123");
  EXPECT_EQ(diagnosis.verdict, Verdict::unknown);
  EXPECT_EQ(diagnosis.first->cell, (std::vector<Index>{0, 1}));
  EXPECT_NE(diagnosis.sentences.front().en.find("not one of the mistakes I know"), std::string::npos);
}

TEST(Check, shape_decimals_and_nan_have_their_own_sentences) {
  const Diagnosis shape = checked("attention", "[[1.25, 2.125, 3.125]]");
  EXPECT_EQ(shape.verdict, Verdict::wrong_shape);
  EXPECT_NE(shape.sentences.front().en.find("shape [1, 3], expected [4, 4]"), std::string::npos);
  EXPECT_EQ(checked("weights-by-hand", "0.23 0.63 0.14").verdict, Verdict::imprecise);
  EXPECT_EQ(checked("weights-by-hand", "[[NaN, 0.629, 0.140]]").verdict, Verdict::not_a_number);
  EXPECT_EQ(checked("attention", R"({"weights": [[1.5]]})").verdict, Verdict::missing);
  const std::vector<Problem> problems = exercise_problems("attention");
  Solution right = solve(problems[1]);  // [3, 3] turned, [3, 5] told
  Answer turned;
  turned.output = right.output;
  turned.weights = {{5, 3}, std::vector<double>(15)};
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 5; ++j) {
      turned.weights.values[static_cast<std::size_t>(j * 3 + i)] =
          right.weights.values[static_cast<std::size_t>(i * 5 + j)];
    }
  }
  const Diagnosis exchanged = check_problems(exercise("attention"), {problems[1]}, {turned});
  EXPECT_EQ(exchanged.verdict, Verdict::wrong_shape);
  EXPECT_NE(exchanged.sentences.front().en.find("rows and columns are exchanged"), std::string::npos);
}

// A global maximum shows where rows underflow, and nowhere else.
TEST(Check, nan_of_a_known_mistake_names_it) {
  const std::vector<Problem> problems = exercise_problems("softmax");
  const Solution wrong = solve_wrongly(problems[1], {"global_maximum"}).front();
  EXPECT_TRUE(std::isnan(wrong.output.values[3]));
  Answer first, second;
  first.output = solve(problems[0]).output;
  second.output = wrong.output;
  EXPECT_EQ(check_answers("softmax", {first, second}).mistakes(), Ids_{"global_maximum"});
  EXPECT_EQ(check_answers("softmax", {first, std::nullopt}).verdict, Verdict::correct);
}

// Right on the first input, a known mistake on the second: nothing explains both, so that one is explained.
TEST(Check, the_first_wrong_input_is_explained_by_itself) {
  const std::vector<Problem> problems = exercise_problems("attention");
  Answer first, second;
  first.output = solve(problems[0]).output;
  second.output = solve_wrongly(problems[1], {"no_scaling"}).front().output;
  const Diagnosis diagnosis = check_answers("attention", {first, second});
  EXPECT_EQ(diagnosis.mistakes(), Ids_{"no_scaling"});
  ASSERT_TRUE(diagnosis.first);
  EXPECT_EQ(diagnosis.first->input, 1U);
}

TEST(Check, what_is_no_answer_is_an_error) {
  for (const char* text :
       {"", "  ", "abc", "[[1, 2], [3]]", "[1, [2]]", "{\"outputs\": [1]}", "[[[[[[1]]]]]]", "[",
        "{\"output\": \"yes\"}", "1,2,x", "[[1, null]]", "{\"output\": []}", "0x10 1"}) {
    EXPECT_THROW(parse_answer("attention", text), Error) << text;
  }
  EXPECT_THROW(parse_answer("no-such-exercise", "1"), Error);
  EXPECT_THROW(parse_answer("previous-token-head", "first"), Error);
  EXPECT_THROW(parse_answer("previous-token-head", "L0"), Error);
  EXPECT_THROW(check_answers("attention", {}), Error);
  EXPECT_THROW(check_answers("attention", {std::nullopt}), Error);
  EXPECT_THROW(mistake("no_such_mistake"), Error);
  EXPECT_THROW(solve(Problem{}), Error);
}

TEST(Check, answers_come_from_files) {
  const TemporaryDirectory folder;
  const Solution right = solve(exercise_problems("self-attention").front());
  Tensor output(right.output.shape);
  for (std::size_t i = 0; i < right.output.values.size(); ++i) {
    output.data()[i] = static_cast<float>(right.output.values[i]);
  }
  save_npy(folder.file("answer.npy"), output);
  EXPECT_TRUE(
      check_answer("self-attention", load_answer("self-attention", folder.file("answer.npy"))).correct());
  for (std::size_t i = 0; i < right.output.values.size(); ++i) {
    output.data()[i] = static_cast<float>(std::nearbyint(right.output.values[i] * 1000) / 1000);
  }
  save_npy(folder.file("rounded.npy"), output);
  EXPECT_TRUE(
      check_answer("self-attention", load_answer("self-attention", folder.file("rounded.npy"))).correct());
  EXPECT_THROW(load_answer("self-attention", folder.file("none.json")), Error);
}

TEST(Check, heads_of_our_own_model) {
  const CheckOptions options = {own_lesson_model};
  const auto head = [&](const char* id, const char* text) {
    return check_answer(id, parse_answer(id, text), options);
  };
  EXPECT_TRUE(head("previous-token-head", "L0H3").correct());
  EXPECT_TRUE(head("previous-token-head", "layer 0, head 3").correct());
  EXPECT_NE(head("previous-token-head", "1 4").sentences.back().en.find("counted from 1"),
            std::string::npos);
  EXPECT_NE(head("previous-token-head", "3 0").sentences.back().en.find("exchanged"), std::string::npos);
  EXPECT_FALSE(head("previous-token-head", "L1H0").correct());
  EXPECT_FALSE(head("previous-token-head", "L0H3 L1H0").correct());
  EXPECT_TRUE(head("break-the-head", "L0H3").correct());
  for (const char* other : {"L1H0", "L1H3", "L0H0", "L7H0"}) {
    EXPECT_FALSE(head("break-the-head", other).correct()) << other;
  }
  for (const char* head_of_pronoun : {"L0H0", "L0H1", "L1H3"}) {
    EXPECT_EQ(head("pronoun", head_of_pronoun).correct(), std::string_view(head_of_pronoun) == "L0H1")
        << head_of_pronoun;
  }
  EXPECT_NE(head("pronoun", "L1H2").sentences.back().en.find("counted from 1"), std::string::npos);
  EXPECT_NE(head("pronoun", "L1H0").sentences.back().en.find("exchanged"), std::string::npos);
  EXPECT_THROW(check_answer("previous-token-head", parse_answer("previous-token-head", "L0H3")), Error);
  EXPECT_THROW(check_answer("pronoun", parse_answer("pronoun", "L0H1")), Error);
}

}  // namespace
}  // namespace fovea
