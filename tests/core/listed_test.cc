#include <gtest/gtest.h>

#include "fovea/render.h"

namespace fovea {
namespace {

TEST(Listed, cuts_long_lists) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 3), "a, b, c, … and 1 more");
  EXPECT_EQ(listed(std::vector<std::string>(20000, "x"), 2, "; "), "x; x; … and 19,998 more");
  EXPECT_EQ(listed(std::vector<std::string>(1234569, "x"), 2), "x, x, … and 1,234,567 more");
}

}  // namespace
}  // namespace fovea
