// What programs read: JSON that parses, with the numbers in it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/examples.h"
#include "fovea/instruction_set.h"
#include "fovea/npy.h"
#include "fovea/version.h"
#include "run_command.h"

namespace fovea {
namespace {

using nlohmann::json;

json json_of(const std::vector<std::string>& arguments) {
  const CommandResult result = run_fovea(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return json::parse(result.out, nullptr, false);
}

const json& step(const json& account, const std::string& name) {
  for (const json& each : account.at("steps")) {
    if (each.at("name") == name) return each;
  }
  throw std::out_of_range(name);
}

TEST(Json, info) {
  const std::string last = available_instruction_sets().back();
  const json info = json_of({"info", "--json", "--isa", last});
  EXPECT_EQ(info.at("version"), version());
  EXPECT_EQ(info.at("instruction_set"), last);
  EXPECT_EQ(info.at("instruction_sets").back(), last);
  EXPECT_GE(info.at("threads"), 1);
  for (const char* part : {"Highway", "OpenMP", "fmt", "zlib"}) {
    EXPECT_FALSE(info.at("parts").at(part).get<std::string>().empty()) << part;
  }
}

TEST(Json, mask) {
  const json mask = json_of({"mask", "causal & padding([1,2,0])", "--json"});
  EXPECT_EQ(mask.at("sequences"), json::parse("[[[1,0,0],[1,1,0],[1,1,0]]]"));
  EXPECT_EQ(mask.at("shape"), json::parse("[1, 3, 3]"));
  EXPECT_DOUBLE_EQ(mask.at("density"), 5.0 / 9);
  const json second = json_of({"mask", "causal & lengths(1, 2, 3)", "--n", "3", "--batch", "1", "--json"});
  EXPECT_EQ(second.at("sequences"), json::parse("[[[1,0,0],[1,1,0],[1,1,0]]]"));
  EXPECT_EQ(second.at("shape"), json::parse("[1, 3, 3]"));
  EXPECT_DOUBLE_EQ(second.at("density"), 5.0 / 9);
  EXPECT_TRUE(second.at("description").get<std::string>().ends_with(": 55.6 % visible"));
  const json additive = json_of({"mask", "causal", "--n", "2", "--json", "--format", "additive"});
  EXPECT_EQ(additive.at("sequences"), json::parse(R"([[[0,"-inf"],[0,0]]])"));
}

TEST(Json, explain_carries_all_digits_in_both_languages) {
  const json account = json_of({"explain", "--json"});
  const json& weights = step(account, "weights");
  EXPECT_NEAR(weights.at("matrix").at(0).at(0).get<double>(), 0.22695843, 5e-9);
  EXPECT_NEAR(weights.at("matrix").at(1).at(1).get<double>(), 0.86724101, 5e-9);
  EXPECT_EQ(weights.at("title").at("zh"), "注意力权重");
}

TEST(Json, list_of_examples) {
  const json list = json_of({"explain", "--list", "--json"});
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), example_ids().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].at("id"), example_ids()[i]);
    EXPECT_FALSE(list[i].at("title").at("en").get<std::string>().empty());
    EXPECT_FALSE(list[i].at("title").at("zh").get<std::string>().empty());
  }
}

TEST(Json, explain_with_mask_scale_heads_and_memory) {
  const json causal = json_of({"explain", "--json", "--mask", "causal"});
  EXPECT_EQ(step(causal, "weights").at("matrix").at(0), json::parse("[1.0, 0.0, 0.0]"));
  const json raw = json_of({"explain", "--json", "--no-scale"});
  EXPECT_NEAR(step(raw, "weights").at("matrix").at(1).at(1).get<double>(), 0.98476378, 5e-9);
  const json cross = json_of({"explain", "编程 很 有趣", "--memory", "我 喜欢", "--json"});
  EXPECT_EQ(step(cross, "weights").at("matrix").size(), 3U);
  EXPECT_EQ(step(cross, "weights").at("matrix").at(0).size(), 2U);
  const json heads = json_of({"explain", "我", "喜欢", "AI", "--heads", "2", "--seed", "42", "--json"});
  EXPECT_EQ(step(heads, "w_o").at("matrix").size(), 4U);
  EXPECT_NEAR(step(heads, "w_q").at("matrix").at(0).at(0).get<double>(), 0.49671415, 5e-9);
}

TEST(Json, experiments) {
  EXPECT_TRUE(json_of({"demo", "scaling", "--json"}).is_object());
  EXPECT_TRUE(json_of({"demo", "shapes", "--json"}).is_object());
}

TEST(Json, analyze) {
  const TemporaryDirectory directory;
  save_npy(directory.file("w.npy"), Tensor::from({{1, 0}, {0.5, 0.5}}));
  const json measures = json_of({"analyze", directory.file("w.npy"), "--json"});
  const std::string text = measures.dump();
  EXPECT_TRUE(contains(text, "0.693147")) << text;  // ln 2, the entropy of the second row
}

TEST(Json, attend_names_what_it_wrote) {
  const TemporaryDirectory directory;
  const Tensor x = Tensor::from({{1, 0}, {0, 1}});
  save_npy(directory.file("x.npy"), x);
  const std::string file = directory.file("x.npy");
  const json report =
      json_of({"attend", file, file, file, "--json", "--weights", "-o", directory.file("o\"\xff.npz")});
  EXPECT_EQ(report.at("output"), json::parse("[2, 2]"));
  EXPECT_EQ(report.at("weights"), json::parse("[2, 2]"));
  EXPECT_TRUE(report.at("file").get<std::string>().ends_with("o\"\uFFFD.npz"));
}

}  // namespace
}  // namespace fovea
