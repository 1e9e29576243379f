// Ids, offsets and decoding against what the library `tokenizers` gave (make_tokenizers.py wrote it down).
#include <gtest/gtest.h>

#include "tokenizer_testing.h"

namespace fovea {
namespace {

using testing::data_json;
using testing::data_path;
using testing::sample_texts;

std::vector<Index> flat(const std::vector<TextSpan>& spans) {
  std::vector<Index> numbers;
  for (const TextSpan& span : spans) {
    numbers.push_back(span.begin);
    numbers.push_back(span.end);
  }
  return numbers;
}

class Published : public ::testing::TestWithParam<const char*> {
 protected:
  Tokenizer tokenizer_ = Tokenizer::load(data_path(std::string(GetParam()) + ".json"));
  Json expected_ = data_json("expected_" + std::string(GetParam()) + ".json");
  std::vector<std::string> texts_ = sample_texts();

  template <typename Value>
  Value expected(const char* field, std::size_t i) const {
    return expected_.at(field).at(i).get<Value>();
  }
};

TEST_P(Published, ids) {
  ASSERT_EQ(expected_.at("ids").size(), texts_.size());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    EXPECT_EQ(tokenizer_.encode(texts_[i]).ids, expected<std::vector<Index>>("ids", i)) << texts_[i];
  }
}

TEST_P(Published, offsets_and_decoding) {
  for (std::size_t i = 0; i < expected_.at("characters").size(); ++i) {
    const std::string& text = texts_[3 * i];
    const Encoding encoding = tokenizer_.encode(text);
    EXPECT_EQ(flat(encoding.characters), expected<std::vector<Index>>("characters", i)) << text;
    EXPECT_EQ(tokenizer_.decode(encoding.ids), expected<std::string>("decoded", i)) << text;
  }
}

TEST_P(Published, words) {
  for (std::size_t i = 0; i < expected_.at("word_ids").size(); ++i) {
    EXPECT_EQ(tokenizer_.encode(texts_[4 * i]).word_ids, expected<std::vector<Index>>("word_ids", i));
  }
}

TEST_P(Published, pairs) {
  for (std::size_t i = 0; i < expected_.at("pair_ids").size(); ++i) {
    const Encoding encoding = tokenizer_.encode(texts_[60 + i], texts_[72 + i]);
    EXPECT_EQ(encoding.ids, expected<std::vector<Index>>("pair_ids", i));
    if (i >= expected_.at("pair_type_ids").size()) continue;
    EXPECT_EQ(encoding.type_ids, expected<std::vector<Index>>("pair_type_ids", i));
  }
}

// Byte offsets have no golden: they must be the bytes of the same characters.
TEST_P(Published, bytes_and_characters_agree) {
  for (const std::string& text : texts_) {
    const Encoding encoding = tokenizer_.encode(text);
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
      const auto characters_before = [&](std::int32_t byte) {
        std::int32_t count = 0;
        for (std::int32_t k = 0; k < byte; ++k) count += (text[static_cast<std::size_t>(k)] & 0xC0) != 0x80;
        return count;
      };
      EXPECT_EQ(encoding.characters[i].begin, characters_before(encoding.bytes[i].begin)) << text;
      EXPECT_EQ(encoding.characters[i].end, characters_before(encoding.bytes[i].end)) << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, Published,
                         ::testing::Values("word_piece", "roberta", "llama3", "llama2", "t5",
                                           "other_parts"),
                         [](const auto& tested) { return std::string(tested.param); });

void expect_same_ids(const Tokenizer& plain, const Tokenizer& json) {
  for (const std::string& text : sample_texts()) {
    const Encoding one = plain.encode(text), other = json.encode(text);
    EXPECT_EQ(one.ids, other.ids) << text;
    EXPECT_EQ(one.characters, other.characters) << text;
    EXPECT_EQ(plain.decode(one.ids), json.decode(one.ids)) << text;
  }
  EXPECT_EQ(plain.size(), json.size());
}

TEST(PlainFiles, vocab_txt_is_bert) {
  expect_same_ids(Tokenizer::load(data_path("vocab.txt")), Tokenizer::load(data_path("word_piece.json")));
}

TEST(PlainFiles, vocab_json_with_merges_is_roberta) {
  expect_same_ids(Tokenizer::load(data_path("vocab.json")), Tokenizer::load(data_path("roberta.json")));
}

TEST(PlainFiles, spiece_model_is_t5) {
  expect_same_ids(Tokenizer::load(data_path("spiece.model")), Tokenizer::load(data_path("t5.json")));
}

// Expected ids come from SentencePiece itself.
TEST(PlainFiles, tokenizer_model_is_llama) {
  const Tokenizer tokenizer = Tokenizer::load(data_path("tokenizer.model"));
  const Json expected = data_json("expected_llama_model.json");
  const std::vector<std::string> texts = sample_texts();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].find("<s>") != std::string::npos || texts[i].find("</s>") != std::string::npos) continue;
    EXPECT_EQ(tokenizer.encode(texts[i]).ids, expected.at(i).get<std::vector<Index>>()) << texts[i];
  }
}

}  // namespace
}  // namespace fovea
