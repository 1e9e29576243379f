// Every command that reads a text tells what the model does not know of it, and what it did not read.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run_command.h"

namespace fovea {
namespace {

using JsonValue = nlohmann::json;

std::string model_folder(const std::string& name) {
  return std::string(FOVEA_TEST_DATA) + "/models/" + name;
}

const char* const kText = "the 小明 cat";
const char* const kNote = "fovea: 2 of 8 characters are unknown to this model and read as [UNK]\n";

CommandResult run_well(const std::vector<std::string>& words) {
  CommandResult result = run_fovea(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "cat ";
  return text;
}

TEST(ReadingNotes, of_every_command) {
  const TemporaryDirectory folder;
  const std::string bert = model_folder("bert"), t5 = model_folder("t5");
  const std::vector<std::vector<std::string>> commands = {
      {"tokens", "--model", bert, kText},
      {"tokens", "--model", bert, "--ids", kText},
      {"analyze", "--model", bert, kText},
      {"analyze", "--model", bert, kText, "--json"},
      {"plot", "--model", bert, kText, "--layer", "0", "--heads", "0"},
      {"plot", "bars", "--model", bert, kText},
      {"plot", "entropy", "--model", bert, kText},
      {"attend", "--model", bert, kText, "-o", folder.file("x.npz")},
      {"view", "--model", bert, kText, "-o", folder.file("x.html")},
  };
  for (const std::vector<std::string>& words : commands) {
    const std::string err = run_well(words).err;
    EXPECT_TRUE(contains(err, kNote)) << words[0] << ": " << err;
    EXPECT_EQ(err.find("unknown"), err.rfind("unknown")) << words[0] << ", once: " << err;
  }
  EXPECT_TRUE(contains(run_well({"generate", "--model", t5, kText, "-n", "2"}).err,
                       "fovea: 2 of 8 characters are unknown to this model and read as <unk>\n"));
  EXPECT_TRUE(contains(run_well({"tokens", "--model", bert, kText, "--lang", "zh"}).err,
                       "fovea: 8 个字符中有 2 个是这个模型不认识的：一律读作 [UNK]\n"));
  EXPECT_TRUE(contains(run_well({"tokens", "--model", bert, "小 cat"}).err,
                       "fovea: 1 of 4 characters is unknown to this model and read as [UNK]\n"));
  EXPECT_EQ(run_well({"tokens", "--model", bert, "the cat"}).err, "");
}

// Served until it has told its address, then ended.
TEST(ReadingNotes, of_what_is_served_first) {
  const TemporaryDirectory folder;
  const std::string out = folder.file("out"), err = folder.file("err");
  const std::string script = std::string(FOVEA_COMMAND) + " serve --no-browser --json --port 0 --model " +
                             model_folder("bert") + " '" + kText + "' > " + out + " 2> " + err +
                             " & server=$!; tries=0; until grep -qs url " + out +
                             "; do sleep 0.1; tries=$((tries + 1)); [ $tries -lt 600 ] || break; done; "
                             "kill -INT $server; wait $server";
  EXPECT_EQ(std::system(script.c_str()), 0);
  EXPECT_EQ(text_of(err), kNote);
}

TEST(ReadingNotes, of_what_did_not_fit) {
  const TemporaryDirectory folder;
  const std::string bert = model_folder("bert");
  const std::string note = "fovea: text truncated to 32 of 52 tokens; the last 20 did not fit\n";
  EXPECT_EQ(run_well({"analyze", "--model", bert, long_text(), "--json"}).err, note);
  EXPECT_TRUE(contains(run_well({"plot", "bars", "--model", bert, long_text()}).err, note));
  EXPECT_TRUE(
      contains(run_well({"view", "--model", bert, long_text(), "-o", folder.file("x.html")}).err, note));
  EXPECT_EQ(run_well({"tokens", "--model", bert, long_text(), "--max-length", "32"}).err, note);
  EXPECT_TRUE(
      contains(run_well({"tokens", "--model", bert, long_text(), "--max-length", "32", "--lang", "zh"}).err,
               "52 个词元中只读取了 32 个；最后 20 个超出长度限制"));
}

TEST(ReadingNotes, name_the_text_of_a_pair) {
  const std::string err =
      run_well({"analyze", "--model", model_folder("bert"), "the cat", "小 " + long_text(), "--json"}).err;
  EXPECT_EQ(err,
            "fovea: text 2: 1 of 151 characters is unknown to this model and read as [UNK]\n"
            "fovea: text 2: text truncated to 28 of 52 tokens; the last 24 did not fit\n");
}

TEST(ReadingNotes, of_many_texts_are_one_line) {
  const TemporaryDirectory folder;
  std::ofstream(folder.file("texts")) << "the 小\ncat\n明 cat\n";
  const CommandResult lines =
      run_well({"tokens", "--model", model_folder("bert"), "--lines", "--ids", folder.file("texts")});
  EXPECT_EQ(lines.err, "fovea: 2 of 11 characters are unknown to this model and read as [UNK]\n");
}

TEST(ReadingNotes, kept_runs_tell_it_again) {
  const TemporaryDirectory folder;
  const std::string file = folder.file("run.safetensors");
  const CommandResult made =
      run_well({"generate", "--model", model_folder("t5"), kText, "-n", "2", "--capture", file});
  EXPECT_TRUE(contains(made.err, "<unk>")) << made.err;
  const CommandResult shown = run_well({"analyze", "--capture", file, "--layer", "0", "--heads", "0"});
  EXPECT_TRUE(contains(shown.err, "fovea: 2 of 8 characters are unknown")) << shown.err;
  EXPECT_TRUE(contains(shown.out, "小明 <unk>")) << shown.out;
}

TEST(UnknownTokensShown, in_the_table_of_tokens) {
  const CommandResult table = run_well({"tokens", "--model", model_folder("bert"), kText});
  EXPECT_TRUE(contains(table.out, "segment  unknown\n")) << table.out;
  std::istringstream lines(table.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.starts_with("[UNK]"), line.ends_with("      yes")) << line;
  }
  EXPECT_FALSE(contains(run_well({"tokens", "--model", model_folder("bert"), "the cat"}).out, "unknown"));
  EXPECT_TRUE(
      contains(run_well({"tokens", "--model", model_folder("bert"), kText, "--lang", "zh"}).out, "未知"));
}

TEST(UnknownTokensShown, in_json) {
  const CommandResult result =
      run_well({"tokens", "--model", model_folder("bert"), kText, "the", "--json"});
  EXPECT_EQ(result.err, "") << "it is in the JSON";
  const JsonValue json = JsonValue::parse(result.out);
  EXPECT_EQ(json.at("unknown"),
            JsonValue::parse(R"([{"place":2,"written":"小"},{"place":3,"written":"明"}])"));
  EXPECT_EQ(json.at("texts").at(0), JsonValue::parse(R"({"characters":8,"unknown_characters":2,
      "unknown_token":"[UNK]","tokens":6,"tokens_read":6})"));
  EXPECT_EQ(json.at("texts").at(1).at("tokens"), 2);
  const JsonValue analyzed =
      JsonValue::parse(run_well({"analyze", "--model", model_folder("bert"), kText, "--json"}).out);
  EXPECT_EQ(analyzed.at("unknown").at(1).at("written"), "明");
  EXPECT_EQ(analyzed.at("tokens").at(2), "[UNK]");
  const JsonValue rollout = JsonValue::parse(
      run_well({"analyze", "--model", model_folder("bert"), kText, "--rollout", "--json"}).out);
  EXPECT_EQ(rollout.at("unknown"), json.at("unknown"));
}

TEST(UnknownTokensShown, with_what_was_written) {
  const TemporaryDirectory folder;
  const std::string bert = model_folder("bert");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"analyze", "--model", bert, kText, "--layer", "0", "--heads", "0"},
           {"analyze", "--model", bert, kText, "--rollout"},
           {"plot", "bars", "--model", bert, kText},
           {"plot", "lines", "--model", bert, kText},
       }) {
    const std::string out = run_well(words).out;
    EXPECT_TRUE(contains(out, "小 [UNK]")) << words[0] << " " << words[1] << ": " << out;
  }
  for (const char* kind : {"heatmap", "lines", "bars"}) {
    run_well({"plot", kind, "--model", bert, kText, "-o", folder.file("x.svg")});
    const std::string svg = text_of(folder.file("x.svg")), label = ">小 [UNK]<";
    EXPECT_TRUE(contains(svg, label)) << kind;
    const bool both_sides = std::string(kind) != "bars";
    EXPECT_EQ(svg.find(label) != svg.rfind(label), both_sides) << kind;
  }
}

}  // namespace
}  // namespace fovea
