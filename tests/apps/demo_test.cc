// The numbers that the demonstrations must print, in either language.
#include <gtest/gtest.h>

#include <sstream>

#include "fovea/instruction_set.h"
#include "run_command.h"

namespace fovea {
namespace {

// Float64 results, as the library computes them; a tutorial's wrong numbers appear only in notes.
const char* const kNumbers[] = {
    // one query, three keys
    "0.70710678  0.00000000  0.70710678", "0.40111209  0.19777581  0.40111209", "16.04448371  3.95551629",
    // exercises 1 and 2
    "0.23122390  0.62853172  0.14024438", "15.58409528", "0.66976155  0.33023845", "3.34880775  3.30238451",
    // three words
    "0.88388348  0.77781746  0.70710678", "0.36531920  0.32855540  0.30612539", "0.78122622  0.68591824",
    // I love AI
    "0.02723977   0.40429574   0.18427085  1.05730010", "-1.67564976  5.13407167   0.89138608",
    "0.22695843  0.52620171  0.24683985", "0.02880233  0.86724101  0.10395666",
    "0.06333749  0.80579188  0.13087063", "-1.30610589  -3.90128861  -1.98919220  0.90813353",
    // self-attention from NumPy's seed 42
    "0.49671415  -0.13826430   0.64768854   1.52302986", "0.81995736  0.02616278  0.15387986",
    "0.02856435  0.03255570  0.93887995", "0.14520511  0.74423134  0.11056355",
    "-0.85815938  -1.37352560   0.08172599", "0.31500460   1.49837575   0.81211613",
    "-0.73275980  -0.50535041  -0.83629886",
    // five words
    "0.63285661  0.11885606  0.05220926  0.10354725  0.09253082",
    // word vectors
    "0.2408  0.1731  0.2083  0.1903  0.1875", "0.3817  0.2914  0.3269",
    // scaling
    "0.01226952, 0.01282393, 0.97490655", "5.07e-43", "0.038787",
    // Deep-ML manner
    "1.66047690  2.66047690", "2.33952310  3.33952310", "0.7311  0.5000", "0.5000  0.7311",
    // shapes
    "[2, 10, 512]", "[2, 10, 10]", "[2, 4, 10, 20]", "d_k = 16", "d_k = 64",
    // masks
    "    1 0 0 0 0\n    1 1 0 0 0\n    1 1 1 0 0\n    1 1 1 0 0\n    1 1 1 0 0\n", "48.0 %", "71.9 %",
    "       0 -inf -inf -inf\n       0    0 -inf -inf\n       0    0    0 -inf\n       0    0    0    0\n",
    "[2, 1, 5]", "= [1, 0, 0]", "= [0.3333, 0.3333, 0.3333]", "= [0, 0, 0]",
    // the engine
    "✓"};

const char* const kDemos[] = {"qkv",        "self-attention", "words",  "scaling", "causal",   "masks",
                              "multi-head", "cross",          "shapes", "linear",  "visualize"};

TEST(Demo, all_prints_the_true_numbers) {
  for (const char* language : {"en", "zh"}) {
    const CommandResult result = run_fovea({"demo", "all", "--lang", language});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_FALSE(contains(result.out, "\x1b")) << "colours in a file";
    EXPECT_FALSE(contains(result.out, "✗")) << "the engine disagrees with the account";
    for (const char* number : kNumbers)
      EXPECT_TRUE(contains(result.out, number)) << language << ": " << number;
  }
}

TEST(Demo, all_is_every_demo_in_turn) {
  const TemporaryDirectory directory;  // for the pictures of visualize
  std::string joined;
  for (const char* name : kDemos) {
    const CommandResult result = run_fovea({"demo", name, "-o", directory.file("")});
    EXPECT_EQ(result.exit_code, 0) << name;
    joined += (joined.empty() ? "" : "\n") + result.out;
  }
  EXPECT_EQ(joined, run_fovea({"demo", "all"}).out);
}

TEST(Demo, alone_lists_them) {
  const std::string out = run_fovea({"demo"}).out;
  EXPECT_TRUE(contains(out, "fovea demo finds "));
  for (const std::string name : kDemos) EXPECT_TRUE(contains(out, "fovea demo " + name + " ")) << name;
}

TEST(Demo, scores_follow_the_queries_keys_and_values) {
  for (const char* name : {"qkv", "self-attention", "causal", "cross"}) {
    const std::string out = run_fovea({"demo", name}).out;
    const std::size_t scores = out.find("S = Q·Kᵀ");
    ASSERT_NE(scores, std::string::npos) << name;
    for (const char* title : {"Queries  Q", "Keys  K", "Values  V"}) {
      EXPECT_LT(out.find(title), scores) << name << ": " << title;
    }
  }
}

TEST(Demo, chinese_is_chinese) {
  const std::string out = run_fovea({"demo", "qkv", "--lang", "zh"}).out;
  EXPECT_TRUE(contains(out, "注意力权重")) << out;
  EXPECT_FALSE(contains(out, "Attention weights")) << out;
}

TEST(Demo, does_not_depend_on_the_instruction_set) {
  for (const char* name : {"causal", "cross", "linear", "masks", "qkv", "self-attention"}) {
    EXPECT_EQ(run_fovea({"demo", name, "--isa", available_instruction_sets().back()}).out,
              run_fovea({"demo", name}).out);
  }
}

// The row "name   a %   b %   c %" of a table.
std::vector<double> percents_of(const std::string& out, const std::string& name) {
  std::istringstream line(out.substr(out.find("\n  " + name) + 3 + name.size()));
  std::vector<double> values(3);
  for (double& value : values) {
    std::string sign;
    line >> value >> sign;
    EXPECT_EQ(sign, "%") << name;
  }
  return values;
}

TEST(Demo, finds_who_the_pronoun_is) {
  const TemporaryDirectory directory;
  const CommandResult result = run_fovea({"demo", "finds", "-o", directory.file("")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* file : {"finds-names.png", "finds-lines.png"}) {
    EXPECT_TRUE(contains(result.err, file));
    EXPECT_TRUE(directory.has(file)) << file;
  }
  const std::string& out = result.out;
  EXPECT_TRUE(contains(out, "1000 sentences of the test"));
  EXPECT_TRUE(contains(out, "those of L0H1,")) << "the card names this head";
  const auto untrained = percents_of(out, "untrained "), trained = percents_of(out, "trained "),
             swapped = percents_of(out, "names swapped "), same = percents_of(out, "of the same gender ");
  EXPECT_NEAR(untrained[0], 50, 5);
  for (const auto& row : {trained, swapped}) {
    EXPECT_GE(row[0], 95);
    EXPECT_GE(row[1], 95);
    EXPECT_GE(row[2], 95);
  }
  EXPECT_NEAR(same[0], 50, 5);
}

}  // namespace
}  // namespace fovea
