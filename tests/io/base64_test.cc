#include "fovea/base64.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "fovea/error.h"
#include "fovea/random.h"

namespace fovea {
namespace {

// RFC 4648, section 10, and bytes that need the last two digits.
const std::vector<std::pair<std::string, std::string>>& known_texts() {
  static const std::vector<std::pair<std::string, std::string>> texts = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {std::string("\xFF\x00\xFE", 3), "/wD+"},
      {"\xFF\xFE", "//4="},
  };
  return texts;
}

TEST(Base64, known_texts_both_ways) {
  for (const auto& [bytes, text] : known_texts()) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, padding_may_be_missing) {
  EXPECT_EQ(from_base64("Zg"), "f");
  EXPECT_EQ(from_base64("Zm9vYmE"), "fooba");
}

TEST(Base64, every_length_and_byte_comes_back) {
  Random random(3);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random.below(256));
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes) << size;
  }
}

TEST(Base64, what_is_no_base64_is_named) {
  for (const std::string text : {"Zg-=", "Z g=", "Zm9vYmFyZ", "Zg==Zg==", "中"}) {
    try {
      from_base64(text, "tokenizer.json");
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("tokenizer.json: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace fovea
