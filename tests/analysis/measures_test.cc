#include "fovea/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fovea/attention.h"
#include "fovea/measure_definitions.h"
#include "fovea/measures_report.h"
#include "fovea/random.h"
#include "support/message_of.h"

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
  const std::vector<double>& entropy = m.rows(Measure::entropy);
  EXPECT_DOUBLE_EQ(entropy[0], ln2);
  EXPECT_EQ(entropy[1], 0);
  EXPECT_FALSE(std::signbit(entropy[1]));
  EXPECT_DOUBLE_EQ(entropy[2], third);
  // All three keys count as visible.
  EXPECT_DOUBLE_EQ(m.rows(Measure::normalised_entropy)[0], ln2 / std::log(3.0));
  EXPECT_DOUBLE_EQ(m[Measure::entropy], (ln2 + third) / 3);
  EXPECT_DOUBLE_EQ(m[Measure::effective_keys], (2 + 1 + std::sqrt(8.0)) / 3);
  EXPECT_DOUBLE_EQ(m[Measure::keys_90], (2.0 + 1 + 3) / 3);
  EXPECT_DOUBLE_EQ(m[Measure::confidence], 2.0 / 3);
  EXPECT_DOUBLE_EQ(m[Measure::previous_token], 0.25 / 2);
  EXPECT_DOUBLE_EQ(m[Measure::next_token], 0.5 / 2);
  EXPECT_DOUBLE_EQ(m[Measure::first_token], 0.75 / 3);
  EXPECT_DOUBLE_EQ(m[Measure::distance], (0.5 + 0 + 0.75) / 3);
  EXPECT_DOUBLE_EQ(m[Measure::received], 1.75);
  EXPECT_DOUBLE_EQ(m[Measure::sink_share], 1.75 / 3);
  EXPECT_EQ(m.most_attended(), 1);
  EXPECT_EQ(m.received, (std::vector<double>{0.75, 1.75, 0.5}));
  EXPECT_EQ(m.rows(Measure::outgoing), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(m.rows(Measure::diagonal), (std::vector<double>{0.5, 1, 0.5}));
  EXPECT_EQ(m.rows_seeing, 3);
}

TEST(Measures, uniform_causal_attention_is_fully_spread) {
  const Tensor weights = Tensor::from(
      {{1, 0, 0, 0}, {0.5, 0.5, 0, 0}, {1 / 3.0, 1 / 3.0, 1 / 3.0, 0}, {0.25, 0.25, 0.25, 0.25}});
  const HeadMeasures m = measure_attention(weights, Mask::causal()).heads[0][0];
  EXPECT_EQ(m.rows(Measure::normalised_entropy)[0], 0);  // one visible key: no choice
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(m.rows(Measure::normalised_entropy)[i], 1, 1e-6) << i;
  EXPECT_NEAR(m[Measure::normalised_entropy], 1, 1e-6);
  EXPECT_LT(measure_attention(weights).heads[0][0][Measure::normalised_entropy], 0.8);
}

TEST(Measures, rows_that_see_nothing_do_not_count) {
  const Tensor weights = Tensor::from({{0, 0}, {0.5, 0.5}});
  const HeadMeasures m = measure_attention(weights).heads[0][0];
  EXPECT_EQ(m.rows_seeing, 1);
  EXPECT_DOUBLE_EQ(m[Measure::entropy], std::log(2.0));
  EXPECT_DOUBLE_EQ(m[Measure::normalised_entropy], 1);
  EXPECT_DOUBLE_EQ(m[Measure::diagonal], 0.5);
  EXPECT_EQ(m.rows(Measure::outgoing)[0], 0);
  const HeadMeasures none = measure_attention(Tensor({2, 2})).heads[0][0];
  EXPECT_EQ(none.rows_seeing, 0);
  EXPECT_TRUE(std::isnan(none[Measure::entropy]));
  EXPECT_TRUE(std::isnan(none[Measure::sink_share]));
  EXPECT_EQ(none[Measure::outgoing], 0);
}

TEST(Measures, head_mean_is_of_the_averaged_weights) {
  const Tensor weights = Tensor::from({{{1, 0}, {0, 1}}, {{0, 1}, {0, 1}}});
  const AttentionMeasures result = measure_attention(weights);
  ASSERT_EQ(result.heads[0].size(), 2u);
  EXPECT_EQ(result.heads[0][0][Measure::entropy], 0);
  EXPECT_DOUBLE_EQ(result.head_mean[0].rows(Measure::entropy)[0], std::log(2.0));
  EXPECT_EQ(result.head_mean[0].received, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(result.head_mean[0].rows(Measure::diagonal), (std::vector<double>{0.5, 1}));
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
    for (const double sum : m.rows(Measure::outgoing)) EXPECT_NEAR(sum, 1, 1e-6);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(m.rows(Measure::normalised_entropy)[i], 1 + 1e-6);
  }
  // Query i stands at key i + 2.
  EXPECT_EQ(plain.heads[1][2].rows(Measure::diagonal)[0], static_cast<double>(weights(1, 2, 0, 2)));
  EXPECT_EQ(plain.heads[1][2].rows(Measure::diagonal)[3], static_cast<double>(weights(1, 2, 3, 5)));
  // The same weights behind transposed strides.
  const Tensor turned = Tensor::copy_of(weights.view().transpose(2, 3));
  const AttentionMeasures strided = measure_attention(turned.view().transpose(2, 3), Mask::causal());
  EXPECT_EQ(strided.heads[1][1].rows(Measure::entropy), plain.heads[1][1].rows(Measure::entropy));
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
  Tensor layers({2, 1, 2, 3, 4});
  layers(1, 0, 1, 2, 0) = std::nanf("");
  EXPECT_EQ(message_of(layers), "[measures] weights[1, 0, 1, 2, 0] is nan, expected a finite number ≥ 0");
  EXPECT_NE(message_of(Tensor({2, 3}), Mask::padding(Ids{{1, 0}}, 0)), "");  // two keys for three columns
}

TEST(Measures, the_first_wrong_weight_is_named_whoever_finds_it) {
  Tensor weights({4, 5, 6});
  weights(3, 0, 0) = weights(1, 4, 2) = weights(1, 4, 3) = std::nanf("");
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_EQ(message_of(weights), "[measures] weights[1, 4, 2] is nan, expected a finite number ≥ 0");
  }
}

TEST(Measures, nan_in_queries_names_its_row) {
  Random random(1);
  Tensor q = random.normal({2, 3, 4, 8});
  const Tensor k = random.normal({2, 3, 4, 8});
  q(1, 2, 3, 0) = std::nanf("");
  EXPECT_EQ(testing::message_of([&] { measure_attention(q, k); }),
            "[measures] query 3 of head 2, batch entry 1, has a score that is NaN or +inf");
}

// No row sees a key: a measure has no value or is 0, and nobody receives anything.
void expect_nothing(const AttentionMeasures& measures, const Shape& shape) {
  SCOPED_TRACE(shape.to_string());
  EXPECT_EQ(measures.shape, shape);
  EXPECT_EQ(measures.rows_not_one, 0);
  EXPECT_FALSE(measures.looks_causal);
  for (const std::vector<HeadMeasures>& heads : measures.heads) {
    for (const HeadMeasures& head : heads) {
      EXPECT_EQ(head.rows_seeing, 0);
      for (const Measure measure : all_measures()) {
        EXPECT_TRUE(std::isnan(head[measure]) || head[measure] == 0) << measure_definition(measure).name;
      }
      EXPECT_TRUE(std::isnan(head[Measure::entropy]));
      for (const double received : head.received) EXPECT_EQ(received, 0);
    }
  }
}

TEST(Measures, nothing_to_measure) {
  for (const Shape& shape :
       {Shape{0, 3}, Shape{3, 0}, Shape{0, 2, 3}, Shape{0, 2, 3, 3}, Shape{2, 0, 2, 3, 3}}) {
    expect_nothing(measure_attention(Tensor(shape)), shape);
  }
  expect_nothing(measure_attention(Tensor({0, 4}), Tensor({3, 4})), {0, 3});
  expect_nothing(measure_attention(Tensor({3, 4}), Tensor({0, 4})), {3, 0});
  expect_nothing(measure_attention(Tensor({1, 0, 3, 4}), Tensor({1, 0, 3, 4})), {1, 0, 3, 3});
}

TEST(Measures, uniform_and_one_hot) {
  const HeadMeasures uniform = measure_attention(Tensor::filled({10, 10}, 0.1f)).heads[0][0];
  EXPECT_NEAR(uniform[Measure::normalised_entropy], 1, 1e-7);
  EXPECT_NEAR(uniform[Measure::effective_keys], 10, 1e-5);
  EXPECT_EQ(uniform[Measure::keys_90], 9);  // nine tenths, though nine times 0.1f is a little more or less
  EXPECT_NEAR(uniform[Measure::sink_share], 0.1, 1e-7);
  Tensor one({4, 4});
  for (Index i = 0; i < 4; ++i) one(i, 2) = 1;
  const HeadMeasures hot = measure_attention(one).heads[0][0];
  EXPECT_EQ(hot[Measure::entropy], 0);
  EXPECT_EQ(hot[Measure::effective_keys], 1);
  EXPECT_EQ(hot[Measure::keys_90], 1);
  EXPECT_EQ(hot[Measure::confidence], 1);
  EXPECT_EQ(hot[Measure::sink_share], 1);
  EXPECT_EQ(hot[Measure::received], 4);
  EXPECT_EQ(hot.most_attended(), 2);
}

TEST(Measures, table_by_layer_and_head) {
  Tensor weights({2, 3, 2, 2});
  for (Index at = 0; at < 24; at += 2) weights.data()[at] = 1;
  weights(1, 2, 0, 0) = weights(1, 2, 0, 1) = weights(1, 2, 1, 0) = weights(1, 2, 1, 1) = 0.5f;
  const Matrix table = measure_attention(weights).table(Measure::entropy);
  EXPECT_EQ(table.shape(), (Shape{2, 3}));
  EXPECT_DOUBLE_EQ(table(1, 2), std::log(2.0));
  EXPECT_EQ(table(0, 1), 0);
}

TEST(Measures, progress_ends_at_one) {
  std::vector<double> shares;
  MeasureOptions options;
  options.progress = [&](double share) { shares.push_back(share); };
  measure_attention(Tensor::filled({3, 4}, 0.25f), {}, options);
  ASSERT_FALSE(shares.empty());
  EXPECT_EQ(shares.back(), 1);
  shares.clear();
  measure_attention(Tensor({3, 4}), Tensor({5, 4}), {}, options);
  ASSERT_FALSE(shares.empty());
  EXPECT_EQ(shares.back(), 1);
}

TEST(Measures, names_and_numbers_that_do_not_fit) {
  const Tensor weights = Tensor::filled({2, 3}, 1.0f / 3);
  const auto message = [&](const MeasureOptions& options) {
    return testing::message_of([&] { measure_attention(weights, {}, options); });
  };
  EXPECT_EQ(message({.tokens = {"a"}}), "[measures] got 1 tokens, expected 2, one per query");
  EXPECT_EQ(message({.key_tokens = {"a", "b"}}), "[measures] got 2 key tokens, expected 3, one per key");
  EXPECT_EQ(message({.segments = {1}}), "[measures] got 1 segments, expected 3, one per key");
  EXPECT_EQ(message({.block_size = -1}), "[measures] block_size is -1, expected ≥ 0");
  EXPECT_EQ(message({.period = 1}), "[measures] period is 1, expected ≥ 2, or 0 to find it in the tokens");
}

TEST(Measures, entropy_of_rows_that_do_not_sum_to_one_is_as_defined) {
  // Dropout with p = 1/2 doubles what it keeps.
  const AttentionMeasures result = measure_attention(Tensor::from({{2, 0}, {0.25, 0.25}, {0, 0}, {0, 1}}));
  const HeadMeasures& m = result.heads[0][0];
  EXPECT_DOUBLE_EQ(m.rows(Measure::entropy)[0], -2 * std::log(2.0));
  EXPECT_DOUBLE_EQ(m.rows(Measure::normalised_entropy)[0], -2.0);
  EXPECT_DOUBLE_EQ(m.rows(Measure::entropy)[1], 0.5 * std::log(4.0));
  EXPECT_FALSE(std::signbit(m.rows(Measure::entropy)[3]));
  EXPECT_EQ(result.rows_not_one, 2);  // the row of zeros sees nothing
  EXPECT_EQ(result.lowest_sum, 0.5);
  EXPECT_EQ(result.highest_sum, 2);
  EXPECT_NE(
      to_terminal(report_of(result)).find("\n2 rows do not sum to 1 (lowest 0.5, highest 2): entropy is"),
      std::string::npos);
  EXPECT_NE(to_terminal(report_of(result), {.language = Language::chinese})
                .find("有 2 行的权重之和不为 1（最低 0.5"),
            std::string::npos);
  const auto json = nlohmann::json::parse(to_json(report_of(result)));
  EXPECT_EQ(json["notes"][0]["en"],
            "2 rows do not sum to 1 (lowest 0.5, highest 2): entropy is −Σ w·ln w of the weights as they "
            "are.");
  EXPECT_EQ(json["notes"][0]["zh"].get<std::string>().substr(0, 6), "有 2 ");
}

TEST(Measures, sums_of_one_need_no_note) {
  const AttentionMeasures result = measure_attention(Tensor::from({{0.5, 0.4995}, {0, 0}}));
  EXPECT_EQ(result.rows_not_one, 0);
  EXPECT_EQ(to_terminal(report_of(result)).find("sum to 1"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(to_json(report_of(result)))["notes"].empty());
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

}  // namespace
}  // namespace fovea
