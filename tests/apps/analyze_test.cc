// fovea analyze: tables, JSON and CSV from files, from q and k, and from the worked example.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fovea/attention.h"
#include "fovea/measure_definitions.h"
#include "fovea/named_tensors.h"
#include "fovea/npy.h"
#include "fovea/random.h"
#include "run_command.h"

namespace fovea {
namespace {

using nlohmann::json;

std::string output_of(const std::vector<std::string>& arguments) {
  const CommandResult result = run_fovea(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

json json_of(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  return json::parse(output_of(arguments));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Two layers of three heads, six tokens, and the q and k they come from.
struct SampleRun {
  SampleRun() {
    Random random(5);
    q = random.normal({2, 1, 3, 6, 4});
    k = random.normal({2, 1, 3, 6, 4});
    save_npy(directory.file("q.npy"), q);
    save_npy(directory.file("k.npy"), k);
    save_npy(directory.file("w.npy"), attention(q, k, k, {.weights = true}).weights);
  }
  std::string file(const std::string& name) const { return directory.file(name); }
  TemporaryDirectory directory;
  Tensor q, k;
};

TEST(Analyze, i_love_ai_with_four_heads) {
  const std::vector<std::string> lines = lines_of(output_of({"analyze", "--example"}));
  const auto has_line = [&](const std::string& start, const std::vector<std::string>& parts) {
    for (const std::string& line : lines) {
      bool all = line.starts_with(start);
      for (const std::string& part : parts) all = all && contains(line, part);
      if (all) return true;
    }
    return false;
  };
  // Computed by NumPy: seed(42), X of the example, four heads of width 1.
  EXPECT_TRUE(has_line("L0H0 ", {"1.0979"}));
  EXPECT_TRUE(has_line("L0H1 ", {"0.6061", "love  2.0016", "sink on love, 0.67"}));
  EXPECT_TRUE(has_line("L0H2 ", {"1.0909"}));
  EXPECT_TRUE(has_line("L0H3 ", {"0.8047"}));
  EXPECT_TRUE(has_line("token ", {"outgoing", "on itself", "received"}));
  EXPECT_TRUE(has_line("I ", {"1.0000", "0.2915", "0.7123"}));
  EXPECT_TRUE(has_line("love ", {"1.0000", "0.5197", "1.5198"}));
  EXPECT_TRUE(has_line("AI ", {"1.0000", "0.2324", "0.7679"}));
}

TEST(Analyze, table_with_the_words) {
  const TemporaryDirectory directory;
  NamedArrays arrays;
  arrays.add("weights", Tensor::from({{{1, 0}, {0.5, 0.5}}, {{0.25, 0.75}, {0, 1}}}));
  arrays.add("other", Tensor({3}));
  save_arrays(directory.file("w.npz"), arrays);
  const std::string out = output_of({"analyze", directory.file("w.npz"), "--tokens", "你 好"});
  EXPECT_TRUE(contains(out, "你")) << out;
  EXPECT_TRUE(contains(out, "0.3466")) << out;  // ln 2 / 2: the rows of the first head have 0 and ln 2
  EXPECT_TRUE(contains(out, "0.2812")) << out;  // those of the second 0.5623, of (0.25, 0.75), and 0
  EXPECT_TRUE(contains(out, "0.6616")) << out;  // the mean of both heads, (0.625, 0.375)
  const std::string chinese = output_of({"analyze", directory.file("w.npz"), "--lang", "zh"});
  EXPECT_TRUE(contains(chinese, "归一化熵")) << chinese;
  EXPECT_TRUE(contains(chinese, "角色：")) << chinese;
}

TEST(Analyze, files_and_names_that_do_not_fit) {
  const TemporaryDirectory directory;
  NamedArrays arrays;
  arrays.add("a", Tensor::from({{1, 0}, {0.5, 0.5}}));
  arrays.add("b", Tensor::from({{1, 0}, {-0.5, 1.5}}));
  arrays.add("c", Tensor({2}));
  save_arrays(directory.file("w.safetensors"), arrays);
  const std::string file = directory.file("w.safetensors");
  EXPECT_EQ(run_fovea({"analyze", file, "--key", "a"}).exit_code, 0);
  for (const char* key : {"b", "c", "d"})
    EXPECT_EQ(run_fovea({"analyze", file, "--key", key}).exit_code, 1) << key;
  EXPECT_TRUE(contains(run_fovea({"analyze", file, "--key", "b"}).err, "query 1, key 0 is -0.5"));
  save_npy(directory.file("n.npy"), Tensor::from({{1, 0, 0}, {0.5, 0.5, 0}}));
  EXPECT_TRUE(contains(run_fovea({"analyze", directory.file("n.npy"), "--tokens", "a"}).err, "expected 2"));
  EXPECT_TRUE(
      contains(run_fovea({"analyze", directory.file("n.npy"), "--memory", "a b"}).err, "expected 3"));
}

TEST(Analyze, rows_that_do_not_sum_to_one_are_a_warning) {
  const TemporaryDirectory directory;
  save_npy(directory.file("w.npy"), Tensor::from({{1, 0}, {0.7f, 0.7f}}));
  const CommandResult result = run_fovea({"analyze", directory.file("w.npy")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "query 1")) << result.err;
  EXPECT_TRUE(contains(result.out, "1 row does not sum to 1")) << result.out;
}

TEST(Analyze, mask_tells_which_keys_count) {
  const TemporaryDirectory directory;
  save_npy(directory.file("w.npy"), Tensor::from({{1, 0, 0}, {0.5, 0.5, 0}, {0.2f, 0.3f, 0.5f}}));
  const std::string plain = output_of({"analyze", directory.file("w.npy")});
  const std::string masked = output_of({"analyze", directory.file("w.npy"), "--mask", "causal"});
  EXPECT_TRUE(contains(plain, "0.6309")) << plain;  // ln 2 / ln 3
  EXPECT_FALSE(contains(masked, "0.6309")) << masked;
  EXPECT_TRUE(contains(plain, "above the diagonal are 0")) << plain;
  EXPECT_FALSE(contains(masked, "above the diagonal are 0")) << masked;
}

TEST(Analyze, json_has_every_measure_and_role) {
  const SampleRun run;
  const json report = json_of({"analyze", run.file("w.npy"), "--tokens", "[CLS] a , a b [SEP]"});
  ASSERT_EQ(report.at("heads").size(), 6U);
  ASSERT_EQ(report.at("head_means").size(), 2U);
  const json& head = report.at("heads").at(4);
  EXPECT_EQ(head.at("name"), "L1H1");
  EXPECT_EQ(head.at("layer"), 1);
  EXPECT_EQ(head.at("head"), 1);
  for (const Measure measure : all_measures()) {
    const std::string name = measure_definition(measure).name;
    ASSERT_TRUE(head.at("measures").contains(name)) << name;
  }
  EXPECT_TRUE(head.at("measures").at("induction").is_null());  // nothing repeats
  EXPECT_GT(head.at("measures").at("same_token").get<double>(), 0);
  EXPECT_EQ(head.at("rows").at("entropy").size(), 6U);
  EXPECT_EQ(head.at("received").size(), 6U);
  EXPECT_FALSE(head.at("role").at("rule").at("en").get<std::string>().empty());
  const json brief = json_of({"analyze", run.file("w.npy"), "--no-rows"});
  EXPECT_TRUE(brief.at("heads").at(0).at("rows").empty());
}

TEST(Analyze, queries_and_keys_agree_with_weights) {
  const SampleRun run;
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--tokens", "a b . a b ."},
                                               {"--heads", "L1H2,L0H0"},
                                               {"--heads", "mean"},
                                               {"--layer", "1"},
                                               {"--block", "2", "--period", "3"}}) {
    std::vector<std::string> direct = {"analyze", run.file("w.npy")},
                             streamed = {"analyze", "--q", run.file("q.npy"), "--k", run.file("k.npy")};
    direct.insert(direct.end(), more.begin(), more.end());
    streamed.insert(streamed.end(), more.begin(), more.end());
    const json a = json_of(direct), b = json_of(streamed);
    ASSERT_EQ(a.at("heads").size(), b.at("heads").size());
    for (std::size_t h = 0; h < a.at("heads").size(); ++h) {
      EXPECT_EQ(a["heads"][h]["name"], b["heads"][h]["name"]);
      EXPECT_EQ(a["heads"][h]["role"]["id"], b["heads"][h]["role"]["id"]);
      for (const auto& [name, value] : a["heads"][h]["measures"].items()) {
        const json& other = b["heads"][h]["measures"][name];
        ASSERT_EQ(value.is_null(), other.is_null()) << name;
        if (value.is_null()) continue;
        EXPECT_NEAR(value.get<double>(), other.get<double>(), 2e-5) << name;
      }
    }
  }
}

TEST(Analyze, csv_has_one_line_per_head) {
  const SampleRun run;
  const std::vector<std::string> lines = lines_of(
      output_of({"analyze", run.file("w.npy"), "--csv", "--measures", "entropy,next_token,induction"}));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0], "layer,head,entropy,next_token,induction");
  EXPECT_TRUE(lines[5].starts_with("1,1,")) << lines[5];
  EXPECT_TRUE(lines[5].ends_with(",")) << lines[5];  // no period: empty
  const std::string all = output_of({"analyze", "--example", "--format", "csv"});
  EXPECT_TRUE(contains(all, ",role,role_value,rule\n")) << all;
  EXPECT_TRUE(contains(all, ",sink_share,0.667")) << all;
  EXPECT_TRUE(contains(all, ",\"sink_share 0.67 ≥ 0.5, the largest of the patterns\"\n")) << all;
}

TEST(Analyze, sorted_and_cut) {
  const SampleRun run;
  const json report = json_of({"analyze", run.file("w.npy"), "--sort", "entropy", "--top", "4"});
  ASSERT_EQ(report.at("heads").size(), 4U);
  for (std::size_t h = 1; h < 4; ++h) {
    EXPECT_GE(report["heads"][h - 1]["measures"]["entropy"].get<double>(),
              report["heads"][h]["measures"]["entropy"].get<double>());
  }
  const std::string table = output_of({"analyze", run.file("w.npy"), "--sort", "distance", "--top", "1"});
  EXPECT_TRUE(contains(table, "distance")) << table;
  EXPECT_EQ(lines_of(table).at(2).substr(0, 1), "L") << table;
  EXPECT_EQ(lines_of(table).at(3), "") << table;
}

TEST(Analyze, selection_of_layers_and_heads) {
  const SampleRun run;
  const json one = json_of({"analyze", run.file("w.npy"), "--layer", "1", "--head", "2"});
  ASSERT_EQ(one.at("heads").size(), 1U);
  EXPECT_EQ(one["heads"][0]["name"], "L1H2");
  const json all = json_of({"analyze", run.file("w.npy")});
  EXPECT_EQ(one["heads"][0]["measures"], all["heads"][5]["measures"]);
  EXPECT_EQ(run_fovea({"analyze", run.file("w.npy"), "--layer", "2"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"analyze", run.file("w.npy"), "--head", "L0H3"}).exit_code, 2);
}

TEST(Analyze, one_sequence_of_a_batch_with_its_own_mask) {
  const TemporaryDirectory directory;
  Random random(8);
  const Tensor q = random.normal({2, 2, 4, 3});
  const Mask mask = Mask::lengths({4, 2});
  save_npy(directory.file("w.npy"), attention(q, q, q, {.mask = mask, .weights = true}).weights);
  save_npy(directory.file("q.npy"), q);
  const std::vector<std::string> from_weights = {"analyze", directory.file("w.npy"), "--axes", "BHNM"};
  const std::vector<std::string> from_queries = {"analyze", "--q", directory.file("q.npy"), "--k",
                                                 directory.file("q.npy")};
  for (std::vector<std::string> arguments : {from_weights, from_queries}) {
    arguments.insert(arguments.end(), {"--mask", "lengths(4, 2)", "--batch", "1"});
    const json report = json_of(arguments);
    ASSERT_EQ(report.at("heads").size(), 2U);
    const json& received = report["heads"][0]["received"];
    EXPECT_GT(received[1].get<double>(), 0);
    EXPECT_EQ(received[2].get<double>(), 0);  // hidden from all
    EXPECT_TRUE(contains(run_fovea(arguments).err, "sequence 1 of 0 to 1"));
  }
  EXPECT_EQ(run_fovea({"analyze", directory.file("w.npy"), "--axes", "BHNM", "--mask", "lengths(1,2,3)"})
                .exit_code,
            1);
}

TEST(Analyze, similarity_rollout_and_flow) {
  const SampleRun run;
  const std::vector<std::string> queries = {"analyze", "--q", run.file("q.npy"), "--k", run.file("k.npy")};
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"analyze", run.file("w.npy")}, queries}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--similarity", "--rollout", "--flow", "2"});
    const json views = json_of(all);
    ASSERT_EQ(views.at("head_similarity").at("divergence").size(), 6U);
    ASSERT_EQ(views.at("head_similarity").at("layout").at(0).size(), 2U);
    ASSERT_EQ(views.at("head_similarity").at("order").size(), 6U);
    ASSERT_EQ(views.at("rollout").size(), 6U);
    double sum = 0;
    for (const json& share : views["rollout"][3]) sum += share.get<double>();
    EXPECT_NEAR(sum, 1, 1e-6);
    ASSERT_EQ(views.at("attention_flow").size(), 1U);
    arguments.insert(arguments.end(), {"--rollout", "3", "--tokens", "a b c d e f"});
    EXPECT_EQ(json_of(arguments).at("rollout").size(), 1U);
    EXPECT_TRUE(contains(output_of(arguments), "d │"));
  }
  EXPECT_TRUE(contains(output_of({"analyze", "--example", "--similarity"}), "L0H2 L0H0 L0H3 L0H1"));
}

TEST(Analyze, explains_every_measure) {
  const std::string list = output_of({"analyze", "--explain"});
  EXPECT_EQ(list, output_of({"analyze", "--explain", "list"}));
  for (const MeasureDefinition& definition : measure_definitions()) {
    EXPECT_TRUE(contains(list, definition.name)) << definition.name;
  }
  EXPECT_TRUE(contains(output_of({"analyze", "--explain", "sink_share"}), "Range: 1/M"));
  EXPECT_TRUE(contains(output_of({"analyze", "--explain", "sink_share", "--lang", "zh"}), "取值范围：1/M"));
  EXPECT_TRUE(contains(output_of({"analyze", "--explain", "role"}), "broad: normalised_entropy ≥ 0.9"));
  const CommandResult unknown = run_fovea({"analyze", "--explain", "entrophy"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "there is no measure \"entrophy\"; there are entropy,")) << unknown.err;
}

TEST(Analyze, command_lines_that_make_no_sense) {
  const SampleRun run;
  const std::string file = run.file("w.npy");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"analyze", file, "--example"},
                                             {"analyze", file, "--q", file},
                                             {"analyze", file, "--measures", "rollout"},
                                             {"analyze", file, "--measures", ""},
                                             {"analyze", file, "--sort", "role"},
                                             {"analyze", file, "--json", "--csv"},
                                             {"analyze", file, "--similarity", "--csv"},
                                             {"analyze", file, "--rows", "3"},
                                             {"analyze", file, "--rollout", "x"},
                                             {"analyze", file, "--rollout", "6"},
                                             {"analyze", file, "--rollout", "--layer", "0"},
                                             {"analyze", file, "--top", "0"},
                                             {"analyze", file, "--scale", "2"},
                                             {"analyze", "--k", file}}) {
    const CommandResult result = run_fovea(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.back() << ": " << result.err;
    EXPECT_EQ(result.out, "") << arguments.back();
  }
}

}  // namespace
}  // namespace fovea
