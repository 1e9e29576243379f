#include "core/lines.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using Lines = std::vector<std::string_view>;

TEST(Lines, ends_are_cut_off_and_a_last_line_needs_none) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("one"), Lines{"one"});
  EXPECT_EQ(lines_of("one\n"), Lines{"one"});
  EXPECT_EQ(lines_of("one\r\ntwo\r\n"), (Lines{"one", "two"}));
  EXPECT_EQ(lines_of("\n\none\n\n"), (Lines{"", "", "one", ""}));
}

}  // namespace
}  // namespace fovea
