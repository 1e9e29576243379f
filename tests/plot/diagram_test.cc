#include <gtest/gtest.h>

#include "fovea/attention_diagram.h"
#include "fovea/examples.h"
#include "plot/plot_testing.h"

namespace fovea {
namespace {

Account two_heads() {
  Random random = Random::numpy(42);
  Projections projections;
  projections.heads = 2;
  projections.w_q = Matrix::normal(random, 4, 4);
  projections.w_k = Matrix::normal(random, 4, 4);
  projections.w_v = Matrix::normal(random, 4, 4);
  projections.w_o = Matrix::normal(random, 4, 4);
  ExplainOptions options;
  options.tokens = {"I", "love", "AI"};
  options.mask = Mask::causal();
  return explain(i_love_ai().step("x").matrix, projections, options);
}

TEST(Diagrams, flow_has_the_numbers_of_the_computation) {
  const Figure figure = flow_diagram(i_love_ai());
  // mission.md: scores row 1, weights and output row 0.
  for (const char* number :
       {"−1.68", "5.13", "0.89", "0.23", "0.53", "0.25", "−1.31", "−3.90", "−1.99", "0.91"}) {
    EXPECT_TRUE(has_text(figure, number)) << number;
  }
  for (const char* text : {"[3, 4]", "[3, 3]", "× 0.5 = 1/√4", "· W_q [4, 4]"})
    EXPECT_TRUE(has_text(figure, text)) << text;
  expect_readable(figure);
}

TEST(Diagrams, flow_of_one_head_shows_its_mask) {
  const Figure figure = flow_diagram(two_heads(), {.head = 1, .language = Language::chinese});
  EXPECT_TRUE(has_text(figure, "−∞"));
  expect_readable(figure);
}

TEST(Diagrams, flow_of_bare_queries_and_of_a_memory) {
  expect_readable(flow_diagram(example("qkv").account));
  const Matrix x{{1, 0}, {0, 1}, {1, 1}}, memory{{1, 2}, {3, 4}};
  expect_readable(flow_diagram(explain(x, memory, Projections{})));
}

TEST(Diagrams, query_meets_keys_with_the_tutorial_numbers) {
  const Figure figure = query_key_value_diagram(example("three-words").account, {.digits = 4});
  for (const char* number :
       {"0.3653", "0.3286", "0.3061", "0.8839", "0.7778", "0.7071", "0.7812", "0.6859"}) {
    EXPECT_TRUE(has_text(figure, number)) << number;
  }
  expect_readable(figure);
  EXPECT_TRUE(contains(error_of([] { query_key_value_diagram(i_love_ai(), {.query = 3}); }), "0 to 2"));
}

TEST(Diagrams, words_show_every_weight) {
  const Account account = example("five-words").account;
  const Figure figure = word_scores_diagram(account);
  for (const char* weight : {"0.633", "0.119", "0.052", "0.104", "0.093"})
    EXPECT_TRUE(has_text(figure, weight)) << weight;
  EXPECT_EQ(shapes<scene::Curve>(figure).size(), 25U);
  expect_readable(figure);
  const Matrix many(17, 2);
  EXPECT_TRUE(
      contains(error_of([&] { word_scores_diagram(explain(many, many, many)); }), "at most 12 and 16"));
}

TEST(Diagrams, heads_are_split_and_concatenated) {
  const Account account = two_heads();
  const Figure figure = multi_head_diagram(account, {.theme = Theme::dark});
  for (const char* text : {"Head 1", "Head 2", "· W_o"}) EXPECT_TRUE(has_text(figure, text)) << text;
  EXPECT_EQ(shapes<scene::Cells>(figure).size(), 3U + 2 + 2 + 3);
  expect_readable(figure);
  EXPECT_TRUE(contains(error_of([] { multi_head_diagram(i_love_ai()); }), "has 1 head, expected 2 to 16"));
  expect_readable(multi_head_diagram(example("deep-ml-multi-head").account));
}

TEST(Diagrams, same_account_same_bytes) {
  EXPECT_EQ(to_svg(flow_diagram(i_love_ai())), to_svg(flow_diagram(i_love_ai())));
  EXPECT_EQ(to_png(multi_head_diagram(two_heads())), to_png(multi_head_diagram(two_heads())));
}

}  // namespace
}  // namespace fovea
