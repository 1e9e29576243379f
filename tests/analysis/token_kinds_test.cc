#include "analysis/token_kinds.h"

#include <gtest/gtest.h>

#include "analysis/sequence_structure.h"

namespace fovea {
namespace {

TEST(TokenKinds, special_tokens_by_their_form) {
  for (const char* token :
       {"[CLS]", "[SEP]", "[PAD]", "[MASK]", "<s>", "</s>", "<pad>", "<mask>", "<|endoftext|>",
        "<|im_start|>", "<extra_id_0>", "[unused12]", "<start_of_turn>"}) {
    EXPECT_TRUE(is_special_token(token)) << token;
  }
  for (const char* token :
       {"", "[", "]", "[]", "<>", "<0x0A>", "CLS", "[a b]", "<a.b>", "[1]", "<|>", "[\u6211]"}) {
    EXPECT_FALSE(is_special_token(token)) << token;
  }
}

// They stand for words of the text.
TEST(TokenKinds, unknown_tokens_are_not_special) {
  for (const char* token : {"[UNK]", "<unk>", "<|unk|>", "[unk]"}) {
    EXPECT_TRUE(is_unknown_token(token)) << token;
    EXPECT_FALSE(is_special_token(token)) << token;
    EXPECT_FALSE(is_punctuation_token(token)) << token;
  }
  for (const char* token : {"", "unk", "[CLS]", "[UNKNOWN_LAND]", "<s>"}) {
    EXPECT_FALSE(is_unknown_token(token)) << token;
  }
}

TEST(TokenKinds, punctuation_with_and_without_marks) {
  for (const char* token : {".", ",", "##,", "\u0120(", "\u2581!", "\u3002", "\uFF0C", "\u2026\u2026",
                            "\u300A", "...", "'", "$", "##", "\u060C", "\u201C"}) {
    EXPECT_TRUE(is_punctuation_token(token)) << token;
  }
  for (const char* token :
       {"", "a", "##a", "\u0120", "\u2581", "[SEP]", "</s>", "don't", "1.5", "\u6211\u3002", "\xff"}) {
    EXPECT_FALSE(is_punctuation_token(token)) << token;
  }
}

std::vector<Index> blocks(const std::vector<std::string>& tokens) {
  MeasureOptions options;
  options.tokens = tokens;
  const auto n = static_cast<Index>(tokens.size());
  return sequence_structure(options, n, n).block_of_key;
}

TEST(TokenKinds, blocks_end_at_separators) {
  EXPECT_EQ(blocks({"[CLS]", "a", "[SEP]", "b", "[SEP]"}), (std::vector<Index>{0, 0, 0, 1, 1}));
  EXPECT_EQ(blocks({"<s>", "a", "</s>", "<s>", "b", "</s>"}), (std::vector<Index>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(blocks({"a", "<s>", "b"}), (std::vector<Index>{0, 1, 1}));
  EXPECT_TRUE(blocks({"[CLS]", "a", "[MASK]", "[SEP]"}).empty());  // one block says nothing
  EXPECT_TRUE(blocks({}).empty());
}

Index period(const std::vector<std::string>& tokens) {
  MeasureOptions options;
  options.tokens = tokens;
  const auto n = static_cast<Index>(tokens.size());
  return sequence_structure(options, n, n).period;
}

TEST(TokenKinds, periods_that_fit_twice) {
  EXPECT_EQ(period({"a", "b", "a", "b"}), 2);
  EXPECT_EQ(period({"a", "b", "c", "a", "b", "c", "a"}), 3);
  EXPECT_EQ(period({"<s>", "a", "b", "a", "b", "</s>"}), 2);
  EXPECT_EQ(period({"a", "b", "c", "a"}), 0);
  EXPECT_EQ(period({"a", "a", "a", "a"}), 0);
  EXPECT_EQ(period({"a", "a", "b", "a", "a", "b"}), 3);
  EXPECT_EQ(period({"a"}), 0);
  EXPECT_EQ(period({"<s>", "</s>"}), 0);
  EXPECT_EQ(period({}), 0);
}

// Every sequence of up to seven letters of two, by trying every period.
TEST(TokenKinds, periods_by_trying_all) {
  for (std::size_t length = 1; length <= 9; ++length) {
    for (unsigned bits = 0; bits < 1u << length; ++bits) {
      std::vector<std::string> tokens;
      for (std::size_t i = 0; i < length; ++i) tokens.push_back((bits >> i & 1) != 0 ? "x" : "y");
      std::size_t expected = 0;
      for (std::size_t p = length / 2; p >= 1; --p) {
        bool fits = true;
        for (std::size_t i = p; i < length; ++i) fits = fits && tokens[i] == tokens[i - p];
        if (fits) expected = p;
      }
      EXPECT_EQ(period(tokens), expected > 1 ? static_cast<Index>(expected) : 0) << length << " " << bits;
    }
  }
}

}  // namespace
}  // namespace fovea
