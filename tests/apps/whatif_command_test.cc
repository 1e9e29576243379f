// fovea predict and whatif, on tiny models.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_command.h"

namespace fovea {
namespace {

using nlohmann::json;

std::string whatif_model(const std::string& name) {
  return std::string(FOVEA_TEST_DATA) + "/models/" + name;
}

json json_of(const std::vector<std::string>& arguments) {
  const CommandResult result = run_fovea(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(PredictCommand, json_and_table) {
  const json all =
      json_of({"predict", "--model", whatif_model("gpt2"), "the cat", "--top", "300", "--json"});
  const json& last = all.at("predictions").at(0);
  EXPECT_EQ(last.at("position"), all.at("tokens").size() - 1);
  double sum = 0, before = 2;
  for (const json& token : last.at("top")) {
    sum += token.at("probability").get<double>();
    EXPECT_LE(token.at("probability").get<double>(), before);
    before = token.at("probability").get<double>();
  }
  EXPECT_EQ(last.at("top").size(), 280U);
  EXPECT_NEAR(sum, 1, 1e-9);
  const CommandResult table =
      run_fovea({"predict", "--model", whatif_model("bert"), "the [MASK]", "--top", "2"});
  EXPECT_TRUE(contains(table.out, "at [MASK] (position 2)")) << table.out;
  EXPECT_TRUE(contains(table.out, "█")) << table.out;
  const CommandResult none = run_fovea({"predict", "--model", whatif_model("bert"), "the cat"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(contains(none.err, "there is no [MASK]")) << none.err;
}

TEST(WhatIfCommand, before_and_after) {
  const std::vector<std::string> start = {"whatif", "--model", whatif_model("gpt2"), "the cat", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), start.begin(), start.end());
    return json_of(more).at("predictions").at(0);
  };
  const json changed = with({"--ablate", "L0H1,L1H*"});
  EXPECT_GT(changed.at("kl").get<double>(), 1e-4);
  EXPECT_NE(changed.at("before"), changed.at("after"));
  const json plain = json_of({"predict", "--model", whatif_model("gpt2"), "the cat", "--json"});
  EXPECT_EQ(changed.at("before"), plain.at("predictions").at(0).at("top"));
  const json same = with({"--scale", "L1H2=1"});
  EXPECT_EQ(same.at("kl").get<double>(), 0);
  EXPECT_EQ(same.at("before"), same.at("after"));
  // Everything of the last layer taken from another text: its prediction.
  const json other = json_of({"predict", "--model", whatif_model("gpt2"), "fox cat", "--json"});
  const json patched = json_of({"whatif", "--model", whatif_model("gpt2"), "box cat", "--patch",
                                "blocks.1.hook_resid_post", "--patch-from", "fox cat", "--json"});
  EXPECT_EQ(patched.at("predictions").at(0).at("after"), other.at("predictions").at(0).at("top"));
}

TEST(WhatIfCommand, what_does_not_fit_is_an_error) {
  const std::string t5 = whatif_model("t5");
  const auto error = [&](std::vector<std::string> more, int code) {
    more.insert(more.begin(), {"whatif", "--model", t5, "the cat sat on the mat"});
    const CommandResult result = run_fovea(more);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(contains(error({}, 2), "nothing to change"));
  EXPECT_TRUE(contains(error({"--patch", "enc.L0.q"}, 2), "go together"));
  EXPECT_TRUE(contains(error({"--ablate", "L0H0"}, 1), "write enc., dec. or cross."));
  EXPECT_TRUE(contains(error({"--ablate", "enc.L0H9"}, 1), "head 9"));
  EXPECT_TRUE(contains(error({"--block", "enc.L0H0:the->cat"}, 1), "occurs 2 times, at 0, 4"));
  EXPECT_TRUE(contains(error({"--scale", "enc.L0H0=x"}, 2), "a factor"));
  EXPECT_TRUE(contains(error({"--patch", "enc.L0.q", "--patch-from", "the"}, 1), "they must agree"));
}

}  // namespace
}  // namespace fovea
