// What can be moved in the lessons, against numbers that are known from elsewhere.
#include "fovea/live.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "fovea/lessons.h"
#include "fovea/tokenizer_training.h"
#include "lesson_testing.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace fovea {
namespace {

using testing::message_of;

Live live_of(const std::string& id, const LiveInput& input = {}) {
  return live(id, Language::english, input, own_lesson_model);
}

void expect_row(const Matrix& matrix, Index row, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(matrix.columns(), static_cast<Index>(expected.size()));
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(matrix(row, static_cast<Index>(j)), expected[j], tolerance) << "column " << j;
  }
}

constexpr double kEightDecimals = 0.51e-8;

TEST(Live, worked_example_has_the_true_numbers) {
  const Live example = live_of("worked-example");
  expect_row(example.matrix("weights"), 0, {0.40111209, 0.19777581, 0.40111209}, kEightDecimals);
  expect_row(example.matrix("output"), 0, {16.04448371, 3.95551629}, kEightDecimals);
  const Live changed = live_of("worked-example", {.matrices = {{"k", {{1, 0}, {1, 0}, {1, 0}}}}});
  expect_row(changed.matrix("weights"), 0, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-15);
}

TEST(Live, saturation_has_the_true_numbers) {
  const Live saturation = live_of("saturation");
  expect_row(saturation.matrix("scaled"), 0, {0.01226952, 0.01282393, 0.97490655}, kEightDecimals);
  EXPECT_NEAR(saturation.number("scaled_gradient"), 0.038787, 0.5e-6);
  EXPECT_NEAR(saturation.number("raw_gradient"), 6.31e-43, 0.005e-43);
}

// Four standard errors of a variance over 4,000 draws: 4·√(2/4000) of it, and products of normals spread
// wider than normals.
TEST(Live, variance_follows_the_width) {
  const Live variance = live_of("variance", {.controls = {{"width", 100}}});
  const double widths[] = {4, 16, 64, 256};
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(variance.matrix("table")(i, 0) / widths[i], 1, 0.15);
    EXPECT_NEAR(variance.matrix("table")(i, 1), 1, 0.15);
  }
  EXPECT_NEAR(variance.matrix("chosen")(0, 0), 100, 15);
}

TEST(Live, masks_are_those_of_the_tutorial) {
  const Live masks = live_of("masks");
  const Matrix expected = {
      {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}};
  EXPECT_EQ(masks.matrix("visible"), expected);
  EXPECT_DOUBLE_EQ(masks.number("share"), 0.48);
  for (Index i = 0; i < 5; ++i) {
    double sum = 0;
    for (Index j = 0; j < 5; ++j) {
      sum += masks.matrix("weights")(i, j);
      if (expected(i, j) == 0) {
        EXPECT_EQ(masks.matrix("weights")(i, j), 0);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  const Live padding = live_of("masks", {.controls = {{"causal", 0}, {"pads", 1}}});
  EXPECT_DOUBLE_EQ(padding.number("share"), 0.8);
  EXPECT_EQ(padding.matrix("visible")(0, 3), 1);
  EXPECT_EQ(padding.matrix("visible")(4, 4), 0);
}

TEST(Live, order_matters_only_with_positions) {
  const Live without = live_of("order");
  expect_row(without.matrix("weights"), 1, without.matrix("weights").row(0), 1e-15);
  const Live with = live_of("order", {.controls = {{"slope", 1}}});
  EXPECT_GT(with.matrix("weights")(0, 0), with.matrix("weights")(1, 0));  // the dog, before and behind
  EXPECT_GT(with.number("difference"), 0.1);
}

TEST(Live, a_causal_mask_keeps_what_was_computed) {
  EXPECT_EQ(live_of("append").number("largest"), 0);
  EXPECT_GT(live_of("append", {.controls = {{"causal", 0}}}).number("largest"), 0.01);
}

TEST(Live, cross_attention_has_the_shape_of_the_tutorial) {
  const Live shapes = live_of("cross-shapes");
  expect_row(shapes.matrix("shape"), 0, {2, 4, 10, 20}, 0);
  EXPECT_EQ(shapes.number("output_rows"), 10);
  EXPECT_EQ(shapes.number("output_width"), 256);
}

// What the texts say of these: each critic another scene, the full stop last, grass on the lawn.
TEST(Live, made_up_examples_show_what_the_texts_say) {
  const Matrix critics = live_of("critics").matrix("critics");
  for (const auto& [critic, scene] : {std::pair<Index, Index>{0, 2}, {1, 0}, {2, 3}}) {
    EXPECT_GT(critics(critic, scene), 0.6);
  }
  for (const double share : live_of("critics").matrix("one_head").row(0)) EXPECT_LT(share, 0.4);
  const Matrix cross = live_of("cross").matrix("weights");
  for (Index i = 0; i < 3; ++i) {
    EXPECT_GT(cross(i, i), 0.7);
    for (Index j = 0; j < 3; ++j) EXPECT_LT(cross(i, 3), cross(i, j));
  }
  const Matrix caption = live_of("caption").matrix("weights");
  EXPECT_GT(caption(0, 2), caption(0, 1));
  EXPECT_GT(caption(0, 1), caption(0, 0));
  EXPECT_GT(caption(2, 3), caption(2, 1));
  EXPECT_GT(caption(2, 1), caption(2, 0));
}

TEST(Live, recurrent_state_forgets_and_attention_finds) {
  const Matrix left = live_of("forgetting").matrix("left");
  EXPECT_DOUBLE_EQ(left(0, 0), 1);
  EXPECT_DOUBLE_EQ(left(0, 1), 1);
  EXPECT_LT(left(3, 0), 0.05);
  EXPECT_LT(left(4, 0), 1e-3);
  EXPECT_GT(left(5, 1), 0.5);
  EXPECT_GT(live_of("forgetting", {.controls = {{"gain", 3}}}).matrix("left")(5, 0), 0.1);
}

TEST(Live, measured_times_are_times) {
  const Live waiting = live_of("waiting", {.controls = {{"length", 64}}});
  for (Index i = 0; i < 2; ++i) EXPECT_GT(waiting.matrix("table")(i, 1), 0);
  EXPECT_DOUBLE_EQ(waiting.matrix("table")(0, 0), 2 * 64 * 64 * 64 / 1e6);
  const Live linear = live_of("linear-time", {.controls = {{"length", 64}}});
  for (const double time : linear.matrix("times").values()) EXPECT_GT(time, 0);
  EXPECT_EQ(linear.number("pairs"), 128 * 128);
}

TEST(Live, linear_attention_cannot_point) {
  const Live sharp = live_of("linear", {.controls = {{"sharpness", 10}}});
  EXPECT_GT(sharp.number("exact_largest"), 0.99);
  EXPECT_LT(sharp.number("linear_largest"), 0.7);
  for (Index row = 0; row < 2; ++row) {
    double sum = 0;
    for (const double weight : sharp.matrix("weights").row(row)) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(Live, weights_are_no_explanation) {
  EXPECT_NEAR(live_of("same-output").number("difference"), 0, 1e-15);
  const Live sink = live_of("sink");
  EXPECT_GT(sink.matrix("weights")(0, 0), 0.8);
  EXPECT_LT(sink.matrix("brought")(0, 0), sink.matrix("brought")(0, 1));
  const Live nothing = live_of("sink", {.matrices = {{"values", Matrix(4, 2)}}});
  for (const double share : nothing.matrix("brought").values()) EXPECT_EQ(share, 0);
}

// The card of the model names these heads.
TEST(Live, induction_shows_the_heads_of_the_card) {
  const Live induction = live_of("induction");
  EXPECT_EQ(induction.missing, "");
  EXPECT_EQ(induction.number("previous_head"), 3);
  EXPECT_GT(induction.number("previous"), 0.9);
  EXPECT_EQ(induction.number("follower_layer"), 1);
  EXPECT_GT(induction.number("follower"), 0.9);
  EXPECT_GT(induction.number("chance"), 0.9);
  EXPECT_EQ(induction.matrices.front().column_labels.size(), 11u);
  EXPECT_GT(live_of("first-token").number("largest"), 0.5);
}

TEST(Live, coreference_follows_the_name) {
  if (own_lesson_model("coreference").empty()) GTEST_SKIP() << "models/coreference is not there";
  const Live names = live_of("coreference");
  EXPECT_GT(names.number("right"), 0.9);
  EXPECT_GT(names.number("swapped_right"), 0.9);
  EXPECT_LT(names.number("other"), 0.1);
  EXPECT_LT(names.number("swapped_other"), 0.1);
  const LiveMatrix shown = live_of("coreference", {.controls = {{"swap", 1}}}).matrices.front();
  ASSERT_GT(shown.column_labels.size(), 2u);
  EXPECT_EQ(shown.column_labels[0], "小红");
}

TEST(Live, translation_aligns_words) {
  if (own_lesson_model("en-zh").empty()) GTEST_SKIP() << "models/en-zh is not there";
  const Matrix weights = live_of("translation").matrix("weights");
  for (Index i = 0; i < 3; ++i) {
    double sum = 0;
    for (Index j = 0; j < 4; ++j) sum += weights(i, j);
    EXPECT_LE(sum, 1 + 1e-5);
  }
  EXPECT_GT(weights(1, 1), weights(1, 0));  // 爱: love rather than I
}

// Words are found by their bytes, however a tokenizer splits them: here one token per character, and models
// that learned nothing.
TEST(Live, words_of_several_tokens_are_summed) {
  const TemporaryDirectory folder;
  const std::string data = std::string(FOVEA_TEST_DATA) + "/models/";
  const std::vector<std::string> texts = {"小明把苹果给了小红，她很开心",
                                          "小明去商店买了苹果，然后他回家了", "I love you.", "我爱你。"};
  const std::string tokenizer = train_tokenizer(texts, {.kind = TokenizerKind::characters});
  for (const auto& [name, source] : {std::pair("coreference", "bert"), std::pair("en-zh", "t5")}) {
    const std::filesystem::path to = folder.file(name);
    std::filesystem::create_directory(to);
    for (const char* file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy_file(data + source + "/" + file, to / file);
    }
    std::ofstream(to / "tokenizer.json") << tokenizer;
  }
  const ModelFinder models = [&](const std::string& name) { return folder.file(name); };
  const Live names = live("coreference", Language::chinese, {}, models);
  EXPECT_EQ(names.matrix("weights").columns(), 14);  // characters
  const Matrix row = names.matrix("weights");
  EXPECT_NEAR(names.number("other"), row(0, 0) + row(0, 1), 1e-6);
  EXPECT_NEAR(names.number("right"), row(0, 7) + row(0, 8), 1e-6);
  const Matrix aligned = live("translation", Language::english, {}, models).matrix("weights");
  for (const double weight : aligned.values()) EXPECT_GT(weight, 0);
  const Lesson learned = lesson("learned", Language::english, {.models = [&](const std::string& name) {
                                  return name == "induction" ? own_lesson_model(name) : models(name);
                                }});
  EXPECT_EQ(learned.steps[3].paragraphs.size(), 2u);
  EXPECT_NE(learned.steps[3].paragraphs[1].text.find("never on pairs of words"), std::string::npos);
}

TEST(Live, a_missing_model_is_named) {
  for (const char* id : {"induction", "first-token", "coreference", "translation"}) {
    const Live nothing = live(id, Language::chinese);
    EXPECT_NE(nothing.missing, "") << id;
    EXPECT_TRUE(nothing.matrices.empty()) << id;
    EXPECT_NE(to_terminal(nothing).find(nothing.missing), std::string::npos) << id;
  }
  const ModelFinder none = [](const std::string&) { return std::string(); };
  EXPECT_EQ(live("coreference", Language::english, {{{"swap", 1}}, {}}, none).missing, "coreference");
}

TEST(Live, wrong_input_is_an_error) {
  const auto message = [](const std::string& id, const LiveInput& input) {
    return message_of([&] { live_of(id, input); });
  };
  EXPECT_EQ(message("nothing", {}).rfind("[live] got nothing; there are: library, worked-example", 0), 0u);
  EXPECT_EQ(message("softmax", {.controls = {{"heat", 1}}}),
            "[live] softmax has no control heat; there are: temperature");
  EXPECT_EQ(message("softmax", {.controls = {{"temperature", 0}}}),
            "[live] temperature is 0, expected 0.1 to 10");
  EXPECT_EQ(message("masks", {.controls = {{"pads", 1.5}}}), "[live] pads is 1.5, expected a whole number");
  EXPECT_EQ(message("softmax", {.controls = {{"temperature", std::nan("")}}}),
            "[live] temperature is nan, expected 0.1 to 10");
  EXPECT_EQ(message("softmax", {.matrices = {{"scores", {{1, 2}}}}}),
            "[live] scores is [1, 2], expected [1, 4]");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message("softmax", {.matrices = {{"scores", {{1, 2, 3, infinity}}}}}),
            "[live] scores has the value inf, expected finite numbers");
  EXPECT_EQ(message("softmax", {.matrices = {{"weights", {{1, 2, 3, 4}}}}}),
            "[live] softmax has no matrix to edit weights; there are: scores");
  EXPECT_EQ(message_of([] { live_of("softmax").matrix("x"); }),
            "[live] softmax has no matrix x; there are: scores, weights, raised");
}

TEST(Live, both_languages_label_everything_alike) {
  for (const std::string& id : live_ids()) {
    const Live english = live(id, Language::english, {}, own_lesson_model);
    const Live chinese = live(id, Language::chinese, {}, own_lesson_model);
    EXPECT_NE(english.title, "") << id;
    EXPECT_NE(chinese.title, english.title) << id;
    ASSERT_EQ(english.matrices.size(), chinese.matrices.size()) << id;
    for (std::size_t i = 0; i < english.matrices.size(); ++i) {
      const LiveMatrix &en = english.matrices[i], &zh = chinese.matrices[i];
      EXPECT_NE(en.title, "") << id << " " << en.name;
      EXPECT_EQ(en.row_labels.size(), zh.row_labels.size()) << id << " " << en.name;
      EXPECT_EQ(en.column_labels.size(), zh.column_labels.size()) << id << " " << en.name;
    }
    for (const LiveControl& control : english.controls) EXPECT_NE(control.title, "") << id;
  }
}

}  // namespace
}  // namespace fovea
