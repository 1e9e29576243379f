#include <gtest/gtest.h>

#include <limits>

#include "explain/matrix_near.h"
#include "fovea/attention.h"
#include "fovea/examples.h"
#include "fovea/explain.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<std::string> names(const Account& account) {
  std::vector<std::string> result;
  for (const Step& step : account.steps) result.push_back(step.name);
  return result;
}

// Peaked weights: the inputs are spread widely.
struct Inputs {
  explicit Inputs(std::uint32_t seed) : random(Random::numpy(seed)) {}
  Matrix draw(Index rows, Index columns, double size = 1.5) {
    Matrix m = Matrix::normal(random, rows, columns);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) m(i, j) = static_cast<double>(static_cast<float>(size * m(i, j)));
    }
    return m;
  }
  Random random;
};

TEST(Account, self_attention_has_its_steps_in_order) {
  EXPECT_EQ(names(i_love_ai()), (std::vector<std::string>{"x", "w_q", "w_k", "w_v", "q", "k", "v", "scores",
                                                          "scaled", "weights", "output"}));
}

TEST(Account, every_step_speaks_both_languages_and_has_a_formula) {
  for (const Example& one : examples()) {
    for (const Step& step : one.account.steps) {
      EXPECT_FALSE(step.title.en.empty() || step.title.zh.empty()) << one.id << " " << step.name;
      EXPECT_FALSE(step.sentence.en.empty() || step.sentence.zh.empty()) << one.id << " " << step.name;
      EXPECT_FALSE(step.formula.empty()) << one.id << " " << step.name;
    }
  }
}

TEST(Account, sentences_carry_the_numbers_of_the_computation) {
  const Account account = i_love_ai();
  EXPECT_NE(account.step("weights").sentence.en.find("“love” looks most at “love” (86.7 %)"),
            std::string::npos)
      << account.step("weights").sentence.en;
  EXPECT_NE(account.step("weights").sentence.zh.find("“love”最关注“love”（86.7%）"), std::string::npos)
      << account.step("weights").sentence.zh;
  EXPECT_NE(account.step("q").sentence.en.find("= 0.0272"), std::string::npos)
      << account.step("q").sentence.en;
  EXPECT_NE(account.step("scaled").sentence.en.find("√4 = 2"), std::string::npos);
  EXPECT_EQ(account.step("q").formula, "Q = X·W_q");
  EXPECT_EQ(account.step("scores").formula, "S = Q·Kᵀ");
  EXPECT_EQ(account.step("scaled").formula, "S/√d_k");
  EXPECT_EQ(account.step("weights").formula, "A = softmax(S/√d_k)");
}

// A row may look at thousands of keys alike; nobody reads their names.
TEST(Account, sentences_do_not_list_all_ties) {
  Matrix x(21, 2);
  for (Index i = 0; i < 20; ++i) x(i, 0) = 2;
  x(20, 1) = 2;
  const Text text = explain(x, Projections{}, {}).step("weights").sentence;
  EXPECT_NE(text.en.find(" and 15 more (5.0 % each)"), std::string::npos) << text.en;
  EXPECT_NE(text.zh.find("等 20 个词（各 5.0%）"), std::string::npos) << text.zh;
}

TEST(Account, causal_mask_follows_the_definition) {
  Inputs in(7);
  const Matrix x = in.draw(5, 3);
  const Account account = explain(x, Projections{}, {.mask = Mask::causal()});
  for (Index i = 0; i < 5; ++i) {
    double total = 0;
    for (Index j = 0; j <= i; ++j) {
      double dot = 0;
      for (Index c = 0; c < 3; ++c) dot += x(i, c) * x(j, c);
      total += std::exp(dot / std::sqrt(3.0));
    }
    for (Index j = 0; j < 5; ++j) {
      double dot = 0;
      for (Index c = 0; c < 3; ++c) dot += x(i, c) * x(j, c);
      const double expected = j <= i ? std::exp(dot / std::sqrt(3.0)) / total : 0;
      EXPECT_NEAR(account.weights()(i, j), expected, 1e-14) << i << ", " << j;
      EXPECT_EQ(account.step("mask").matrix(i, j), j <= i ? 0 : -kInf);
      EXPECT_EQ(std::isinf(account.step("masked").matrix(i, j)), j > i);
    }
  }
  EXPECT_NE(account.step("mask").sentence.en.find("15 of 25 pairs are visible (60.0 %)"),
            std::string::npos);
}

TEST(Account, agrees_with_attention_for_every_option) {
  Inputs in(11);
  const Matrix q = in.draw(4, 6), k = in.draw(5, 6), v = in.draw(5, 3);
  const Tensor values = in.draw(4, 5).to_tensor();
  const ExplainOptions cases[] = {
      {},
      {.mask = Mask::causal()},
      {.mask = Mask::padding(Ids{{1, 2, 3, 0, 0}}, 0)},
      {.mask = Mask::additive(values) & Mask::sliding_window(1, 1)},
      {.bias = Bias::alibi({0.5f})},
      {.scale = 0.25},
      {.scaled = false},
      {.softcap = 2},
      {.mask = Mask::causal(), .bias = Bias::dense(values), .scale = 0.7, .softcap = 3},
  };
  for (std::size_t c = 0; c < std::size(cases); ++c) {
    const ExplainOptions& options = cases[c];
    const Account account = explain(q, k, v, options);
    AttentionOptions same{.mask = options.mask, .bias = options.bias, .weights = true};
    if (options.scale) same.scale = static_cast<float>(*options.scale);
    if (!options.scaled) same.scale = 1.0f;
    same.softcap = static_cast<float>(options.softcap);
    const AttentionResult result = attention(q.to_tensor(), k.to_tensor(), v.to_tensor(), same);
    expect_near(account.weights(), Matrix::from(result.weights), 1e-6,
                "weights, case " + std::to_string(c));
    expect_near(account.output(), Matrix::from(result.output), 2e-6 * 5,
                "output, case " + std::to_string(c));
  }
}

TEST(Account, multi_head_agrees_with_attention) {
  Inputs in(5);
  const Matrix x = in.draw(4, 6), memory = in.draw(3, 5);
  const Projections w{in.draw(6, 8, 0.6), in.draw(5, 8, 0.6), in.draw(5, 4, 0.6), in.draw(4, 7), 2};
  const Account account = explain(x, memory, w, {.bias = Bias::alibi({0.5f, 0.25f})});
  EXPECT_EQ(account.heads, 2);
  EXPECT_EQ(account.d_k, 4);
  const Matrix &q = account.step("q").matrix, &k = account.step("k").matrix, &v = account.step("v").matrix;
  for (int h = 0; h < 2; ++h) {
    const AttentionResult head = attention(q.columns_between(4 * h, 4 * h + 4).to_tensor(),
                                           k.columns_between(4 * h, 4 * h + 4).to_tensor(),
                                           v.columns_between(2 * h, 2 * h + 2).to_tensor(),
                                           {.bias = Bias::alibi({h == 0 ? 0.5f : 0.25f}), .weights = true});
    expect_near(account.weights(h), Matrix::from(head.weights), 1e-6, "weights of a head");
    expect_near(account.step("head", h).matrix, Matrix::from(head.output), 1e-5, "output of a head");
    expect_near(account.step("concat").matrix.columns_between(2 * h, 2 * h + 2),
                account.step("head", h).matrix, 0, "concat");
  }
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 7; ++j) {
      double dot = 0;
      for (Index c = 0; c < 4; ++c) dot += account.step("concat").matrix(i, c) * w.w_o(c, j);
      EXPECT_NEAR(account.output()(i, j), dot, 1e-12);
    }
  }
  EXPECT_EQ(account.steps.back().name, "output");
  EXPECT_EQ(account.memory_tokens, (std::vector<std::string>{"m1", "m2", "m3"}));
}

TEST(Account, one_head_with_output_projection) {
  Inputs in(3);
  const Matrix x = in.draw(3, 4);
  const Account account = explain(x, Projections{.w_o = Matrix::identity(4)});
  expect_near(account.output(), account.step("head").matrix, 0, "identity changes nothing");
}

TEST(Account, fully_masked_row_is_zero_and_says_so) {
  const Flags visible{{0, 0}, {1, 1}};
  const Account account =
      explain(Matrix{{1, 2}, {3, 4}}, Projections{}, {.tokens = {"a", "b"}, .mask = Mask::dense(visible)});
  expect_near(account.weights().row(0), {0, 0}, 0, "weights");
  expect_near(account.output().row(0), {0, 0}, 0, "output");
  EXPECT_NE(account.step("weights").sentence.en.find("“a” sees nothing"), std::string::npos);
  EXPECT_NE(account.step("weights").sentence.zh.find("“a”什么也看不到"), std::string::npos);
}

TEST(Account, nan_behind_a_mask_has_no_effect) {
  Matrix k{{1, 0}, {0, 1}}, v{{1, 2}, {3, 4}};
  k(1, 0) = v(1, 1) = std::nan("");
  const Account account = explain(Matrix{{1, 1}}, k, v, {.mask = Mask::dense(Flags{{1, 0}})});
  expect_near(account.weights(), {{1, 0}}, 0, "weights");
  expect_near(account.output(), {{1, 2}}, 0, "output");
}

TEST(Account, huge_scores_do_not_overflow) {
  const Account account = explain(Matrix{{1}, {-1}}, Matrix{{1e5}, {2e5}}, Matrix{{1}, {2}});
  expect_near(account.weights(), {{0, 1}, {1, 0}}, 0, "weights");
}

TEST(Account, unscaled_has_no_scaled_step) {
  const Account account =
      explain(Matrix{{1, 0}}, Matrix{{1, 0}, {0, 1}}, Matrix{{1}, {2}}, {.scaled = false});
  EXPECT_FALSE(account.has("scaled"));
  EXPECT_EQ(account.scale, 1);
  EXPECT_EQ(account.step("weights").formula, "A = softmax(S)");
}

TEST(Account, errors_name_both_shapes) {
  const Matrix x(3, 4);
  EXPECT_EQ(message_of([&] { explain(x, Projections{.w_q = Matrix(5, 4)}); }),
            "[explain] X is [3, 4], W_q is [5, 4]: W_q needs 4 rows, one per column of X");
  EXPECT_EQ(message_of([&] { explain(x, Matrix(2, 5), Matrix(2, 1)); }),
            "[explain] Q is [3, 4], K is [2, 5]: queries and keys need the same width");
  EXPECT_EQ(message_of([&] { explain(x, Matrix(2, 4), Matrix(3, 1)); }),
            "[explain] K is [2, 4], V is [3, 1]: every key needs one value");
  EXPECT_EQ(message_of([&] { explain(x, Projections{.heads = 3}); }),
            "[explain] 3 heads do not evenly divide the columns of Q [3, 4] and V [3, 4]");
  EXPECT_EQ(message_of([&] { explain(x, Projections{.w_o = Matrix(3, 3)}); }),
            "[explain] the heads give 4 columns, W_o is [3, 3]: W_o needs 4 rows");
  EXPECT_EQ(message_of([&] { explain(x, Projections{}, {.tokens = {"a"}}); }),
            "[explain] 1 tokens for 3 rows");
  EXPECT_NE(message_of([&] { explain(Matrix(), Projections{}); }), "");
  EXPECT_NE(message_of([&] { explain(x, Projections{.heads = 0}); }), "");
  EXPECT_NE(message_of([&] { explain(x, Projections{}, {.softcap = -1}); }), "");
  EXPECT_NE(message_of([&] { explain(x, Projections{}, {.scale = kInf}); }), "");
  EXPECT_NE(message_of([&] { explain(x, Projections{}, {.mask = Mask::lengths({1, 2})}); }), "");
}

TEST(Account, missing_step_names_those_there_are) {
  const Account account = i_love_ai();
  EXPECT_NE(message_of([&] { account.step("mask"); }).find("scores, scaled, weights, output"),
            std::string::npos);
  EXPECT_FALSE(account.has("mask"));
  EXPECT_TRUE(account.has("weights"));
}

TEST(Account, sentences_show_a_row_that_sees_something) {
  const Matrix x{{1, 2}, {3, 4}};
  const Mask first_is_blind = Mask::dense(Flags(Shape{2, 2}, {0, 0, 1, 0}));
  const Account account = explain(x, Projections{.w_o = Matrix{{1, 0}, {0, 1}}},
                                  {.tokens = {"我", "你"}, .mask = first_is_blind});
  EXPECT_EQ(account.step("head").sentence.en,
            "Each row mixes the value rows by its weights: “你” = 1·v(我) = (1, 2).");
  EXPECT_EQ(account.output()(0, 0), 0);
  EXPECT_NE(account.step("output").sentence.zh.find("“你”变为 (1, 2)"), std::string::npos);
  const Account none = explain(x, x, x, {.mask = !Mask::none()});
  EXPECT_NE(none.step("output").sentence.en.find("no row sees anything"), std::string::npos);
  EXPECT_NE(none.step("output").sentence.zh.find("什么也看不到"), std::string::npos);
}

TEST(Account, chinese_titles_set_the_english_word_in_parentheses) {
  const Matrix one{{1, 0}, {0, 1}};
  const Account account = explain(one, Projections{.w_q = one, .w_k = one, .w_v = one});
  EXPECT_EQ(account.step("w_q").title.zh, "查询（Query）的权重矩阵");
  EXPECT_EQ(account.step("w_k").title.zh, "键（Key）的权重矩阵");
  EXPECT_EQ(account.step("w_v").title.zh, "值（Value）的权重矩阵");
}

// Head 1 sees only the first key, head 2 only the second; the mask does not say that it knows heads.
TEST(Account, a_predicate_is_asked_for_every_head) {
  const Matrix x{{1, 0}, {0, 1}};
  ExplainOptions options;
  options.mask = Mask::predicate([](Index, Index h, Index, Index j) { return j == h; });
  const Account account = explain(x, Projections{.heads = 2}, options);
  for (int h = 0; h < 2; ++h) {
    for (Index i = 0; i < 2; ++i) {
      EXPECT_EQ(account.weights(h)(i, h), 1.0);
      EXPECT_EQ(account.weights(h)(i, 1 - h), 0.0);
    }
  }
}

}  // namespace
}  // namespace fovea
