#include "fovea/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fovea/attention.h"
#include "fovea/random.h"

namespace fovea {
namespace {

std::string message_of(ConstView weights, const Mask& mask = {}) {
  try {
    measure_attention(weights, mask);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Measures, by_hand) {
  const Tensor weights = Tensor::from({{0.5, 0.5, 0}, {0, 1, 0}, {0.25, 0.25, 0.5}});
  const AttentionMeasures result = measure_attention(weights);
  ASSERT_EQ(result.heads.size(), 1u);
  ASSERT_EQ(result.heads[0].size(), 1u);
  const HeadMeasures& m = result.heads[0][0];
  const double ln2 = std::log(2.0), third = 0.5 * std::log(4.0) + 0.5 * ln2;
  EXPECT_DOUBLE_EQ(m.entropy[0], ln2);
  EXPECT_EQ(m.entropy[1], 0);
  EXPECT_FALSE(std::signbit(m.entropy[1]));
  EXPECT_DOUBLE_EQ(m.entropy[2], third);
  EXPECT_DOUBLE_EQ(m.normalised_entropy[0], ln2 / std::log(3.0));  // all three keys count as visible
  EXPECT_DOUBLE_EQ(m.mean_entropy, (ln2 + third) / 3);
  EXPECT_EQ(m.received, (std::vector<double>{0.75, 1.75, 0.5}));
  EXPECT_EQ(m.outgoing, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(m.diagonal, (std::vector<double>{0.5, 1, 0.5}));
  EXPECT_EQ(m.rows_seeing, 3);
}

TEST(Measures, uniform_causal_attention_is_fully_spread) {
  const Tensor weights = Tensor::from(
      {{1, 0, 0, 0}, {0.5, 0.5, 0, 0}, {1 / 3.0, 1 / 3.0, 1 / 3.0, 0}, {0.25, 0.25, 0.25, 0.25}});
  const HeadMeasures m = measure_attention(weights, Mask::causal()).heads[0][0];
  EXPECT_EQ(m.normalised_entropy[0], 0);  // one visible key: no choice
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(m.normalised_entropy[i], 1, 1e-6) << i;
  EXPECT_NEAR(m.mean_normalised_entropy, 1, 1e-6);
  EXPECT_LT(measure_attention(weights).heads[0][0].mean_normalised_entropy, 0.8);
}

TEST(Measures, rows_that_see_nothing_do_not_count) {
  const Tensor weights = Tensor::from({{0, 0}, {0.5, 0.5}});
  const HeadMeasures m = measure_attention(weights).heads[0][0];
  EXPECT_EQ(m.rows_seeing, 1);
  EXPECT_DOUBLE_EQ(m.mean_entropy, std::log(2.0));
  EXPECT_DOUBLE_EQ(m.mean_normalised_entropy, 1);
  EXPECT_DOUBLE_EQ(m.mean_diagonal, 0.5);
  EXPECT_EQ(m.outgoing[0], 0);
  const HeadMeasures none = measure_attention(Tensor({2, 2})).heads[0][0];
  EXPECT_EQ(none.rows_seeing, 0);
  EXPECT_EQ(none.mean_entropy, 0);
}

TEST(Measures, head_mean_is_of_the_averaged_weights) {
  const Tensor weights = Tensor::from({{{1, 0}, {0, 1}}, {{0, 1}, {0, 1}}});
  const AttentionMeasures result = measure_attention(weights);
  ASSERT_EQ(result.heads[0].size(), 2u);
  EXPECT_EQ(result.heads[0][0].mean_entropy, 0);
  EXPECT_DOUBLE_EQ(result.head_mean[0].entropy[0], std::log(2.0));
  EXPECT_EQ(result.head_mean[0].received, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(result.head_mean[0].diagonal, (std::vector<double>{0.5, 1}));
}

TEST(Measures, batches_strides_and_unequal_lengths) {
  Random random(3);
  const Tensor q = random.normal({2, 3, 4, 8}), k = random.normal({2, 3, 6, 8}),
               v = random.normal({2, 3, 6, 8});
  const Tensor weights = attention(q, k, v, {.mask = Mask::causal(), .weights = true}).weights;
  const AttentionMeasures plain = measure_attention(weights, Mask::causal());
  ASSERT_EQ(plain.heads.size(), 2u);
  ASSERT_EQ(plain.heads[1].size(), 3u);
  for (const HeadMeasures& m : plain.heads[1]) {
    for (const double sum : m.outgoing) EXPECT_NEAR(sum, 1, 1e-6);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(m.normalised_entropy[i], 1 + 1e-6);
  }
  // Query i stands at key i + 2.
  EXPECT_EQ(plain.heads[1][2].diagonal[0], static_cast<double>(weights(1, 2, 0, 2)));
  EXPECT_EQ(plain.heads[1][2].diagonal[3], static_cast<double>(weights(1, 2, 3, 5)));
  // The same weights behind transposed strides.
  const Tensor turned = Tensor::copy_of(weights.view().transpose(2, 3));
  const AttentionMeasures strided = measure_attention(turned.view().transpose(2, 3), Mask::causal());
  EXPECT_EQ(strided.heads[1][1].entropy, plain.heads[1][1].entropy);
  EXPECT_EQ(strided.head_mean[0].received, plain.head_mean[0].received);
}

TEST(Measures, wrong_weights_name_their_place) {
  Tensor weights({2, 3, 4});
  weights(1, 2, 3) = std::nanf("");
  EXPECT_EQ(message_of(weights), "[measures] weights[1, 2, 3] is nan, expected a finite number ≥ 0");
  weights(1, 2, 3) = -0.5f;
  EXPECT_EQ(message_of(weights), "[measures] weights[1, 2, 3] is -0.5, expected a finite number ≥ 0");
  weights(1, 2, 3) = std::numeric_limits<float>::infinity();
  EXPECT_NE(message_of(weights), "");
  EXPECT_NE(message_of(Tensor({3})), "");
  EXPECT_NE(message_of(Tensor({1, 1, 1, 2, 2})), "");
  EXPECT_NE(message_of(Tensor({2, 3}), Mask::padding(Ids{{1, 0}}, 0)), "");  // two keys for three columns
}

TEST(Measures, nothing_to_measure) {
  EXPECT_NO_THROW(to_terminal(measure_attention(Tensor({0, 3}))));
  EXPECT_NO_THROW(to_terminal(measure_attention(Tensor({3, 0}))));
  EXPECT_NO_THROW(to_terminal(measure_attention(Tensor({0, 2, 3}))));
  EXPECT_NO_THROW(to_json(measure_attention(Tensor({0, 2, 3, 3}))));
}

TEST(Measures, rendered) {
  const AttentionMeasures result =
      measure_attention(Tensor::from({{{0.5, 0.5}, {0, 1}}, {{1, 0}, {1, 0}}}));
  const std::string english = to_terminal(result, {}, {"我", "learning"});
  EXPECT_NE(english.find("Head 2"), std::string::npos);
  EXPECT_NE(english.find("averaged weights"), std::string::npos);
  EXPECT_NE(english.find("learning"), std::string::npos);
  const std::string chinese = to_terminal(result, {.language = Language::chinese}, {"我", "learning"});
  EXPECT_NE(chinese.find("归一化熵"), std::string::npos);
  EXPECT_THROW(to_terminal(result, {}, {"one"}), Error);

  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["shape"], (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(json["batch"][0]["heads"][0]["entropy"][0].get<double>(), std::log(2.0));
  EXPECT_EQ(json["batch"][0]["head_mean"]["received"].get<std::vector<double>>(),
            (std::vector<double>{1.25, 0.75}));
}

TEST(Measures, entropy_of_rows_that_do_not_sum_to_one_is_as_defined) {
  // Dropout with p = 1/2 doubles what it keeps.
  const AttentionMeasures result = measure_attention(Tensor::from({{2, 0}, {0.25, 0.25}, {0, 0}, {0, 1}}));
  const HeadMeasures& m = result.heads[0][0];
  EXPECT_DOUBLE_EQ(m.entropy[0], -2 * std::log(2.0));
  EXPECT_DOUBLE_EQ(m.normalised_entropy[0], -2.0);
  EXPECT_DOUBLE_EQ(m.entropy[1], 0.5 * std::log(4.0));
  EXPECT_FALSE(std::signbit(m.entropy[3]));
  EXPECT_EQ(result.rows_not_one, 2);  // the row of zeros sees nothing
  EXPECT_EQ(result.lowest_sum, 0.5);
  EXPECT_EQ(result.highest_sum, 2);
  EXPECT_NE(to_terminal(result).find("\n2 rows do not sum to 1 (lowest 0.5, highest 2): entropy is"),
            std::string::npos);
  EXPECT_NE(to_terminal(result, {.language = Language::chinese}).find("有 2 行的权重之和不为 1（最低 0.5"),
            std::string::npos);
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["notes"][0]["en"],
            "2 rows do not sum to 1 (lowest 0.5, highest 2): entropy is −Σ w·ln w of the weights as they "
            "are.");
  EXPECT_EQ(json["notes"][0]["zh"].get<std::string>().substr(0, 6), "有 2 ");
}

TEST(Measures, sums_of_one_need_no_note) {
  const AttentionMeasures result = measure_attention(Tensor::from({{0.5, 0.4995}, {0, 0}}));
  EXPECT_EQ(result.rows_not_one, 0);
  EXPECT_EQ(to_terminal(result).find("sum to 1"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(to_json(result))["notes"].empty());
  // A row that sees keys and has no weight at all: dropout took everything.
  EXPECT_EQ(measure_attention(Tensor::from({{1, 0}, {0, 0}}), Mask::causal()).rows_not_one, 1);
}

TEST(Measures, weight_on_a_hidden_key_names_its_place) {
  const Tensor plain = Tensor::from({{1, 0, 0, 0}, {0.5, 0.2, 0, 0.3}, {1, 0, 0, 0}, {1, 0, 0, 0}});
  EXPECT_EQ(message_of(plain, Mask::causal()),
            "[measures] key 3 is hidden from row 1 by the mask, its weight is 0.3");
  EXPECT_EQ(message_of(plain), "");
  EXPECT_EQ(message_of(plain, Mask::lengths({4})), "");
  // Between two visible keys, in one head of one batch entry.
  Tensor weights({2, 2, 3, 3});
  weights(1, 1, 2, 1) = 0.25f;
  EXPECT_EQ(message_of(weights, Mask::padding(Ids{{1, 0, 1}}, 0)),
            "[measures] batch 1, head 1: key 1 is hidden from row 2 by the mask, its weight is 0.25");
  EXPECT_EQ(message_of(weights, Mask::padding(Ids{{0, 1, 0}}, 0)), "");
  EXPECT_EQ(message_of(Tensor::from({{{0.5, 0.5}, {0, 1}}}), Mask::causal()),
            "[measures] head 0: key 1 is hidden from row 0 by the mask, its weight is 0.5");
}

TEST(Measures, rendered_with_the_digits_asked_for) {
  const AttentionMeasures result =
      measure_attention(Tensor::from({{{0.5, 0.5}, {0, 1}}, {{1, 0}, {1, 0}}}));
  const std::string two = to_terminal(result, {.digits = 2});
  EXPECT_NE(two.find("Head 1                      0.35        0.50       0.75        key 1  1.50\n"),
            std::string::npos)
      << two;
  EXPECT_NE(two.find("averaged weights"), std::string::npos);
  EXPECT_EQ(two.find("0.346"), std::string::npos);
  const std::string nine = to_terminal(result, {.language = Language::chinese, .digits = 9});
  EXPECT_NE(nine.find("第 1 个键  1.500000000"), std::string::npos) << nine;
  EXPECT_NE(nine.find("0.346573590"), std::string::npos) << nine;
  EXPECT_NE(to_terminal(result, {}, {"我", "AI"}).find("AI  1.5000"), std::string::npos);
}

TEST(Measures, averaged_weights_are_explained_where_there_are_several_heads) {
  const AttentionMeasures two = measure_attention(Tensor::from({{{1, 0}, {0, 1}}, {{0, 1}, {0, 1}}}));
  EXPECT_NE(to_terminal(two).find("Averaged weights: "), std::string::npos);
  EXPECT_NE(to_terminal(two, {.language = Language::chinese}).find("平均权重："), std::string::npos);
  const AttentionMeasures one = measure_attention(Tensor::from({{1, 0}, {0, 1}}));
  EXPECT_EQ(to_terminal(one).find("veraged"), std::string::npos);
}

TEST(Measures, table_lines_are_aligned) {
  const std::string text = to_terminal(measure_attention(Tensor::from({{0.5, 0.5}, {0, 1}})),
                                       {.language = Language::chinese}, {"我", "喜欢"});
  const std::string first_table = text.substr(0, text.find("\n\n"));
  std::vector<int> widths;
  for (std::size_t begin = 0; begin < first_table.size();) {
    const std::size_t end = std::min(first_table.find('\n', begin), first_table.size());
    widths.push_back(display_width(first_table.substr(begin, end - begin)));
    begin = end + 1;
  }
  for (const int width : widths) EXPECT_EQ(width, widths.front()) << first_table;
}

}  // namespace
}  // namespace fovea
