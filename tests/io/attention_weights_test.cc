#include "fovea/attention_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/file.h"
#include "fovea/npz.h"
#include "fovea/safetensors.h"
#include "io/io_testing.h"
#include "io/json_arrays.h"

namespace fovea {
namespace {

// Values that tell their place.
Tensor counted(const Shape& shape) {
  Tensor tensor(shape);
  for (Index i = 0; i < shape.elements(); ++i) tensor.data()[i] = static_cast<float>(i);
  return tensor;
}

NamedArrays one(Tensor tensor, const std::string& name = "weights") {
  NamedArrays arrays("[test]");
  arrays.add(name, std::move(tensor));
  return arrays;
}

TEST(AttentionWeights, every_rank_gets_five_axes) {
  EXPECT_EQ(attention_weights_of(one(counted({3, 4}))).values.shape(), (Shape{1, 1, 1, 3, 4}));
  EXPECT_EQ(attention_weights_of(one(counted({2, 3, 4}))).values.shape(), (Shape{1, 1, 2, 3, 4}));
  const AttentionWeights layers = attention_weights_of(one(counted({5, 2, 3, 4})));
  EXPECT_EQ(layers.values.shape(), (Shape{5, 1, 2, 3, 4}));
  EXPECT_TRUE(layers.axes_assumed);
  EXPECT_EQ(attention_weights_of(one(counted({5, 6, 2, 3, 4}))).values.shape(), (Shape{5, 6, 2, 3, 4}));
}

TEST(AttentionWeights, given_axes_are_moved_to_their_places) {
  const AttentionWeights batch =
      attention_weights_of(one(counted({5, 2, 3, 4})), {.key = "", .axes = "BHNM"});
  EXPECT_EQ(batch.values.shape(), (Shape{1, 5, 2, 3, 4}));
  EXPECT_FALSE(batch.axes_assumed);
  const Tensor file = counted({2, 5, 6, 3, 4});  // B, L, H
  const AttentionWeights moved = attention_weights_of(one(file), {.key = "", .axes = "BLHNM"});
  ASSERT_EQ(moved.values.shape(), (Shape{5, 2, 6, 3, 4}));
  for (Index l = 0; l < 5; ++l) {
    for (Index b = 0; b < 2; ++b) {
      EXPECT_EQ(moved.head(l, b, 3)(2, 1), file(b, l, 3, 2, 1)) << l << " " << b;
    }
  }
  const AttentionWeights turned = attention_weights_of(one(file), {.key = "", .axes = "HLBNM"});
  ASSERT_EQ(turned.values.shape(), (Shape{5, 6, 2, 3, 4}));
  EXPECT_EQ(turned.head(4, 5, 1)(0, 3), file(1, 4, 5, 0, 3));
}

TEST(AttentionWeights, axes_that_make_no_sense_are_refused) {
  for (const char* axes : {"LNMH", "LLNM", "XHNM", "HNM", "LBHNM", "NMLH"}) {
    const std::string message = error_of([&] {
      attention_weights_of(one(counted({5, 2, 3, 4})), {.key = "", .axes = axes});
    });
    EXPECT_TRUE(contains(message, "expected 4 letters")) << axes;
  }
}

TEST(AttentionWeights, rank_one_is_refused) {
  EXPECT_TRUE(contains(error_of([] { attention_weights_of(one(counted({7}))); }), "got rank 1"));
}

TEST(AttentionWeights, one_array_per_layer_is_stacked_by_number) {
  for (const char* pattern : {"attentions.", "attention_", "encoder.layer.", "arr_", ""}) {
    NamedArrays arrays("[test]");
    for (const int layer : {10, 2, 0, 1, 3, 4, 5, 6, 7, 8, 9}) {
      arrays.add(pattern + std::to_string(layer), Tensor::filled({2, 4, 3, 3}, static_cast<float>(layer)));
    }
    const AttentionWeights weights = attention_weights_of(arrays);
    ASSERT_EQ(weights.values.shape(), (Shape{11, 2, 4, 3, 3})) << pattern;
    for (Index l = 0; l < 11; ++l) EXPECT_EQ(weights.head(l, 1, 3)(2, 2), static_cast<float>(l)) << pattern;
  }
}

TEST(AttentionWeights, series_are_chosen_by_the_beginning_of_their_names) {
  NamedArrays arrays("[test]");
  for (int layer = 0; layer < 2; ++layer) {
    arrays.add("encoder_attentions." + std::to_string(layer), Tensor({1, 2, 3, 3}));
    arrays.add("cross_attentions." + std::to_string(layer), Tensor({1, 2, 4, 3}));
  }
  EXPECT_TRUE(contains(error_of([&] { attention_weights_of(arrays); }), "cross_attentions.0"));
  EXPECT_EQ(attention_weights_of(arrays, {.key = "cross_attentions", .axes = ""}).queries(), 4);
  EXPECT_TRUE(contains(error_of([&] { attention_weights_of(arrays, {.key = "decoder", .axes = ""}); }),
                       "no array \"decoder\""));
}

TEST(AttentionWeights, missing_and_different_layers_are_named) {
  NamedArrays arrays("[test]");
  arrays.add("attn_0", Tensor({2, 3, 3}));
  arrays.add("attn_2", Tensor({2, 3, 3}));
  EXPECT_TRUE(contains(error_of([&] { attention_weights_of(arrays); }), "layer 1 is missing"));
  arrays.add("attn_1", Tensor({2, 3, 4}));
  EXPECT_TRUE(contains(error_of([&] { attention_weights_of(arrays); }), "layer 1 has shape [2, 3, 4]"));
}

TEST(AttentionWeights, tokens_of_json) {
  const NamedArrays arrays = parse_json_arrays(
      R"({"weights": [[1, 0], [0.25, 7.5e-1]], "tokens": ["我", "a b"], "model": {"x": 1}, "n": 2})",
      "[json]", "t");
  const AttentionWeights weights = attention_weights_of(arrays);
  EXPECT_EQ(values_of(weights.values), (std::vector<float>{1, 0, 0.25f, 0.75f}));
  EXPECT_EQ(weights.query_tokens, (std::vector<std::string>{"我", "a b"}));
  EXPECT_EQ(weights.key_tokens, weights.query_tokens);
}

TEST(AttentionWeights, tokens_of_queries_and_keys) {
  const AttentionWeights weights = attention_weights_of(parse_json_arrays(
      R"({"weights": [[1, 0, 0]], "query_tokens": ["q"], "key_tokens": ["a", "b", "c"]})", "[json]", "t"));
  EXPECT_EQ(weights.query_tokens, (std::vector<std::string>{"q"}));
  EXPECT_EQ(weights.key_tokens, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(AttentionWeights, tokens_survive_safetensors) {
  const TemporaryFolder folder;
  NamedArrays arrays = one(counted({2, 2}));
  arrays.metadata()["tokens"] = R"(["[CLS]", "é\"\n"])";
  save_safetensors(folder / "w.safetensors", arrays);
  EXPECT_EQ(load_attention_weights(folder / "w.safetensors").key_tokens,
            (std::vector<std::string>{"[CLS]", "é\"\n"}));
  arrays.metadata()["tokens"] = "[CLS] cat";  // plain words
  save_safetensors(folder / "w.safetensors", arrays);
  EXPECT_EQ(load_attention_weights(folder / "w.safetensors").key_tokens,
            (std::vector<std::string>{"[CLS]", "cat"}));
}

TEST(AttentionWeights, texts_of_numpy) {
  const AttentionWeights weights = load_attention_weights(golden("weights_tokens.npz"));
  EXPECT_EQ(weights.query_tokens, (std::vector<std::string>{"我", "喜欢", "AI 🎯"}));
  const NamedArrays arrays = load_npz(golden("weights_tokens.npz"));
  EXPECT_EQ(arrays.metadata().at("bytes"), R"(["ab","c",""])");
  EXPECT_EQ(arrays.metadata().at("big"), R"(["x","é"])");
}

TEST(AttentionWeights, wrong_number_of_tokens_says_both_numbers) {
  AttentionWeights weights = attention_weights_of(one(counted({3, 4})));
  EXPECT_EQ(error_of([&] {
              set_tokens(weights, {"a", "b"});
            }),
            "[test]: got 2 tokens, expected 3, one per query (row)");
  EXPECT_EQ(error_of([&] { set_tokens(weights, {}, {"a"}); }),
            "[test]: got 1 token for the keys, expected 4, one per key (column)");
  set_tokens(weights, {"a", "b", "c"});
  EXPECT_TRUE(weights.key_tokens.empty());  // there are more keys than that
}

TEST(AttentionWeights, files_of_tokens) {
  const TemporaryFolder folder;
  write_file(folder / "lines", "[CLS]\r\n我\n\nx y\n");
  EXPECT_EQ(load_tokens(folder / "lines"), (std::vector<std::string>{"[CLS]", "我", "", "x y"}));
  write_file(folder / "list", " [\"a\", \"\\u00e9\"]\n");
  EXPECT_EQ(load_tokens(folder / "list"), (std::vector<std::string>{"a", "é"}));
  write_file(folder / "numbers", "[\"a\", 1]");
  EXPECT_TRUE(
      contains(error_of([&] { load_tokens(folder / "numbers"); }), "expected a string at position 2"));
  EXPECT_EQ(split_tokens(" a\u3000我  b\n"), (std::vector<std::string>{"a", "我", "b"}));
}

TEST(AttentionWeights, worst_row_is_found) {
  Tensor values({1, 1, 2, 2, 2});
  const float numbers[] = {1, 0, 0.5f, 0.5f, 0, 0, 0.75f, 0.5f};  // the third row sees nothing
  std::copy(std::begin(numbers), std::end(numbers), values.data());
  AttentionWeights weights = attention_weights_of(one(values));
  WeightsCheck check = check_weights(weights);
  EXPECT_EQ(check.rows_not_one, 1);
  EXPECT_EQ(check.head, 1);
  EXPECT_EQ(check.row, 1);
  EXPECT_EQ(check.sum, 1.25);
  weights.values.data()[0] = 0.25f;
  check = check_weights(weights);
  EXPECT_EQ(check.rows_not_one, 2);
  EXPECT_EQ(check.sum, 0.25);
  EXPECT_EQ(check.head, 0);
}

TEST(AttentionWeights, weights_that_are_none_are_named_with_their_place) {
  for (const float bad :
       {-0.5f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Tensor values({3, 2, 2, 2});
    values(2, 1, 0, 1) = bad;
    const std::string message = error_of([&] { check_weights(attention_weights_of(one(values))); });
    EXPECT_TRUE(contains(message, "layer 2, batch entry 0, head 1, query 0, key 1 is ")) << bad;
  }
}

TEST(JsonArrays, ragged_and_other_lists_are_refused) {
  const auto message = [](const std::string& text) {
    return error_of([&] { parse_json_arrays(text, "[json]", "t"); });
  };
  EXPECT_TRUE(contains(message("[[1, 2], [3]]"), "ragged: the first entries say shape [2, 2]"));
  EXPECT_TRUE(contains(message("[[1, 2], 3]"), "a number"));
  EXPECT_TRUE(contains(message("[[1, \"x\"]]"), "expected a number, got string"));
  EXPECT_TRUE(contains(message("[[[[[[1]]]]]]"), "rank"));
  EXPECT_TRUE(contains(message(std::string(100000, '[')), "nested deeper"));
  EXPECT_TRUE(contains(message("[\"a\"]"), "expected nested lists of numbers"));
  EXPECT_TRUE(contains(message("3"), "got number"));
  EXPECT_TRUE(contains(message(R"({"tokens": ["a", 1]})"), "expected a string at position 2"));
  EXPECT_EQ(message("[[], []]"), "");
}

}  // namespace
}  // namespace fovea
