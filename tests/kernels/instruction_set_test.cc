#include "fovea/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fovea/error.h"

namespace fovea {
namespace {

// What the compiler may use everywhere. Only builds with flags like -msse4.2, as those of the sanitizers,
// hold more.
TEST(InstructionSet, the_baseline_is_last) {
  const std::vector<std::string> names = available_instruction_sets();
  ASSERT_FALSE(names.empty());
#if defined(__SSE4_2__) || defined(__ARM_NEON)
  EXPECT_NE(names.back(), "scalar");
#else
  EXPECT_EQ(names.back(), "scalar");
#endif
}

TEST(InstructionSet, the_best_or_that_of_the_environment_is_used_until_one_is_forced) {
  const std::vector<std::string> names = available_instruction_sets();
  const char* asked = std::getenv("FOVEA_ISA");
  EXPECT_EQ(instruction_set(), asked != nullptr && *asked != '\0' ? asked : names.front());
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
    EXPECT_NE(std::string(error.what()).find("'mmx' is not available on this machine; available: auto, "),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find(available_instruction_sets().back()), std::string::npos);
  }
  EXPECT_EQ(instruction_set(), before);
}

}  // namespace
}  // namespace fovea
