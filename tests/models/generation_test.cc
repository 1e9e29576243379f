// Choosing tokens, and decoding with a cache.
#include <algorithm>

#include "fovea/generation.h"

#include "fovea/random.h"
#include "io/io_testing.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::tiny_model;

TEST(ChooseToken, greedy_takes_the_first_of_the_largest) {
  EXPECT_EQ(choose_token(Tensor::from({1, 3, 2, 3}), {}, 0.9), 1);
}

// Frequencies over evenly spread numbers are the probabilities.
TEST(ChooseToken, draws_by_probability) {
  const Tensor logits = Tensor::from({std::log(1.0), std::log(5.0), std::log(4.0)});
  const auto counts = [&](const GenerationOptions& options) {
    std::vector<int> found(3, 0);
    for (int i = 0; i < 10000; ++i)
      ++found[static_cast<std::size_t>(choose_token(logits, options, i / 10000.0))];
    return found;
  };
  GenerationOptions options;
  options.temperature = 1;
  const std::vector<int> drawn = counts(options);
  EXPECT_NEAR(drawn[0], 1000, 1);
  EXPECT_NEAR(drawn[1], 5000, 1);
  EXPECT_NEAR(drawn[2], 4000, 1);
  options.top_k = 2;
  EXPECT_NEAR(counts(options)[1], 5556, 1);
  EXPECT_EQ(counts(options)[0], 0);
  options.top_k = 0;
  options.top_p = 0.5;  // reached by the likeliest alone
  EXPECT_EQ(counts(options)[1], 10000);
  options.top_p = 0.51;
  EXPECT_EQ(counts(options)[0], 0);
  options.top_p = 1;
  options.temperature = 0.5;  // squares: 1, 25, 16
  EXPECT_NEAR(counts(options)[1], 10000 * 25 / 42, 1);
}

class DecodingModels : public ::testing::TestWithParam<const char*> {};

// One token after the other, in pieces, or all at once: the same logits.
TEST_P(DecodingModels, pieces_give_the_logits_of_the_whole) {
  const Model model = load_model(tiny_model(GetParam()));
  const bool reads_first = model.config().is_encoder_decoder();
  const std::vector<Index> ids = {5, 9, 3, 44, 21, 8, 8, 30, 2};
  ModelInput input{Ids({1, 9}, ids), {}, {}, {}};
  if (reads_first) input.decoder_ids = input.ids;
  const Tensor whole = model.run(input).logits;
  for (const std::size_t piece : {1u, 2u, 4u, 9u}) {
    Decoding decoding(model, reads_first ? ids : std::vector<Index>());
    for (std::size_t at = 0; at < ids.size(); at += piece) {
      const std::size_t end = std::min(at + piece, ids.size());
      const Tensor logits = decoding.next(
          {ids.begin() + static_cast<std::ptrdiff_t>(at), ids.begin() + static_cast<std::ptrdiff_t>(end)});
      ASSERT_EQ(decoding.size(), static_cast<Index>(end));
      for (Index v = 0; v < model.config().vocabulary; ++v) {
        ASSERT_NEAR(logits(v), whole(0, static_cast<Index>(end) - 1, v), 2e-4f) << "pieces of " << piece;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, DecodingModels,
                         ::testing::Values("gpt2", "llama", "qwen2", "t5", "t5v11", "bart", "bart_apart",
                                           "marian", "marian_two", "mbart"));

TEST(Generate, the_same_seed_gives_the_same_text_and_the_length_ends_it) {
  const Model model = load_model(tiny_model("llama"));
  GenerationOptions options;
  options.temperature = 1.5;
  options.stop_at_end = false;
  options.seed = 3;
  std::vector<Index> told;
  options.on_token = [&](Index id) { told.push_back(id); };
  const Generation first = generate(model, {4, 5, 6}, options);
  EXPECT_EQ(first.ids.size(), 46u);  // 48 positions: 3 read, 45 of its own read, one more told
  EXPECT_EQ(told, first.ids);
  EXPECT_EQ(generate(model, {4, 5, 6}, options).ids, first.ids);
  options.seed = 4;
  EXPECT_NE(generate(model, {4, 5, 6}, options).ids, first.ids);
}

TEST(Generate, stops_at_the_end_token) {
  const Model model = load_model(tiny_model("t5v11"));  // its greedy text has </s>, id 1
  const NamedArrays golden = load_safetensors(tiny_model("t5v11") + "/golden.safetensors");
  const std::vector<Index>& all = golden.ids("generated").values();
  const auto end = std::find(all.begin(), all.end(), 1);
  ASSERT_NE(end, all.end());
  const Ids& ids = golden.ids("ids");
  const Generation result = generate(model, {ids.data(), ids.data() + ids.shape()[1]});
  EXPECT_TRUE(result.ended);
  EXPECT_EQ(result.ids, std::vector<Index>(all.begin(), end));
}

TEST(Generate, what_cannot_be_done_is_told) {
  const Model llama = load_model(tiny_model("llama")), bert = load_model(tiny_model("bert"));
  const std::vector<Index> long_prompt(49, 5);
  EXPECT_TRUE(contains(error_of([&] { generate(bert, {1}); }), "BERT models have no decoder"));
  EXPECT_TRUE(contains(error_of([&] { generate(llama, {}); }), "no tokens were given"));
  EXPECT_TRUE(contains(error_of([&] { generate(llama, long_prompt); }),
                       "49 tokens after 0 exceed the model's limit of 48"));
  EXPECT_TRUE(contains(error_of([&] { generate(llama, {64}); }), "token 64, expected 0 to 63"));
  GenerationOptions options;
  options.top_p = 0;
  EXPECT_TRUE(contains(error_of([&] { generate(llama, {1}, options); }), "0 < top_p"));
}

}  // namespace
}  // namespace fovea
