// [UNK] stands for another word each time: no measure may take two of them for the same, or for special.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/head_roles.h"
#include "fovea/measures_report.h"

namespace fovea {
namespace {

// Every row looks at the other of two keys: 0 at 2, 2 at 0, 1 at 3, 3 at 1.
Tensor looks_two_away() { return Tensor::from({{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}}); }

HeadMeasures measures_of(const std::vector<std::string>& tokens, const std::vector<Index>& unknown = {}) {
  MeasureOptions options;
  options.tokens = tokens;
  options.unknown = unknown;
  return measure_attention(looks_two_away(), {}, options).heads[0][0];
}

TEST(UnknownInMeasures, unknown_tokens_are_not_the_same_token) {
  EXPECT_EQ(measures_of({"a", "b", "a", "b"})[Measure::same_token], 1);
  EXPECT_EQ(role_of(measures_of({"a", "x", "a", "y"})).id, "same_token");
  for (const char* token : {"[UNK]", "<unk>"}) {
    const HeadMeasures head = measures_of({token, "x", token, "y"});
    EXPECT_TRUE(std::isnan(head[Measure::same_token])) << token;
    EXPECT_NE(role_of(head).id, "same_token") << token;
  }
  // Of other names the run tells; one of two is enough.
  EXPECT_TRUE(std::isnan(measures_of({"?", "x", "?", "y"}, {0, 2})[Measure::same_token]));
  EXPECT_TRUE(std::isnan(measures_of({"?", "x", "?", "y"}, {0})[Measure::same_token]));
  EXPECT_EQ(measures_of({"?", "x", "?", "x"}, {0})[Measure::same_token], 1) << "x and x are the same";
}

TEST(UnknownInMeasures, unknown_tokens_are_not_special) {
  EXPECT_EQ(measures_of({"[CLS]", "a", "b", "c"})[Measure::special_tokens], 0.25);
  EXPECT_EQ(measures_of({"[UNK]", "a", "b", "c"})[Measure::special_tokens], 0);
  EXPECT_EQ(measures_of({"<|x|>", "a", "b", "c"}, {0})[Measure::special_tokens], 0);
  EXPECT_EQ(measures_of({"!", "a", "b", "c"}, {0})[Measure::punctuation], 0);
}

TEST(UnknownInMeasures, unknown_tokens_do_not_repeat) {
  const auto has_period = [](const std::vector<std::string>& tokens,
                             const std::vector<Index>& unknown = {}) {
    return !std::isnan(measures_of(tokens, unknown)[Measure::induction]);
  };
  EXPECT_TRUE(has_period({"a", "b", "a", "b"}));
  EXPECT_FALSE(has_period({"[UNK]", "b", "[UNK]", "b"}));
  EXPECT_FALSE(has_period({"a", "b", "a", "b"}, {1, 3}));
}

TEST(UnknownInMeasures, places_that_are_not_there_are_errors) {
  EXPECT_THROW(measures_of({"a", "b", "c", "d"}, {4}), Error);
  EXPECT_THROW(measures_of({"a", "b", "c", "d"}, {-1}), Error);
}

// A run of one head, whose tokens 0 and 2 the model did not know.
fovea::Run run_with_unknown(const std::string& name) {
  Capture capture;
  TokenSequence sequence{{name, "x", name, "y"}, {}, {}, {}, {}};
  sequence.unknown = {{0, "小"}, {2, "明"}};
  capture.sequences = {sequence};
  Tensor k({1, 1, 4, 4}), q({1, 1, 4, 4});
  for (Index i = 0; i < 4; ++i) k(0, 0, i, i) = 1, q(0, 0, i, (i + 2) % 4) = 100;
  capture.attention({AttentionKind::encoder, 0, q, k, k, {}});
  return fovea::Run(std::move(capture));
}

TEST(UnknownInMeasures, a_run_says_which_they_are) {
  EXPECT_TRUE(std::isnan(measure_attention(run_with_unknown("?")).heads[0][0][Measure::same_token]));
  MeasureOptions named;
  named.tokens = named.key_tokens = {"a", "x", "a", "y"};  // a person's own names are known
  EXPECT_NEAR(measure_attention(run_with_unknown("?"), named).heads[0][0][Measure::same_token], 1, 1e-6);
}

// A query that the model did not know is not the key that has the unknown token's name.
TEST(UnknownInMeasures, queries_and_keys_of_two_sequences) {
  const auto same_token = [](const std::vector<UnknownToken>& unknown_queries) {
    Capture capture;
    capture.sequences = {{{"?", "x"}, {}, {}, {}, {}}};
    capture.decoder_sequences = {{{"?"}, {}, {}, {}, {}, unknown_queries, {}}};
    const Tensor q({1, 1, 1, 2}), k({1, 1, 2, 2});
    capture.attention({AttentionKind::cross, 0, q, k, k, {}});
    return measure_attention(fovea::Run(std::move(capture))).heads[0][0][Measure::same_token];
  };
  EXPECT_NEAR(same_token({}), 0.5, 1e-6);
  EXPECT_TRUE(std::isnan(same_token({{0, "小"}})));
}

TEST(UnknownInMeasures, reports_show_what_was_written) {
  const MeasuresReport report = measures_report(run_with_unknown("[UNK]"));
  const std::string table = to_terminal(report, {});
  EXPECT_NE(table.find("小 [UNK]"), std::string::npos) << table;
  EXPECT_NE(table.find("明 [UNK]"), std::string::npos) << table;
  const std::string json = to_json(report);
  EXPECT_NE(json.find(R"("written": "明")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"(["[UNK]", "x", "[UNK]", "y"])"), std::string::npos) << json;
}

TEST(UnknownInMeasures, sinks_are_named_by_what_was_written) {
  MeasuresReport report = report_of(measure_attention(Tensor::from({{0, 1, 0}, {0, 1, 0}, {0, 1, 0}})));
  report.tokens = {"a", "[UNK]", "b"};
  report.unknown = {{1, "小"}};
  EXPECT_NE(to_json(report).find("sink on 小 [UNK]"), std::string::npos) << to_json(report);
  EXPECT_NE(to_csv(report).find("sink_share"), std::string::npos) << to_csv(report);
}

}  // namespace
}  // namespace fovea
