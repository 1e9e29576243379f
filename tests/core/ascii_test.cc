#include "fovea/ascii.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Ascii, letters_become_small_and_nothing_else_changes) {
  EXPECT_EQ(ascii_lower_case("Weights.NPZ"), "weights.npz");
  EXPECT_EQ(ascii_lower_case("AZ az 09 @[`{"), "az az 09 @[`{");  // the neighbours of A, Z, a and z
  EXPECT_EQ(ascii_lower_case("É我Ω"), "É我Ω");
  EXPECT_EQ(ascii_lower_case(""), "");
}

TEST(Ascii, every_byte_agrees_with_its_text) {
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    const bool upper = i >= 65 && i <= 90;
    EXPECT_EQ(ascii_lower_case(c), static_cast<char>(upper ? i + 32 : i)) << i;
    EXPECT_EQ(ascii_lower_case(std::string(1, c)), std::string(1, ascii_lower_case(c))) << i;
  }
}

}  // namespace
}  // namespace fovea
