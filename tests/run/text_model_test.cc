// A model with its tokenizer: from texts to runs.
#include "fovea/text_model.h"

#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::tiny_model;

TEST(TextModel, a_pair_has_segments_and_one_sequence) {
  const TextModel model = TextModel::load(tiny_model("bert"));
  const TextRun read = model.read({"the cat sat", "a quick fox"});
  const TokenSequence& sequence = read.run.tokens(AttentionKind::encoder).queries.front();
  EXPECT_EQ(sequence.tokens, (std::vector<std::string>{"[CLS]", "the", "cat", "sat", "[SEP]", "a", "quick",
                                                       "fox", "[SEP]"}));
  EXPECT_EQ(sequence.segments, (std::vector<Index>{0, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(sequence.begins[2], 4);
  EXPECT_EQ(sequence.ends[2], 7);
  EXPECT_EQ(read.run.layers(AttentionKind::encoder), model.model().config().layers);
  EXPECT_EQ(read.cut, 0);
}

// Running the input again, with another probe, gives the same queries.
TEST(TextModel, the_input_runs_again) {
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const TextRun read = model.read({"the cat sat"});
  Capture again;
  static_cast<void>(model.model().run(read.input, {&again, false}));
  const Tensor a = Tensor::copy_of(read.run.layer(AttentionKind::decoder, 1).q);
  const Tensor b = Tensor::copy_of(again.calls()[1].q);
  ASSERT_EQ(a.shape(), b.shape());
  for (Index i = 0; i < a.shape().elements(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]);
}

TEST(TextModel, what_is_too_long_is_cut_and_counted) {
  const TextModel model = TextModel::load(tiny_model("bert"));
  const Index most = model.model().config().max_tokens;
  std::string text;
  for (Index i = 0; i < most + 10; ++i) text += "cat ";
  const TextRun read = model.read({text});
  EXPECT_EQ(read.input.ids.shape()[1], most);
  EXPECT_EQ(read.cut, 12);  // ten more, and two places are [CLS]'s and [SEP]'s
}

// The second text is what the decoder is made to write: it reads it one token behind.
TEST(TextModel, an_encoder_decoder_reads_what_it_is_made_to_write) {
  const TextModel model = TextModel::load(tiny_model("t5"));
  const TextRun read = model.read({"the cat sat", "a quick fox"});
  const TokenSequence& written = read.run.tokens(AttentionKind::decoder).queries.front();
  const Encoding target = model.encode({"a quick fox"});
  ASSERT_EQ(written.ids.size(), target.ids.size());
  EXPECT_EQ(written.ids.front(), model.model().config().decoder_start_id);
  for (std::size_t i = 1; i < written.ids.size(); ++i) {
    EXPECT_EQ(written.ids[i], target.ids[i - 1]);
    EXPECT_EQ(written.tokens[i], target.tokens[i - 1]);
    EXPECT_EQ(written.begins[i], target.bytes[i - 1].begin);
    EXPECT_EQ(written.ends[i], target.bytes[i - 1].end);
  }
  EXPECT_EQ(read.run.kinds().size(), 3u);
}

TEST(TextModel, what_was_generated_is_captured_with_its_prompt) {
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const Encoding prompt = model.encode({"the cat"});
  const TextRun read = model.read_generated(prompt, {5, 6, 7});
  EXPECT_EQ(read.run.tokens(AttentionKind::decoder).queries.front().ids.size(), prompt.ids.size() + 3);
  EXPECT_EQ(read.run.layer(AttentionKind::decoder, 0).queries(), prompt.size() + 3);
}

// RoBERTa numbers both texts of a pair alike, people do not.
TEST(TextModel, segments_tell_the_texts_of_a_pair_apart) {
  const Tokenizer tokenizer = Tokenizer::from_json(R"({
      "pre_tokenizer": {"type": "Whitespace"},
      "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0],
                         "trim_offsets": true, "add_prefix_space": false},
      "model": {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "the": 4, "cat": 5, "sat": 6}}})");
  const TextModel model(load_model(tiny_model("roberta")), tokenizer);
  const TextRun read = model.read({"the cat", "sat"});
  const TokenSequence& sequence = read.run.tokens(AttentionKind::encoder).queries.front();
  EXPECT_EQ(sequence.tokens,
            (std::vector<std::string>{"<s>", "the", "cat", "</s>", "</s>", "sat", "</s>"}));
  EXPECT_EQ(sequence.segments, (std::vector<Index>{0, 0, 0, 0, 0, 1, 1}));
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(read.input.segments(0, i), 0);
}

TEST(TextModel, wrong_numbers_of_texts_are_errors) {
  const TextModel model = TextModel::load(tiny_model("bert"));
  EXPECT_THROW(model.read({}), Error);
  EXPECT_THROW(model.read({"a", "b", "c"}), Error);
  EXPECT_THROW(TextModel::load(tiny_model("t5")).read({"a", "b", "c"}), Error);
}

}  // namespace
}  // namespace fovea
