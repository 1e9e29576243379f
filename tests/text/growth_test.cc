// Tokenizers of files that multiply a text.
#include <gtest/gtest.h>

#include "fovea/error.h"
#include "tokenizer_testing.h"

namespace fovea {
namespace {

using testing::SmallTokenizer;

std::string growth_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// {"type": "Sequence", `list`: [one, one, ..]}
std::string repeated(const std::string& list, const std::string& one, int count) {
  std::string json = R"({"type": "Sequence", ")" + list + "\": [";
  for (int i = 0; i < count; ++i) json += (i > 0 ? ", " : "") + one;
  return json + "]}";
}

const std::string kDouble = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";

TEST(Growth, replacements_that_double_a_text_are_an_error) {
  SmallTokenizer small;
  small.normalizer = repeated("normalizers", kDouble, 30);
  const Tokenizer tokenizer = small.make();
  const std::string message = growth_error([&] { tokenizer.encode("aaaa"); });
  EXPECT_EQ(message,
            "[tokenizer] normalisation expands a text of 4 bytes to more than 1,088 characters, the limit");
  EXPECT_EQ(tokenizer.encode("bcd").size(), 1);
}

TEST(Growth, one_long_replacement_is_an_error_before_it_is_made) {
  const std::string megabyte(1 << 20, 'x');
  SmallTokenizer small;
  small.normalizer = R"({"type": "Replace", "pattern": {"String": "a"}, "content": ")" + megabyte + "\"}";
  EXPECT_NE(growth_error([&] { small.make().encode(std::string(100'000, 'a')); }), "");
  small.normalizer = R"({"type": "Prepend", "prepend": ")" + megabyte + "\"}";
  EXPECT_NE(growth_error([&] { small.make().encode("b"); }), "");
}

TEST(Growth, honest_normalizers_are_within_the_limit) {
  SmallTokenizer small;
  small.model =
      R"({"type": "WordPiece", "unk_token": "?", "vocab": {"?": 0}, "max_input_chars_per_word": 9999999})";
  small.normalizer = repeated(
      "normalizers",
      R"({"type": "NFKD"}, {"type": "Replace", "pattern": {"String": "\n"}, "content": "<newline>"})", 1);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "\uFDFA\n";  // the longest decomposition there is
  EXPECT_EQ(small.make().encode(text).size(), 1);
}

TEST(Growth, templates_are_short) {
  SmallTokenizer small;
  std::string ids = "0";
  for (int i = 0; i < 999; ++i) ids += ",0";
  const auto with = [&](const std::string& pieces) {
    small.post_processor = R"({"type": "TemplateProcessing", "single": [)" + pieces +
                           R"(], "pair": [], "special_tokens": {"?": {"id": "?", "ids": [)" + ids +
                           R"(], "tokens": []}}})";
    return growth_error([&] { small.make(); });
  };
  const std::string special = R"({"SpecialToken": {"id": "?", "type_id": 0}})";
  const std::string first = R"({"Sequence": {"id": "A", "type_id": 0}})";
  EXPECT_EQ(with(special + "," + first), "");
  EXPECT_NE(with(special + "," + first + "," + special).find("adds more than 1,024 special tokens"),
            std::string::npos);
  std::string many = first;
  for (int i = 0; i < 4; ++i) many += "," + first;
  EXPECT_NE(with(many).find("more than 4 times"), std::string::npos);
}

TEST(Growth, names_of_tokens_are_short) {
  SmallTokenizer small;
  const std::string name(1 << 20, 'u');
  small.model = R"({"type": "WordPiece", "unk_token": ")" + name + R"(", "vocab": {")" + name + R"(": 0}})";
  small.pre_tokenizer = R"({"type": "WhitespaceSplit"})";
  const Tokenizer tokenizer = small.make();
  EXPECT_EQ(tokenizer.encode("a b c").size(), 3);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a ";
  EXPECT_NE(growth_error([&] { tokenizer.encode(text); }).find("the names of 1,000 tokens take"),
            std::string::npos);
  EXPECT_NE(growth_error([&] { tokenizer.encode("a", {.pad_to = 1000}); }), "");
}

TEST(Growth, decoders_that_double_a_text_are_an_error) {
  SmallTokenizer small;
  small.model = R"({"type": "WordPiece", "unk_token": "?", "vocab": {"?": 0, "aaaa": 1}})";
  small.decoder = repeated("decoders", kDouble, 30);
  EXPECT_NE(growth_error([&] {
              small.make().decode({1, 1});
            }).find("to more than 1,152 bytes"),
            std::string::npos);
  small.decoder =
      R"({"type": "Replace", "pattern": {"String": "a"}, "content": ")" + std::string(1 << 20, 'x') + "\"}";
  EXPECT_NE(growth_error([&] { small.make().decode(std::vector<Index>(1000, 1)); }), "");
}

}  // namespace
}  // namespace fovea
