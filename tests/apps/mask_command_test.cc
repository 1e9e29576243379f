// fovea mask: the pictures, exactly.
#include <gtest/gtest.h>

#include "run_command.h"

namespace fovea {
namespace {

std::string mask(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "mask");
  const CommandResult result = run_fovea(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(MaskCommand, causal_and_padding) {
  EXPECT_EQ(mask({"causal & padding([1,2,3,0,0])"}),
            "causal and padding: 48.0 % visible, shape [1, 5, 5]\n"
            "\n"
            "1 0 0 0 0\n"
            "1 1 0 0 0\n"
            "1 1 1 0 0\n"
            "1 1 1 0 0\n"
            "1 1 1 0 0\n");
}

TEST(MaskCommand, sparse) {
  EXPECT_EQ(mask({"sparse(4)", "--n", "16"}),
            "sparse 4: 71.9 % visible, shape [16, 16]\n"
            "\n"
            "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
            "1 1 1 1 1 1 0 0 1 0 0 0 1 0 0 0\n"
            "1 1 1 1 1 1 1 0 1 0 0 0 1 0 0 0\n"
            "1 1 1 1 1 1 1 1 1 0 0 0 1 0 0 0\n"
            "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
            "1 1 1 1 1 1 1 1 1 1 0 0 1 0 0 0\n"
            "1 0 1 1 1 1 1 1 1 1 1 0 1 0 0 0\n"
            "1 0 0 1 1 1 1 1 1 1 1 1 1 0 0 0\n"
            "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
            "1 0 0 0 1 1 1 1 1 1 1 1 1 1 0 0\n"
            "1 0 0 0 1 0 1 1 1 1 1 1 1 1 1 0\n"
            "1 0 0 0 1 0 0 1 1 1 1 1 1 1 1 1\n"
            "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
            "1 0 0 0 1 0 0 0 1 1 1 1 1 1 1 1\n"
            "1 0 0 0 1 0 0 0 1 0 1 1 1 1 1 1\n"
            "1 0 0 0 1 0 0 0 1 0 0 1 1 1 1 1\n");
}

TEST(MaskCommand, additive) {
  EXPECT_EQ(mask({"causal", "--n", "4", "--format", "additive"}),
            "causal: 62.5 % visible, shape [4, 4]\n"
            "\n"
            "   0 -inf -inf -inf\n"
            "   0    0 -inf -inf\n"
            "   0    0    0 -inf\n"
            "   0    0    0    0\n");
}

TEST(MaskCommand, symmetric_and_one_sided_window) {
  EXPECT_TRUE(contains(mask({"window(1)", "--n", "3"}), "\n1 1 0\n1 1 1\n0 1 1\n"));
  EXPECT_TRUE(contains(mask({"window(1, 0)", "--n", "3"}), "\n1 0 0\n1 1 0\n0 1 1\n"));
}

TEST(MaskCommand, fewer_queries_than_keys_stand_at_the_end) {
  EXPECT_TRUE(contains(mask({"causal", "--n", "2", "--m", "4"}), "shape [2, 4]\n\n1 1 1 0\n1 1 1 1\n"));
}

TEST(MaskCommand, size_is_taken_from_the_mask) {
  EXPECT_TRUE(contains(mask({"padding([1,2,0])"}), "shape [1, 1, 3]\n\n1 1 0\n"));
  EXPECT_TRUE(contains(mask({"causal"}), "shape [8, 8]"));
  EXPECT_TRUE(contains(mask({"lengths(9)"}), "shape [1, 1, 9]"));
  EXPECT_TRUE(
      contains(mask({"causal & padding([1,2,0])", "--n", "2"}), "shape [1, 2, 3]\n\n1 1 0\n1 1 0\n"));
}

TEST(MaskCommand, each_sequence_of_a_batch) {
  const std::string expression = "padding([[1,2,3,0,0],[4,5,0,0,0]])";
  EXPECT_EQ(mask({expression}),
            "padding: 50.0 % visible, shape [2, 1, 5]\n\nSequence 1 of 2\n1 1 1 0 0\n\nSequence 2 of 2\n1 "
            "1 0 0 0\n");
  EXPECT_EQ(mask({expression, "--batch", "1"}),
            "padding: 40.0 % visible, shape [1, 1, 5]\n\nSequence 2 of 2\n1 1 0 0 0\n");
}

TEST(MaskCommand, blocks) {
  EXPECT_EQ(mask({"causal", "--n", "3", "--format", "blocks"}),
            "causal: 66.7 % visible, shape [3, 3]\n\n██ · ·\n████ ·\n██████\n\n██ visible   · hidden\n");
  const std::string large = mask({"causal", "--n", "60000", "--format", "blocks"});
  EXPECT_TRUE(contains(large, "one block: 1200 × 1200 pairs")) << large;
}

TEST(MaskCommand, expression_may_start_with_not) {
  EXPECT_TRUE(contains(mask({"!causal", "--n", "2"}), "\n0 1\n0 0\n"));
}

}  // namespace
}  // namespace fovea
