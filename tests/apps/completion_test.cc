// fovea completion and fovea man: what shells and man make of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "apps/run_command.h"

namespace fovea {
namespace {

std::string printed_by(const std::vector<std::string>& words) {
  const CommandResult result = run_fovea(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

// Standard output of a shell command.
std::string output_of(const std::string& line) {
  FILE* pipe = ::popen(line.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0) << line;
  return text;
}

// What bash offers for the last of these words.
std::vector<std::string> offered(const TemporaryDirectory& folder, const std::vector<std::string>& words) {
  std::ofstream(folder.file("complete.sh"))
      << "source '" << folder.file("fovea.bash") << "'\ncd '" << folder.file("files") << "'\n"
      << "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _fovea\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  std::string line = "bash '" + folder.file("complete.sh") + "'";
  for (const std::string& word : words) line += " '" + word + "'";
  std::istringstream lines(output_of(line));
  std::vector<std::string> found;
  for (std::string each; std::getline(lines, each);) {
    if (!each.empty()) found.push_back(each);
  }
  return found;
}

bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

using Words = std::vector<std::string>;

TEST(Completion, bash_completes_commands_options_values_and_files) {
  const TemporaryDirectory folder;
  std::ofstream(folder.file("fovea.bash")) << printed_by({"completion", "bash"});
  std::filesystem::create_directory(folder.file("files"));
  std::ofstream(folder.file("files") + "/my weights.npy") << "x";

  EXPECT_EQ(offered(folder, {"fovea", "ex"}), Words{"explain"});
  EXPECT_TRUE(has(offered(folder, {"fovea", ""}), "serve"));
  EXPECT_EQ(offered(folder, {"fovea", "plot", "--colorm"}), Words{"--colormap"});
  EXPECT_EQ(offered(folder, {"fovea", "plot", "--theme", ""}), (Words{"light", "dark"}));
  EXPECT_EQ(offered(folder, {"fovea", "--lang", "z"}), Words{"zh"});
  EXPECT_EQ(offered(folder, {"fovea", "plot", "gr"}), (Words{"grid", "growth"}));
  EXPECT_EQ(offered(folder, {"fovea", "plot", "my"}), Words{"my weights.npy"});
  EXPECT_EQ(offered(folder, {"fovea", "plot", "-o", ""}), Words{"my weights.npy"});
  EXPECT_EQ(offered(folder, {"fovea", "generate", "--model", "st"}), Words{"stories15m"});
  EXPECT_EQ(offered(folder, {"fovea", "model", "ch"}), Words{"check"});
  EXPECT_TRUE(offered(folder, {"fovea", "plot", "--title", ""}).empty());
  EXPECT_TRUE(has(offered(folder, {"fovea", "mask", "--"}), "--threads"));
  EXPECT_FALSE(has(offered(folder, {"fovea", "mask", "--"}), "--colormap"));
}

TEST(Completion, zsh_reads_it) {
  if (!installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  const TemporaryDirectory folder;
  std::ofstream(folder.file("_fovea")) << printed_by({"completion", "zsh"});
  output_of("zsh -n '" + folder.file("_fovea") + "'");
  // In a terminal of its own, zsh completes what is typed.
  std::ofstream(folder.file("try.zsh")) << R"(zmodload zsh/zpty
export FOLDER=$1
zpty -b shell "TERM=dumb zsh -f -i"
zpty -w shell 'PS1=; fpath=($FOLDER $fpath); autoload -U compinit; compinit -u -d $FOLDER/dump'
zpty -w -n shell $'fovea gener\t--mod\tsto\t'
text="" part=""
for i in {1..200}; do
  zpty -r -t shell part && text+=$part
  [[ $text == *--model*stories15m* ]] && { print done; break; }
  sleep 0.1
done
zpty -d shell
)";
  EXPECT_EQ(output_of("zsh -f '" + folder.file("try.zsh") + "' '" + folder.file("") + "' 2>&1"), "done\n");
}

TEST(Completion, other_shells_are_refused) {
  const CommandResult result = run_fovea({"completion", "fish"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("SHELL: got \"fish\", expected bash or zsh"), std::string::npos);
}

TEST(Man, page_has_every_command_and_no_mistakes) {
  const TemporaryDirectory folder;
  const std::string page = printed_by({"man"});
  for (const char* part : {".SH NAME\nfovea \\- ", ".SS fovea explain\n", ".SS fovea serve\n",
                           ".SH EXIT STATUS\n", "\\fB\\-\\-colormap\\fR"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_NE(printed_by({"man", "--lang", "zh"}).find(".SH 名称\n"), std::string::npos);
  if (!installed("mandoc")) GTEST_SKIP() << "mandoc is not installed";
  for (const char* language : {"en", "zh"}) {
    std::ofstream(folder.file("fovea.1")) << printed_by({"man", "--lang", language});
    EXPECT_EQ(output_of("mandoc -T lint -W warning '" + folder.file("fovea.1") + "' 2>&1; true"), "")
        << language;
  }
}

}  // namespace
}  // namespace fovea
