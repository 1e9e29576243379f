// Predictions, and places as people write them.
#include "fovea/predict.h"

#include <cmath>

#include "fovea/places.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::tiny_model;

TEST(Predict, probabilities_and_divergence_by_hand) {
  const Tensor two = Tensor::from({std::log(1.0f), std::log(3.0f)}), same = Tensor::from({5, 5});
  EXPECT_NEAR(std::exp(log_probabilities(two)[1]), 0.75, 1e-7);
  EXPECT_NEAR(kl_divergence(two, same), 0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-7);
  EXPECT_EQ(kl_divergence(two, two), 0);
  EXPECT_NEAR(std::exp(log_probabilities(Tensor::from({1000, 1000}))[0]), 0.5, 1e-12);
  EXPECT_EQ(sentence_vector(Tensor::from({{{1, 2}, {3, 6}}})), (std::vector<double>{2, 4}));
  EXPECT_NEAR(cosine({1, 0}, {1, 1}), std::sqrt(0.5), 1e-12);
  EXPECT_THROW(cosine({1}, {1, 2}), Error);
}

TEST(Predict, top_tokens_and_moves) {
  const TextModel model = TextModel::load(tiny_model("bert"));
  Tensor before({64}), after({64});
  before(9) = before(7) = 2;
  after(9) = -1;
  after(8) = 2.5f;
  const std::vector<TokenPrediction> top = top_tokens(model, before, 3);
  EXPECT_EQ(top[0].id, 7);  // equal ones by id
  EXPECT_EQ(top[1].id, 9);
  EXPECT_EQ(top[1].token, *model.tokenizer().id_to_token(9));
  EXPECT_NEAR(top[0].probability, std::exp(2) / (2 * std::exp(2) + 62), 1e-12);
  const std::vector<LogitMove> moves = largest_moves(model, before, after, 2);
  EXPECT_EQ(moves[0].id, 9);
  EXPECT_EQ(moves[1].id, 8);
}

TEST(Predict, masks_and_last_tokens) {
  const TextModel bert = TextModel::load(tiny_model("bert")), gpt2 = TextModel::load(tiny_model("gpt2"));
  EXPECT_EQ(predicted_positions(bert, bert.read({"the [MASK] sat [MASK]"})), (std::vector<Index>{2, 4}));
  EXPECT_THROW(predicted_positions(bert, bert.read({"the cat"})), Error);
  const TextRun read = gpt2.read({"the cat"});
  EXPECT_EQ(predicted_positions(gpt2, read), (std::vector<Index>{read.input.ids.shape()[1] - 1}));
}

TEST(Predict, a_text_is_read_again_under_a_change) {
  const TextModel model = TextModel::load(tiny_model("t5"));
  ReadOptions options;
  options.write = false;
  const TextRun plain = model.read({"the cat sat"}, options);
  EXPECT_EQ(plain.input.decoder_ids.shape()[1], 1);
  options.intervention = parse_edges("enc.L1H*:*->cat", model.model().config(), plain.run);
  const TextRun changed = model.read_again(plain, options);
  EXPECT_EQ(changed.run.key_tokens(AttentionKind::encoder), plain.run.key_tokens(AttentionKind::encoder));
  const Tensor weights = changed.run.weights({.layer = 1, .head = 2});
  for (Index i = 0; i < weights.shape()[0]; ++i) EXPECT_EQ(weights(i, 1), 0) << i;
  EXPECT_GT(plain.run.weights({.layer = 1, .head = 2})(0, 1), 0);
}

TEST(Places, heads_and_activations) {
  ModelConfig config;
  config.family = ModelFamily::gpt2;
  config.layers = 4;
  const std::vector<HeadPlace> heads = parse_heads("L2H3,l1H*,L*H0", config);
  ASSERT_EQ(heads.size(), 6U);
  EXPECT_EQ(heads[0].heads, std::vector<Index>{3});
  EXPECT_TRUE(heads[1].heads.empty());
  EXPECT_EQ(heads[5].layer, 3);
  EXPECT_EQ(heads[0].kind, AttentionKind::decoder);
  for (const char* wrong :
       {"", "L2", "H3", "L4H0", "L2H3 ", "L-1H0", "enc.L0H0", "L0H99999999999999999999"}) {
    EXPECT_THROW(parse_heads(wrong, config), Error) << wrong;
  }
  EXPECT_EQ(parse_activation("L2H1.v", config).heads, std::vector<Index>{1});
  EXPECT_EQ(parse_activation("blocks.3.attn.hook_q", config).site, ActivationSite::projected_q);
  EXPECT_EQ(parse_activation("blocks.3.attn.hook_pattern", config).site, ActivationSite::pattern);
  const ActivationPlace stream = parse_activation("blocks.3.hook_resid_post", config);
  EXPECT_EQ(stream.site, ActivationSite::resid_post);
  EXPECT_EQ(stream.layer, 3);
  for (const char* wrong :
       {"blocks.4.attn.hook_q", "blocks.1.hook_mlp", "L1H2.resid_post", "L*.q", "L1.x"}) {
    EXPECT_THROW(parse_activation(wrong, config), Error) << wrong;
  }
  config.family = ModelFamily::t5;
  config.decoder_layers = 2;
  EXPECT_THROW(parse_heads("L0H0", config), Error);  // of which kind?
  EXPECT_EQ(parse_heads("cross.L1H0", config)[0].kind, AttentionKind::cross);
  EXPECT_EQ(parse_activation("decoder.1.cross_attn.hook_v", config).kind, AttentionKind::cross);
}

TEST(Places, tokens_by_name_and_position) {
  const std::vector<std::string> tokens = {"<s>", "▁the", "▁cat", "▁the", "s", "7"};
  EXPECT_EQ(parse_position("cat", tokens), 2);
  EXPECT_EQ(parse_position(" cat", tokens), 2);
  EXPECT_EQ(parse_position("▁cat", tokens), 2);
  EXPECT_EQ(parse_position("4", tokens), 4);
  EXPECT_EQ(parse_position("\"7\"", tokens), 5);
  EXPECT_EQ(parse_position("ing", {"sing", "##ing"}), 1);
  const std::vector<std::string> bytes = {"Ġ", "çĪ±", "Ġä½ł"};  // 爱, 你 as GPT-2's vocabulary writes them
  EXPECT_EQ(parse_position("爱", bytes), 1);
  EXPECT_EQ(parse_position("çĪ±", bytes), 1);
  EXPECT_EQ(parse_position("你", bytes), 2);
  EXPECT_EQ(parse_position(" 你", bytes), 2);
  EXPECT_EQ(parse_position("Ġ你", bytes), 2);
  for (const char* wrong : {"6", "dog", "-1", ""})
    EXPECT_THROW(parse_position(wrong, tokens), Error) << wrong;
  try {
    parse_position("the", tokens);
    FAIL() << "occurs twice";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("at 1, 3"), std::string::npos) << error.what();
  }
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  EXPECT_EQ(*model.tokenizer().id_to_token(one_token(model, " cat")), "Ġcat");
  EXPECT_EQ(*model.tokenizer().id_to_token(one_token(model, "cat")), "cat");
  EXPECT_THROW(one_token(model, " dog"), Error);
  EXPECT_THROW(one_token(TextModel::load(tiny_model("bert")), "☃"), Error);  // one token, but unknown
  // Values of cross-attention stand at the encoder's tokens.
  const TextModel t5 = TextModel::load(tiny_model("t5"));
  const TextRun read = t5.read({"the cat sat", "dog"});
  EXPECT_EQ(parse_patch("cross.L1.v@sat", t5.model().config(), read.run).positions, std::vector<Index>{2});
  EXPECT_THROW(parse_patch("cross.L1.q@sat", t5.model().config(), read.run), Error);
  // What is patched comes from texts that are as long, both of them.
  EXPECT_NO_THROW(parse_patches({"dec.L0.q"}, t5, read, t5.read({"sat cat the", "dog"})));
  EXPECT_THROW(parse_patches({"dec.L0.q"}, t5, read, t5.read({"the cat", "dog"})), Error);
  EXPECT_THROW(parse_patches({"dec.L0.q"}, t5, read, t5.read({"the cat sat", "dog dog"})), Error);
}

}  // namespace
}  // namespace fovea
