// fovea train translate, fovea translate and fovea align.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fovea/film.h"
#include "io/json.h"
#include "run_command.h"

namespace fovea {
namespace {

std::string own_model(const std::string& name) {
  return std::string(FOVEA_TEST_DATA) + "/../../models/" + name;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void write_lines(const std::string& path, const std::string& lines) { std::ofstream(path) << lines; }

// 60 pairs of two words each, and two lines that are none.
std::string small_pairs() {
  std::string lines = "no tab here\n";
  for (int i = 0; i < 60; ++i) {
    lines += "word" + std::to_string(i) + " again\t字" + std::to_string(i) + "\n";
  }
  return lines + "one side\t\n";
}

TEST(TranslateCommand, trains_a_model_that_translates_and_aligns) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("pairs.tsv"), folder = directory.file("model");
  write_lines(file, small_pairs());
  const CommandResult trained = run_fovea(
      {"train", "translate", file, "--steps", "6", "--batch", "8", "--d-model", "16", "--heads", "2",
       "--vocabulary", "300", "--film", "word1 again\t字1", "--film-every", "3", "--out", folder});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.err, "2 broken lines left out")) << trained.err;
  EXPECT_TRUE(contains(trained.err, ": 1, 62")) << trained.err;
  EXPECT_TRUE(contains(trained.err, "54 pairs to learn from, 3 to evaluate on, 3 for the test"))
      << trained.err;
  EXPECT_TRUE(contains(trained.out, "test pairs, never shown")) << trained.out;
  EXPECT_TRUE(std::filesystem::exists(folder + "/test.tsv"));

  // The film has both sides, so that every frame shows the same words.
  const Film film = Film::load(folder + "/film.safetensors");
  ASSERT_EQ(film.frames().size(), 3u);
  EXPECT_EQ(film.frames()[1].step, 3);
  EXPECT_EQ(film.run(0).layers(AttentionKind::cross), 2);
  EXPECT_EQ(film.run(2).query_tokens(AttentionKind::cross, 0),
            film.run(0).query_tokens(AttentionKind::cross, 0));
  EXPECT_NE(film.run(2).layer(AttentionKind::cross, 1).q(0, 0, 0, 0),
            film.run(0).layer(AttentionKind::cross, 1).q(0, 0, 0, 0));

  const CommandResult aligned = run_fovea({"align", "--model", folder, file});
  ASSERT_EQ(aligned.exit_code, 0) << aligned.err;
  EXPECT_TRUE(contains(aligned.err, "2 broken lines, whose output is empty")) << aligned.err;
  const std::vector<std::string> links = lines_of(aligned.out);
  ASSERT_EQ(links.size(), 62u);  // as many as the file has
  EXPECT_EQ(links.front() + links.back(), "");
  EXPECT_EQ(std::count(links.begin(), links.end(), ""), 2);
  // After six steps it may write nothing at all, but a line it is.
  write_lines(directory.file("english.txt"), "word1 again\n\nword2 again\n");
  const CommandResult lines =
      run_fovea({"translate", "--model", folder, "-n", "3", "--lines", directory.file("english.txt")});
  EXPECT_EQ(lines.exit_code, 0) << lines.err;
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 3) << lines.out;

  const CommandResult again = run_fovea({"train", "--resume", "--out", folder});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

// Lines of the output are those of the file, whatever stands in them.
TEST(TranslateCommand, align_gives_a_line_for_each_line) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("pairs.tsv");
  std::string longer = "I love you .";
  for (int i = 0; i < 60; ++i) longer += " very";
  write_lines(file, "I love you .\t我 爱 你 。\n\nno pair\n" + longer + "\t我\n我\t" + longer +
                        "\nI see .\t我 明白 。");
  const CommandResult result = run_fovea({"align", "--model", own_model("en-zh"), file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> links = lines_of(result.out);
  ASSERT_EQ(links.size(), 6u) << result.out;
  EXPECT_EQ(links[0], "0-0 1-1 2-2 3-3");
  EXPECT_EQ(links[1] + links[2] + links[3] + links[4], "");
  EXPECT_NE(links[5], "");
  EXPECT_TRUE(
      contains(result.err, "1 broken lines, whose output is empty; expected \"source TAB target\": 3"))
      << result.err;
  EXPECT_TRUE(contains(
      result.err, "2 lines have more tokens than the 48 that the model reads; their output is empty: 4, 5"))
      << result.err;
  const CommandResult json = run_fovea({"align", "--model", own_model("en-zh"), file, "--json"});
  const Json all = Json::parse(json.out);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].at("links"), links[0]);
  EXPECT_TRUE(all[1].is_null() && all[2].is_null() && all[3].is_null() && all[4].is_null());
  EXPECT_EQ(all[5].at("links"), links[5]);
}

// Beam search itself is compared with transformers in tests/models; here: that the options arrive.
TEST(TranslateCommand, beams) {
  const std::string text = "She didn't like the horse at first.";
  const auto translated = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"translate", "--model", own_model("en-zh"), text, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_fovea(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out).at("translation").get<std::string>();
  };
  const auto generated = [&](const std::string& penalty) {
    const CommandResult result = run_fovea({"generate", "--model", own_model("en-zh"), text, "--json",
                                            "--beams", "4", "--length-penalty", penalty});
    std::string said = Json::parse(result.out).at("text").get<std::string>();
    return said.erase(0, said.find_first_not_of(' '));
  };
  EXPECT_NE(translated({}), translated({"--beams", "4"}));
  EXPECT_EQ(translated({"--beams", "4"}), generated("1"));
  EXPECT_EQ(translated({"--beams", "4", "--length-penalty", "-3"}), generated("-3"));
  EXPECT_NE(generated("-3"), generated("1"));
  const CommandResult refused =
      run_fovea({"translate", "--model", own_model("en-zh"), text, "--length-penalty", "2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "--length-penalty and --early-end are for --beams 2 or more"))
      << refused.err;
}

TEST(TranslateCommand, what_does_not_fit_is_refused) {
  const TemporaryDirectory directory;
  const std::string file = directory.file("pairs.tsv");
  write_lines(file, "no pair\n");
  EXPECT_TRUE(contains(run_fovea({"train", "translate", file, "--out", directory.file("a")}).err,
                       "there is no line \"source TAB target\""));
  EXPECT_EQ(run_fovea({"train", "translate"}).exit_code, 2);
  for (const char* text : {"I love you.", "I love you.\t", "a\tb\nc\td"}) {
    const CommandResult film =
        run_fovea({"train", "translate", file, "--film", text, "--out", directory.file("a")});
    EXPECT_EQ(film.exit_code, 2);
    EXPECT_TRUE(contains(film.err, "but translate films pairs: expected \"source TAB target\""))
        << film.err;
  }
  EXPECT_EQ(run_fovea({"train", "sort", "--family", "bart"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"align", "--model", own_model("en-zh"), file}).exit_code, 1);
  EXPECT_EQ(run_fovea({"translate", "--model", own_model("sort"), "3"}).exit_code, 1);
  EXPECT_EQ(run_fovea({"translate", "--model", own_model("en-zh"), "--lines", "--json", "Hi"}).exit_code,
            2);
}

TEST(TranslateCommand, i_love_you) {
  const TemporaryDirectory directory;
  const std::string picture = directory.file("love.svg");
  const CommandResult result =
      run_fovea({"translate", "--model", own_model("en-zh"), "I love you.", "-o", picture});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("我爱你。\n") || result.out.starts_with("我爱您。\n")) << result.out;
  EXPECT_TRUE(contains(result.out, "我 ── I ")) << result.out;
  EXPECT_TRUE(contains(result.out, "爱 ── love ")) << result.out;
  std::ifstream svg(picture);
  std::stringstream text;
  text << svg.rdbuf();
  EXPECT_TRUE(contains(text.str(), "</svg>"));
}

std::vector<std::pair<Index, Index>> links_of(const std::string& text) {
  std::vector<std::pair<Index, Index>> links;
  std::istringstream words(text);
  for (Index a = 0, b = 0; words >> a && words.ignore(1) && words >> b;) links.emplace_back(a, b);
  return links;
}

// 124 pairs aligned by hand: tests/data/alignment. The goal is 18 %; the diagonal has 41 %.
TEST(TranslateCommand, alignment_error_rate_on_pairs_aligned_by_hand) {
  const std::string file = std::string(FOVEA_TEST_DATA) + "/alignment/en-zh.tsv";
  const CommandResult result = run_fovea({"align", "--model", own_model("en-zh"), file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream said(result.out);
  std::ifstream truth(file);
  std::size_t found = 0, sure = 0, hits = 0;
  for (std::string line, links; std::getline(truth, line) && std::getline(said, links);) {
    std::vector<std::string> columns(1);
    for (const char c : line) {
      if (c == '\t') {
        columns.emplace_back();
      } else {
        columns.back() += c;
      }
    }
    const auto is_sure = links_of(columns.at(2)), possible = links_of(columns.size() > 3 ? columns[3] : "");
    for (const auto& link : links_of(links)) {
      const bool strong = std::find(is_sure.begin(), is_sure.end(), link) != is_sure.end();
      const bool weak = std::find(possible.begin(), possible.end(), link) != possible.end();
      hits += strong ? 2 : weak ? 1 : 0;
      ++found;
    }
    sure += is_sure.size();
  }
  EXPECT_GT(found, 500u);
  EXPECT_LE(1 - static_cast<double>(hits) / static_cast<double>(found + sure), 0.18);
}

}  // namespace
}  // namespace fovea
