// The numbers of the tutorials' examples, to every printed digit.
#include "explain/matrix_near.h"
#include "fovea/examples.h"

namespace fovea {
namespace {

TEST(TrueNumbers, worked_example) {
  const Account account = example("qkv").account;
  expect_near(account.step("scores").matrix, {{1, 0, 1}}, 0, "scores");
  expect_near(account.step("scaled").matrix, {{0.7071, 0, 0.7071}}, kFourDigits, "scaled");
  expect_near(account.weights(), {{0.40111209, 0.19777581, 0.40111209}}, kEightDigits, "weights");
  expect_near(account.output(), {{16.04448371, 3.95551629}}, kEightDigits, "output");
  ASSERT_EQ(account.notes.size(), 1u);
  EXPECT_NE(account.notes[0].en.find("[0.4011, 0.1978, 0.4011]"), std::string::npos) << account.notes[0].en;
}

TEST(TrueNumbers, exercises) {
  const Account one = example("exercise-1").account;
  expect_near(one.weights(), {{0.2312239, 0.62853172, 0.14024438}}, kEightDigits, "exercise 1, weights");
  expect_near(one.output(), {{15.58409528}}, kEightDigits, "exercise 1, output");
  const Account two = example("exercise-2").account;
  expect_near(two.weights(), {{0.66976155, 0.33023845}}, kEightDigits, "exercise 2, weights");
  expect_near(two.output(), {{3.34880775, 3.30238451}}, kEightDigits, "exercise 2, output");
}

TEST(TrueNumbers, three_chinese_words) {
  const Account account = example("three-words").account;
  EXPECT_EQ(account.tokens, (std::vector<std::string>{"我", "喜欢", "AI"}));
  expect_near(account.step("scaled").matrix.row(0), {0.88388348, 0.77781746, 0.70710678}, kEightDigits,
              "scaled");
  expect_near(account.weights().row(0), {0.3653192, 0.3285554, 0.30612539}, kEightDigits, "weights");
  expect_near(account.output().row(0), {0.78122622, 0.68591824}, kEightDigits, "output");
  EXPECT_EQ(account.notes.size(), 1u);
}

TEST(TrueNumbers, i_love_ai) {
  const Account account = i_love_ai();
  EXPECT_EQ(account.tokens, (std::vector<std::string>{"I", "love", "AI"}));
  EXPECT_EQ(account.scale, 0.5);
  expect_near(account.step("q").matrix.row(0), {0.02723977, 0.40429574, 0.18427085, 1.0573001},
              kEightDigits, "Q");
  expect_near(account.step("scores").matrix.row(1), {-1.67564976, 5.13407167, 0.89138608}, kEightDigits,
              "scores");
  expect_near(account.weights(),
              {{0.22695843, 0.52620171, 0.24683985},
               {0.02880233, 0.86724101, 0.10395666},
               {0.06333749, 0.80579188, 0.13087063}},
              kEightDigits, "weights");
  expect_near(account.output().row(0), {-1.30610589, -3.90128861, -1.9891922, 0.90813353}, kEightDigits,
              "output");
}

TEST(TrueNumbers, self_attention_of_a_random_x) {
  const Account account = example("self-attention").account;
  expect_near(account.step("x").matrix.row(0), {0.49671415, -0.1382643, 0.64768854, 1.52302986},
              kEightDigits, "X");
  expect_near(account.weights(),
              {{0.81995736, 0.02616278, 0.15387986},
               {0.02856435, 0.0325557, 0.93887995},
               {0.14520511, 0.74423134, 0.11056355}},
              kEightDigits, "weights");
  expect_near(account.output(),
              {{-0.85815938, -1.3735256, 0.08172599},
               {0.3150046, 1.49837575, 0.81211613},
               {-0.7327598, -0.50535041, -0.83629886}},
              kEightDigits, "output");
  EXPECT_EQ(account.notes.size(), 1u);
}

TEST(TrueNumbers, five_chinese_words) {
  const Account account = example("five-words").account;
  expect_near(account.weights().row(0), {0.63285661, 0.11885606, 0.05220926, 0.10354725, 0.09253082},
              kEightDigits, "weights");
}

TEST(TrueNumbers, word_vectors) {
  expect_near(example("words-1").account.weights().row(0), {0.2408, 0.1731, 0.2083, 0.1903, 0.1875},
              kFourDigits, "row of 我");
  expect_near(example("words-2").account.weights().row(0), {0.3817, 0.2914, 0.3269}, kFourDigits,
              "row of 编程");
}

TEST(TrueNumbers, deep_ml_exercises) {
  expect_near(example("deep-ml-self-attention").account.output(),
              {{1.6604769, 2.6604769}, {2.3395231, 3.3395231}}, kEightDigits * 10, "self-attention");
  const Account heads = example("deep-ml-multi-head").account;
  EXPECT_EQ(heads.heads, 2);
  EXPECT_EQ(heads.d_k, 1);
  expect_near(heads.output(), {{0.7311, 0.5}, {0.5, 0.7311}}, kFourDigits, "multi-head");
  EXPECT_EQ(heads.notes.size(), 1u);
}

TEST(Examples, every_id_has_an_example_with_titles_in_both_languages) {
  const std::vector<Example> all = examples();
  ASSERT_EQ(all.size(), example_ids().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].id, example_ids()[i]);
    EXPECT_FALSE(all[i].title.en.empty());
    EXPECT_FALSE(all[i].title.zh.empty());
    EXPECT_EQ(all[i].account.title.en, all[i].title.en);
    for (const Text& note : all[i].account.notes) {
      EXPECT_FALSE(note.en.empty());
      EXPECT_FALSE(note.zh.empty());
    }
  }
}

TEST(Examples, unknown_id_names_the_known_ones) {
  try {
    example("nothing");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("i-love-ai"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace fovea
