// fovea predict, whatif and sweep, on tiny models.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fovea/npz.h"
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

// en-zh has a byte-level vocabulary: people read letters, programs its tokens.
TEST(PredictCommand, tokens_in_letters) {
  const std::string model = std::string(FOVEA_TEST_DATA) + "/../../models/en-zh";
  const CommandResult table = run_fovea({"predict", "--model", model, "I love you.", "我爱", "--top", "2"});
  EXPECT_TRUE(contains(table.out, "after 爱 (position 2)")) << table.out;
  EXPECT_TRUE(contains(table.out, "\n你 ")) << table.out;
  const CommandResult lens =
      run_fovea({"predict", "--model", model, "I love you.", "我爱", "--position", "爱", "--lens"});
  EXPECT_TRUE(contains(lens.out, "after 爱")) << lens.out << lens.err;
  EXPECT_TRUE(contains(lens.out, " 你 ")) << lens.out;
  const CommandResult changed = run_fovea(
      {"whatif", "--model", model, "--block", "cross.L1H*:爱->love", "I love you.", "我爱", "--top", "2"});
  EXPECT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_TRUE(contains(changed.out, "\n你 ")) << changed.out;
  for (const CommandResult& one : {table, lens, changed}) {
    EXPECT_FALSE(contains(one.out, "ä½ł")) << one.out;
  }
  const json exact = json_of({"predict", "--model", model, "I love you.", "我爱", "--json"});
  EXPECT_EQ(exact.at("predictions").at(0).at("top").at(0).at("token"), "ä½ł");
}

TEST(PredictCommand, lens_and_attribution) {
  const std::vector<std::string> start = {"predict", "--model", whatif_model("t5"),
                                          "the cat", "the dog", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), start.begin(), start.end());
    return json_of(more);
  };
  const json plain = with({"--top", "1"}).at("predictions").at(0).at("top").at(0);
  const json lens = with({"--lens", "--top", "2"}).at("lens").at(0);
  EXPECT_EQ(lens.at("id"), plain.at("id"));
  EXPECT_EQ(lens.at("token"), plain.at("token"));
  ASSERT_EQ(lens.at("layers").size(), 3U);
  const json &first = lens.at("layers").at(0), &last = lens.at("layers").at(2);
  EXPECT_NEAR(last.at("logit").get<double>(), plain.at("logit").get<double>(), 1e-5);
  EXPECT_NEAR(last.at("probability").get<double>(), plain.at("probability").get<double>(), 1e-5);
  EXPECT_EQ(last.at("top").size(), 2U);
  EXPECT_EQ(last.at("top").at(0).at("id"), plain.at("id"));
  EXPECT_GT(std::abs(first.at("logit").get<double>() - last.at("logit").get<double>()), 1e-3);

  const json parts = with({"--attribution", "--token", " dog"}).at("attributions").at(0);
  EXPECT_EQ(parts.at("token"), "▁dog");
  double sum = 0;
  std::size_t heads = 0;
  for (const json& part : parts.at("parts")) {
    sum += part.at("value").get<double>();
    heads += part.at("part") == "head" ? 1 : 0;
  }
  EXPECT_EQ(heads, 3U * 4U * 2U);  // of the decoder and of cross-attention
  EXPECT_NEAR(sum, parts.at("logit").get<double>(), 1e-4);
  EXPECT_EQ(sum, parts.at("sum").get<double>());

  const CommandResult table = run_fovea({"predict", "--model", whatif_model("gpt2"), "the cat",
                                         "--attribution", "--top", "3", "--lang", "zh"});
  EXPECT_TRUE(contains(table.out, "其余")) << table.out << table.err;
  EXPECT_TRUE(contains(table.out, "合计")) << table.out;
  const CommandResult last_norms =
      run_fovea({"predict", "--model", whatif_model("bert"), "the [MASK]", "--attribution"});
  EXPECT_EQ(last_norms.exit_code, 1);
  EXPECT_EQ(last_norms.out, "");
  EXPECT_TRUE(contains(last_norms.err, "norms come last")) << last_norms.err;
  EXPECT_EQ(run_fovea({"predict", "--model", "x", "a", "--lens", "--attribution"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"predict", "--model", "x", "a", "--token", "b"}).exit_code, 2);
}

TEST(PassedOnCommand, pictures_and_measures) {
  const std::string model = whatif_model("gpt2");
  const json all = json_of({"analyze", "--model", model, "the cat", "--json"});
  for (const json& head : all.at("heads")) {
    EXPECT_GT(head.at("measures").at("passed_on").get<double>(), 0);
    EXPECT_LE(head.at("measures").at("sink_passed_on").get<double>(), 1);
  }
  const TemporaryDirectory folder;
  const CommandResult picture = run_fovea({"plot", "--model", model, "the cat", "--heads", "L1H2", "--show",
                                           "passed-on", "-o", folder.file("a.svg")});
  EXPECT_EQ(picture.exit_code, 0) << picture.err;
  EXPECT_TRUE(contains(text_of(folder.file("a.svg")), "Norm passed on"));
  std::ofstream(folder.file("w.json")) << "[[1, 0], [0.5, 0.5]]";
  const CommandResult weights = run_fovea({"plot", folder.file("w.json"), "--show", "passed-on"});
  EXPECT_EQ(weights.exit_code, 2);
  EXPECT_TRUE(contains(weights.err, "needs --model")) << weights.err;
}

TEST(SweepCommand, heads_and_positions) {
  const std::string model = whatif_model("gpt2");
  const TemporaryDirectory folder;
  const json heads = json_of({"sweep", "--model", model, "fox cat", "--metric", "logit( cat) - logit( the)",
                              "--json", "-o", folder.file("heads.npz")});
  EXPECT_EQ(heads.at("over"), "heads");
  EXPECT_EQ(heads.at("metric"), "logit( cat) - logit( the)");
  ASSERT_EQ(heads.at("values").size(), 2U);
  ASSERT_EQ(heads.at("values").at(1).size(), 4U);
  // The same by whatif: the logits of both tokens before and after.
  const json one =
      json_of({"whatif", "--model", model, "fox cat", "--ablate", "L1H2", "--top", "1000", "--json"});
  const auto difference = [](const json& top) {
    double value = 0;
    for (const json& token : top) {
      if (token.at("token") == "Ġcat") value += token.at("logit").get<double>();
      if (token.at("token") == "Ġthe") value -= token.at("logit").get<double>();
    }
    return value;
  };
  const json& whatif = one.at("predictions").at(0);
  EXPECT_NEAR(heads.at("base").get<double>(), difference(whatif.at("before")), 1e-5);
  EXPECT_NEAR(heads.at("values").at(1).at(2).get<double>(), difference(whatif.at("after")), 1e-5);
  const NamedArrays saved = load_npz(folder.file("heads.npz"));
  EXPECT_NEAR(saved.tensor("values")(1, 2), heads.at("values").at(1).at(2).get<double>(), 1e-5);
  EXPECT_NEAR(saved.tensor("base")(0), heads.at("base").get<double>(), 1e-5);

  const CommandResult positions =
      run_fovea({"sweep", "--model", model, "fox cat", "--over", "positions", "--patch-from", "box cat",
                 "-o", folder.file("positions.svg")});
  EXPECT_EQ(positions.exit_code, 0) << positions.err;
  EXPECT_TRUE(contains(positions.out, "layer and token")) << positions.out;
  EXPECT_TRUE(contains(text_of(folder.file("positions.svg")), "Each position patched"));
}

TEST(SweepCommand, what_does_not_fit_is_an_error) {
  const TemporaryDirectory folder;
  const auto error = [&](std::vector<std::string> more, int code) {
    more.insert(more.begin(), {"sweep", "--model", whatif_model("gpt2"), "the cat"});
    const CommandResult result = run_fovea(more);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(contains(error({"--over", "positions"}, 2), "go together"));
  EXPECT_TRUE(contains(error({"-o", folder.file("x.txt")}, 2), "ending in .npz"));
  EXPECT_TRUE(contains(error({"--metric", "logit( cat"}, 1), "expected kl, loss, cosine, logit(TOKEN)"));
  EXPECT_TRUE(contains(error({"--metric", "logit( dog house)", "-o", folder.file("x.npz")}, 1),
                       "is not one token"));
  EXPECT_TRUE(contains(error({"--kind", "cross"}, 1), "has no cross attention"));
  EXPECT_TRUE(contains(error({"--position", "all"}, 1), "at one position"));
  EXPECT_TRUE(contains(error({"--over", "positions", "--patch-from", "the"}, 1), "the other run has ids"));
  EXPECT_EQ(folder.entries(), 0U);
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
  const json loss = json_of({"whatif", "--model", whatif_model("gpt2"), "the cat", "--json", "--position",
                             "all", "--top", "280", "--ablate", "L0H1"});
  double before = 0;
  for (std::size_t i = 0; i + 1 < loss.at("tokens").size(); ++i) {
    for (const json& token : loss.at("predictions").at(i).at("before")) {
      if (token.at("token") == loss.at("tokens").at(i + 1)) {
        before -= std::log(token.at("probability").get<double>());
      }
    }
  }
  EXPECT_EQ(loss.at("loss").at("tokens"), loss.at("tokens").size() - 1);
  EXPECT_NEAR(loss.at("loss").at("before").get<double>(),
              before / static_cast<double>(loss.at("tokens").size() - 1), 1e-9);
  EXPECT_NE(loss.at("loss").at("after"), loss.at("loss").at("before"));
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
