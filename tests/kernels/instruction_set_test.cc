#include "fovea/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fovea/error.h"

namespace fovea {
namespace {

TEST(InstructionSet, scalar_is_always_there_and_last) {
  const std::vector<std::string> names = available_instruction_sets();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.back(), "scalar");
}

TEST(InstructionSet, the_best_is_used_until_one_is_forced) {
  if (std::getenv("FOVEA_ISA") != nullptr) GTEST_SKIP() << "FOVEA_ISA is set";
  const std::vector<std::string> names = available_instruction_sets();
  EXPECT_EQ(instruction_set(), names.front());
  for (const std::string& name : names) {
    force_instruction_set(name);
    EXPECT_EQ(instruction_set(), name);
    EXPECT_EQ(available_instruction_sets(), names) << "forcing must not shorten the list";
  }
  force_instruction_set("auto");
  EXPECT_EQ(instruction_set(), names.front());
}

TEST(InstructionSet, unknown_name_lists_the_known_and_changes_nothing) {
  const std::string before = instruction_set();
  try {
    force_instruction_set("mmx");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'mmx' is not available here; there are: auto, "),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find("scalar"), std::string::npos);
  }
  EXPECT_EQ(instruction_set(), before);
}

}  // namespace
}  // namespace fovea
