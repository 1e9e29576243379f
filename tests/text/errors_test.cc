// Files that are broken or not understood: an Error that names the place and what is wrong.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/message_of.h"
#include "tokenizer_testing.h"

namespace fovea {
namespace {

using testing::message_of;
using testing::SmallTokenizer;

std::string error_of(const SmallTokenizer& tokenizer) {
  return message_of([&] { tokenizer.make(); });
}

constexpr const char* kPlace = "[tokenizer] tokenizer.json: ";

TEST(TokenizerErrors, unknown_parts_are_named) {
  EXPECT_EQ(error_of({.normalizer = R"({"type": "Magic"})"}).substr(0, 74),
            std::string(kPlace) + "normalizer: unknown type \"Magic\"; supported: S");
  EXPECT_EQ(
      error_of({.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}]})"})
          .substr(0, 102),
      std::string(kPlace) + "pre_tokenizer.pretokenizers[0]: unknown type \"UnicodeScripts\"; supported: ");
  EXPECT_NE(error_of({.decoder = R"({"type": "CTC"})"}).find("\"CTC\""), std::string::npos);
  EXPECT_NE(error_of({.post_processor = R"({"type": "Other"})"}).find("\"Other\""), std::string::npos);
  EXPECT_EQ(error_of({.model = R"({"type": "CharLevel", "vocab": {}})"}),
            std::string(kPlace) +
                "model: unknown type \"CharLevel\"; supported: WordPiece, WordLevel, BPE, Unigram");
}

TEST(TokenizerErrors, unknown_patterns_are_quoted) {
  EXPECT_EQ(
      error_of(
          {.pre_tokenizer =
               R"({"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Isolated", "invert": false})"}),
      std::string(kPlace) + "pre_tokenizer.pattern: unsupported regular expression \"[a-z]+\"");
  EXPECT_NE(error_of({.normalizer = R"({"type": "Replace", "pattern": {"Regex": "x*"}, "content": ""})"})
                .find("\"x*\""),
            std::string::npos);
}

TEST(TokenizerErrors, types_and_missing_fields) {
  EXPECT_EQ(error_of({.normalizer = R"({"type": "Prepend", "prepend": 3})"}),
            std::string(kPlace) + "normalizer.prepend: expected a string, got number");
  EXPECT_EQ(error_of({.normalizer = R"({"type": "Prepend"})"}),
            std::string(kPlace) + "normalizer: \"prepend\" is missing");
  EXPECT_EQ(error_of({.normalizer = "[]"}),
            std::string(kPlace) + "normalizer: expected an object, got array");
  EXPECT_EQ(message_of([] { Tokenizer::from_json("[]"); }),
            "[tokenizer] tokenizer.json: expected an object, got array");
  EXPECT_EQ(message_of([] { Tokenizer::from_json("{", "x.json"); }).substr(0, 38),
            "[tokenizer] x.json: line 1, column 2: ");
  EXPECT_EQ(message_of([] { Tokenizer::from_json(R"({"version": "2.0"})"); }),
            "[tokenizer] tokenizer.json: unknown version \"2.0\"; supported: 1.0");
}

TEST(TokenizerErrors, vocabularies) {
  EXPECT_EQ(error_of({.model = R"({"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"a": 0}})"}),
            std::string(kPlace) + "model.unk_token: the token \"[UNK]\" is not in the vocabulary");
  EXPECT_EQ(
      error_of({.model = R"({"type": "WordPiece", "unk_token": "a", "vocab": {"a": 4000000000}})"}),
      std::string(kPlace) + "model.vocab[\"a\"]: got 4000000000, expected a whole number from 0 to 65540");
  EXPECT_EQ(error_of({.model = R"({"type": "WordPiece", "unk_token": "a", "vocab": {"a": -1}})"}),
            std::string(kPlace) + "model.vocab[\"a\"]: got -1, expected a whole number from 0 to 65540");
  EXPECT_EQ(error_of({.model = R"({"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]})"}),
            std::string(kPlace) + "model.merges[0]: the token \"ab\" is not in the vocabulary");
  EXPECT_EQ(error_of({.model = R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]})"}),
            std::string(kPlace) + "model.merges[0]: expected two tokens separated by a space, got \"a\"");
  EXPECT_EQ(error_of({.model = R"({"type": "BPE", "dropout": 0.5, "vocab": {}, "merges": []})"}),
            std::string(kPlace) +
                "model.dropout: got 0.5, only 0 is supported: tokens must not depend on "
                "chance");
  EXPECT_EQ(error_of({.model = R"({"type": "Unigram", "vocab": [["a", 1]], "unk_id": 7})"}),
            std::string(kPlace) + "model.unk_id: got 7, expected a whole number from 0 to 0");
  EXPECT_EQ(error_of({.post_processor = R"({"type": "BertProcessing", "cls": ["x", 5], "sep": ["y", 6]})"}),
            std::string(kPlace) + "post_processor.cls[1]: there is no token with the id 5");
}

TEST(TokenizerErrors, a_unigram_without_unknown_token) {
  const Tokenizer tokenizer =
      SmallTokenizer{.model = R"({"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": null})"}.make();
  EXPECT_EQ(tokenizer.encode("aa").size(), 2);
  EXPECT_EQ(message_of([&] { tokenizer.encode("ab"); }),
            "[tokenizer] the character at byte 1 of a word has no token, and there is no unknown token");
}

TEST(TokenizerErrors, binary_files) {
  const auto llama2c = [](const std::string& bytes) {
    return message_of([&] { Tokenizer::from_llama2c(bytes); });
  };
  EXPECT_EQ(llama2c("abc"), "[tokenizer] tokenizer.bin: only 3 bytes");
  EXPECT_EQ(llama2c(std::string(7, '\0')), "[tokenizer] tokenizer.bin: token 0 ends at byte 7, too early");
  EXPECT_EQ(llama2c(std::string(8, '\0') + "\xFF" + std::string(3, '\0')),
            "[tokenizer] tokenizer.bin: token 0 has 255 bytes, but only 0 are left");
  EXPECT_EQ(llama2c(std::string(12, '\0')),
            "[tokenizer] tokenizer.bin: expected at least 259 tokens, got 1");
  const auto pieces = [](const std::string& bytes) {
    return message_of([&] { Tokenizer::from_sentence_piece(bytes); });
  };
  EXPECT_EQ(pieces(""), "[tokenizer] spiece.model: no pieces found: not a SentencePiece model");
  EXPECT_EQ(pieces("\x0A\x7F"), "[tokenizer] spiece.model: a field has 127 bytes, but only 0 are left");
  EXPECT_EQ(pieces("{}"), "[tokenizer] spiece.model: a field of the wire type 3: not a protocol buffer");
}

TEST(TokenizerErrors, paths) {
  EXPECT_NE(message_of([] { Tokenizer::load("/no/such/file.json"); }).find("/no/such/file.json"),
            std::string::npos);
  const std::string folder = ::testing::TempDir() + "fovea-empty-tokenizer";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(
      message_of([&] { Tokenizer::load(folder); }),
      "[tokenizer] " + folder +
          ": there is no tokenizer.json, spiece.model, tokenizer.model, source.spm, vocab.json, vocab.txt "
          "or tokenizer.bin");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fovea
