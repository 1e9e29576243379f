// fovea study: from a corpus to a file, shards, kills, a full disk, and what is shown.
#include <signal.h>

#include <algorithm>
#include <thread>

#include "apps/run_command.h"

namespace fovea {
namespace {

const std::string& tiny_bert() {
  static const std::string folder = std::string(FOVEA_TEST_DATA) + "/models/bert";
  return folder;
}

std::vector<std::string> study_lines(int count) {
  const std::vector<std::string> words = {"the", "cat", "sat", "on", "mat", "a", "quick", "fox", ".", ","};
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    std::string line;
    for (int w = 0; w < 3 + i % 9; ++w) line += words[static_cast<std::size_t>((i * 7 + w * w) % 10)] + " ";
    lines.push_back(line);
  }
  return lines;
}

std::string put_study_lines(const TemporaryDirectory& directory, const std::string& name,
                            const std::vector<std::string>& lines) {
  std::filesystem::create_directories(std::filesystem::path(directory.file(name)).parent_path());
  std::ofstream file(directory.file(name), std::ios::binary);
  for (const std::string& line : lines) file << line << "\n";
  return directory.file(name);
}

CommandResult run_study(const std::string& corpus, const std::string& output,
                        const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"study",    corpus, "--model", tiny_bert(),
                                    "--length", "10",   "-o",      output};
  words.insert(words.end(), more.begin(), more.end());
  return run_fovea(words);
}

TEST(StudyCommand, shards_and_reverse_order_give_the_same_bits) {
  const TemporaryDirectory directory;
  std::vector<std::string> lines = study_lines(50);
  const std::string corpus = put_study_lines(directory, "texts.txt", lines);
  const CommandResult whole = run_study(corpus, directory.file("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_FALSE(directory.has("whole.partial"));
  std::vector<std::string> merge = {"study", "merge"};
  for (const char* shard : {"3/3", "1/3", "2/3"}) {
    merge.push_back(directory.file(std::string("part") + shard[0]));
    ASSERT_EQ(run_study(corpus, merge.back(), {"--shard", shard}).exit_code, 0);
  }
  merge.insert(merge.end(), {"-o", directory.file("merged")});
  ASSERT_EQ(run_fovea(merge).exit_code, 0);
  EXPECT_EQ(text_of(directory.file("merged")), text_of(directory.file("whole")));
  std::reverse(lines.begin(), lines.end());
  ASSERT_EQ(
      run_study(put_study_lines(directory, "back/texts.txt", lines), directory.file("back.s")).exit_code,
      0);
  EXPECT_EQ(text_of(directory.file("back.s")), text_of(directory.file("whole")));
}

TEST(StudyCommand, killed_and_started_again_it_ends_with_the_same_bits) {
  const TemporaryDirectory directory;
  const std::string corpus = put_study_lines(directory, "texts.txt", study_lines(3000));
  ASSERT_EQ(run_study(corpus, directory.file("whole")).exit_code, 0);
  int kills = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const pid_t child = fork();
    if (child == 0) {
      execl(FOVEA_COMMAND, FOVEA_COMMAND, "study", corpus.c_str(), "--model", tiny_bert().c_str(),
            "--length", "10", "--save-every", "0", "-o", directory.file("killed").c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + 250 * attempt));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) ++kills;
  }
  const CommandResult last = run_study(corpus, directory.file("killed"));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(text_of(directory.file("killed")), text_of(directory.file("whole"))) << kills << " kills";
  EXPECT_FALSE(directory.has("killed.partial"));
}

TEST(StudyCommand, shows_tables_json_pictures_and_an_atlas) {
  const TemporaryDirectory directory;
  const std::string study = directory.file("s.safetensors");
  std::vector<std::string> lines = study_lines(30);
  lines[3] = "", lines[4] = "bad \xff byte", lines[5] = std::string(1 << 20, 'x');
  const CommandResult made = run_study(put_study_lines(directory, "texts.txt", lines), study);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(contains(made.err, "1 texts are not UTF-8 everywhere")) << made.err;
  EXPECT_TRUE(contains(made.err, "1 texts are empty")) << made.err;
  EXPECT_TRUE(contains(made.out, "1 without tokens, 0 broken; 1 repaired")) << made.out;
  const CommandResult all = run_fovea({"study", "show", study});
  EXPECT_TRUE(contains(all.out, "L0H0")) << all.err;
  const CommandResult head = run_fovea({"study", "show", study, "--head", "L1H1"});
  EXPECT_TRUE(contains(head.out, "strongest places")) << head.err;
  const CommandResult json = run_fovea({"study", "show", study, "--json"});
  EXPECT_TRUE(contains(json.out, "\"texts\":29")) << json.out.substr(0, 300);
  for (const char* kind : {"measure", "distances", "positions", "similarity"}) {
    const std::string path = directory.file(std::string(kind) + ".svg");
    EXPECT_EQ(run_fovea({"study", "show", study, "--picture", kind, "-o", path}).exit_code, 0) << kind;
    EXPECT_TRUE(contains(text_of(path), "<svg")) << kind;
    EXPECT_EQ(run_fovea({"study", "show", study, "--picture", kind}).exit_code, 0) << kind;
  }
  const CommandResult atlas = run_fovea({"study", "atlas", study});
  EXPECT_TRUE(contains(atlas.out, "- **L1H1** ")) << atlas.err;
  const CommandResult chinese = run_fovea({"study", "atlas", study, "--lang", "zh"});
  EXPECT_TRUE(contains(chinese.out, "的注意力头")) << chinese.err;
  EXPECT_EQ(run_fovea({"study", "show", study, "--head", "L9H0"}).exit_code, 2);
  EXPECT_EQ(run_fovea({"study", "show", study, "--measure", "x", "--picture", "measure"}).exit_code, 2);
}

TEST(StudyCommand, what_is_wrong_is_said) {
  const TemporaryDirectory directory;
  const std::string corpus = put_study_lines(directory, "texts.txt", study_lines(3));
  EXPECT_EQ(run_fovea({"study", corpus, "-o", "x"}).exit_code, 2);
  EXPECT_EQ(run_study(corpus, directory.file("s"), {"--shard", "4/3"}).exit_code, 2);
  EXPECT_EQ(run_study(directory.file("none.txt"), directory.file("s")).exit_code, 1);
  const CommandResult full = run_study(corpus, "/dev/full");
  EXPECT_EQ(full.exit_code, 1) << full.err;
}

TEST(StudyCommand, a_full_disk_leaves_what_was_there) {
  const TemporaryDirectory directory;
  const std::string corpus = put_study_lines(directory, "texts.txt", study_lines(3));
  std::ofstream(directory.file("s"), std::ios::binary) << "before";
  const std::string line = "ulimit -f 64; exec " FOVEA_COMMAND " study " + corpus + " --model " +
                           tiny_bert() + " --length 10 -o " + directory.file("s") + " 2>" +
                           directory.file("err");
  EXPECT_EQ(WEXITSTATUS(std::system(("bash -c '" + line + "'").c_str())), 1);
  EXPECT_TRUE(contains(text_of(directory.file("err")), "File too large")) << text_of(directory.file("err"));
  EXPECT_EQ(text_of(directory.file("s")), "before");
}

}  // namespace
}  // namespace fovea
