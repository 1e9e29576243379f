// Marian's tokenizer, source.spm, target.spm and vocab.json, against MarianTokenizer of transformers
// (make_marian.py wrote down what it gave).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/message_of.h"
#include "support/temporary_directory.h"
#include "tokenizer_testing.h"

namespace fovea {
namespace {

using testing::data_json;
using testing::data_path;
using testing::message_of;

void copy_marian(const TemporaryDirectory& to) {
  for (const char* name : {"source.spm", "target.spm", "vocab.json", "target_vocab.json"}) {
    std::filesystem::copy_file(data_path("marian/") + name, to.file(name));
  }
}

void expect_as_transformers(const Tokenizer& tokenizer, const Json& expected,
                            const std::vector<std::string>& texts) {
  const Tokenizer target = tokenizer.target();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Encoding read = tokenizer.encode(texts[i]), written = target.encode(texts[i]);
    EXPECT_EQ(read.ids, expected.at("source").at(i).get<std::vector<Index>>()) << texts[i];
    EXPECT_EQ(written.ids, expected.at("target").at(i).get<std::vector<Index>>()) << texts[i];
    EXPECT_EQ(target.decode(written.ids), expected.at("decoded").at(i).get<std::string>()) << texts[i];
  }
}

TEST(Marian, ids_and_texts_are_those_of_transformers) {
  const Json expected = data_json("marian/expected.json");
  const auto texts = expected.at("texts").get<std::vector<std::string>>();
  const Tokenizer tokenizer = Tokenizer::load(data_path("marian"));
  expect_as_transformers(tokenizer, expected.at("one"), texts);
  EXPECT_EQ(tokenizer.encode(texts[0], texts[1]).ids,
            expected.at("one").at("pair").get<std::vector<Index>>());
  EXPECT_EQ(Tokenizer::load(data_path("marian/source.spm")).encode(texts[0]).ids,
            tokenizer.encode(texts[0]).ids);
}

TEST(Marian, two_vocabularies) {
  const TemporaryDirectory folder;
  copy_marian(folder);
  std::ofstream(folder.file("tokenizer_config.json")) << R"({"separate_vocabs": true})";
  const Json expected = data_json("marian/expected.json");
  auto texts = expected.at("texts").get<std::vector<std::string>>();
  for (std::string& text : texts) {
    for (std::size_t at = 0; (at = text.find("<pad>")) != text.npos;) text.erase(at, 5);
  }
  expect_as_transformers(Tokenizer::load(folder.file("")), expected.at("two"), texts);
}

TEST(Marian, tokens_know_where_they_stand) {
  const Tokenizer tokenizer = Tokenizer::load(data_path("marian"));
  const std::string text = ">>fra<< The  heads";
  const Encoding encoding = tokenizer.encode(text);
  ASSERT_GT(encoding.size(), 4);
  EXPECT_EQ(encoding.tokens.front(), ">>fra<<");
  EXPECT_EQ(encoding.bytes.front(), (TextSpan{0, 7}));
  EXPECT_EQ(encoding.tokens.back(), "</s>");
  EXPECT_EQ(encoding.bytes[static_cast<std::size_t>(encoding.size()) - 2].end, 18);
  EXPECT_TRUE(encoding.unknown.empty());
  EXPECT_FALSE(tokenizer.is_special(encoding.ids.front()));
  EXPECT_TRUE(tokenizer.is_special(encoding.ids.back()));

  const Encoding unknown = tokenizer.encode(">>xyz<< a");
  ASSERT_EQ(unknown.unknown.size(), 1u);
  EXPECT_EQ(unknown.unknown[0].written, ">>xyz<<");
}

TEST(Marian, what_is_missing_or_broken_is_named) {
  const TemporaryDirectory folder;
  const auto message = [&] { return message_of([&] { Tokenizer::load(folder.file("")); }); };
  const auto expect_says = [&](const std::string& what) {
    EXPECT_NE(message().find(what), std::string::npos) << message();
  };
  copy_marian(folder);
  EXPECT_EQ(message(), "no error");
  std::filesystem::remove(folder.file("target.spm"));
  expect_says("there is no target.spm; Marian's tokenizer is source.spm, target.spm and vocab.json");
  std::filesystem::copy_file(data_path("spiece.model"), folder.file("target.spm"));
  EXPECT_EQ(message(), "no error");  // any model of SentencePiece will do
  std::ofstream(folder.file("target.spm")) << "no model";
  expect_says("target.spm: ");
  std::filesystem::remove(folder.file("source.spm"));
  expect_says("there is no source.spm");
}

TEST(Marian, vocabularies_are_checked) {
  const TemporaryDirectory folder;
  copy_marian(folder);
  const auto message_with = [&](const std::string& vocabulary) {
    std::ofstream(folder.file("vocab.json")) << vocabulary;
    return message_of([&] { Tokenizer::load(folder.file("")); });
  };
  const auto expect_says = [&](const std::string& vocabulary, const std::string& what) {
    const std::string said = message_with(vocabulary);
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  expect_says(R"({"</s>": 0, "<pad>": 1})",
              "vocab.json: Marian's vocabulary needs <unk>, which is missing");
  expect_says(R"({"<unk>": 0, "<pad>": 1})", "needs </s>");
  expect_says(R"({"<unk>": 0, "</s>": 1})", "needs <pad>");
  expect_says(R"(["<unk>"])", "vocab.json");
  expect_says(R"({"<unk>": -1})", "vocab.json");
  expect_says("{", "vocab.json");
  std::ofstream(folder.file("tokenizer_config.json")) << R"({"separate_vocabs": true})";
  std::filesystem::remove(folder.file("target_vocab.json"));
  expect_says("{}", "there is no target_vocab.json");
}

// A piece that its maker always keeps whole, type 4 of the file.
TEST(Marian, pieces_defined_by_the_maker_are_refused) {
  const TemporaryDirectory folder;
  copy_marian(folder);
  const std::string piece = std::string("\x0a\x03") + "abc" + "\x18\x04";  // text, type
  std::ofstream(folder.file("source.spm"), std::ios::binary | std::ios::app)
      << '\x0a' << static_cast<char>(piece.size()) << piece;
  const std::string said = message_of([&] { Tokenizer::load(folder.file("")); });
  EXPECT_NE(said.find("source.spm: unsupported: the piece \"abc\", defined by its maker"),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace fovea
