// What people and other programs do to the command: signals, pipes where files belong, numbers without end.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "fovea/file.h"
#include "fovea/named_tensors.h"
#include "fovea/npy.h"
#include "fovea/npz.h"
#include "fovea/random.h"
#include "fovea/safetensors.h"
#include "run_command.h"

namespace fovea {
namespace {

std::string model_data(const std::string& name) { return std::string(FOVEA_TEST_DATA) + "/models/" + name; }

// Starts the command, and sends it a signal after a while. True if it ended by that.
bool run_and_signal(std::vector<std::string> words, int signal, std::chrono::microseconds after) {
  words.insert(words.begin(), FOVEA_COMMAND);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, FOVEA_COMMAND, &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  std::this_thread::sleep_for(after);
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

TEST(Signals, leave_the_old_file_and_nothing_else) {
  const TemporaryDirectory directory;
  Random random(1);
  const Tensor q = random.normal({1200, 8});
  for (const char* name : {"q.npy", "k.npy", "v.npy"}) save_npy(directory.file(name), q);
  write_file(directory.file("out.npz"), "old");
  const std::vector<std::string> words = {
      "attend", directory.file("q.npy"),  directory.file("k.npy"), directory.file("v.npy"), "--weights",
      "-o",     directory.file("out.npz")};
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
  for (int round = 0; round < 12; ++round) {
    const bool ended = run_and_signal(words, signals[round % 4], std::chrono::milliseconds(4 * round));
    EXPECT_EQ(directory.entries(), 4u) << "round " << round;
    const std::string now = text_of(directory.file("out.npz"));
    EXPECT_TRUE(now == "old" || now.size() > 1200u * 1200 * 4) << "round " << round << ": " << now.size();
    EXPECT_TRUE(ended || now != "old") << "round " << round;
  }
}

// Opening one would wait for whoever writes to it.
TEST(Pipes, are_refused_where_files_belong) {
  const TemporaryDirectory directory;
  save_npy(directory.file("w.npy"), Tensor::from({{1, 0}, {0.5f, 0.5f}}));
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(directory.file("pipe.npz").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(directory.file("tokenizer.json").c_str(), 0600), 0);
  for (const char* name : {"config.json", "tokenizer.json"}) {
    const std::string folder = directory.file(name) + ".model";
    std::filesystem::copy(model_data("t5"), folder);
    std::filesystem::remove(folder + "/" + name);
    ASSERT_EQ(::mkfifo((folder + "/" + name).c_str(), 0600), 0);
    const CommandResult result =
        run_fovea({"attend", "--model", folder, "the cat", "-o", directory.file("o.npz")});
    EXPECT_EQ(result.exit_code, 1) << name;
    EXPECT_TRUE(contains(result.err, "is a pipe, a regular file was expected")) << result.err;
  }
  const std::vector<std::vector<std::string>> lines = {
      {"plot", directory.file("w.npy"), "--tokens-file", directory.file("pipe"), "-o",
       directory.file("o.svg")},
      {"plot", directory.file("w.npy"), "--tokens-file", "/dev/zero", "-o", directory.file("o.svg")},
      {"plot", directory.file("pipe.npz"), "-o", directory.file("o.svg")},
      {"tokens", "--tokenizer", directory.file("tokenizer.json"), "a"},
  };
  for (const std::vector<std::string>& line : lines) {
    const CommandResult result = run_fovea(line);
    EXPECT_EQ(result.exit_code, 1) << line[0];
    EXPECT_TRUE(contains(result.err, "a regular file was expected")) << line[0] << ": " << result.err;
  }
  EXPECT_FALSE(directory.has("o.svg"));
}

TEST(Attend, model_of_nan_weights_is_an_error) {
  const TemporaryDirectory directory;
  const std::string folder = directory.file("model");
  std::filesystem::copy(model_data("bert"), folder);
  NamedArrays changed;
  for (const NamedArrays::Entry& entry : load_safetensors(folder + "/model.safetensors")) {
    if (!entry.is_tensor()) continue;
    Tensor tensor = std::get<Tensor>(entry.array);
    if (contains(entry.name, "layer.1.attention.self.query.weight")) tensor.data()[0] = NAN;
    changed.add(entry.name, std::move(tensor));
  }
  save_safetensors(folder + "/model.safetensors", changed);
  for (const char* name : {"o.json", "o.npz", "o.safetensors"}) {
    const CommandResult result =
        run_fovea({"attend", "--model", folder, "the cat", "-o", directory.file(name)});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_TRUE(contains(result.err, "the weight of layer 1, batch entry 0, head 0")) << result.err;
    EXPECT_FALSE(directory.has(name));
  }
}

TEST(View, same_text_same_bytes) {
  const TemporaryDirectory directory;
  const auto page = [&](const char* threads) {
    const CommandResult result = run_fovea({"view", "--model", model_data("bert"), "the cat sat",
                                            "--threads", threads, "-o", directory.file("page.html")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return text_of(directory.file("page.html"));
  };
  const std::string first = page("1");
  EXPECT_TRUE(first == page("1"));
  EXPECT_TRUE(first == page("2"));
}

TEST(Messages, do_not_list_thousands_of_names) {
  const TemporaryDirectory directory;
  NamedArrays many;
  for (int i = 0; i < 20'000; ++i) many.add("array" + std::to_string(i), Tensor::from({1}));
  save_npz(directory.file("many.npz"), many);
  const CommandResult attend =
      run_fovea({"attend", directory.file("many.npz"), "-o", directory.file("o.npy")});
  EXPECT_EQ(attend.exit_code, 1);
  EXPECT_TRUE(contains(attend.err, "… and 19,990 more")) << attend.err.substr(0, 300);
  EXPECT_LT(attend.err.size(), 400u);
  const CommandResult plot = run_fovea({"plot", directory.file("many.npz"), "-o", directory.file("o.svg")});
  EXPECT_EQ(plot.exit_code, 1);
  EXPECT_LT(plot.err.size(), 1000u);
  std::vector<std::string> words = {"explain"};
  for (int i = 0; i < 5'000; ++i) words.push_back("word" + std::to_string(i));
  const CommandResult unknown = run_fovea(words);
  EXPECT_NE(unknown.exit_code, 0);
  EXPECT_LT(unknown.err.size(), 2000u);
  words = {"mask", "causal"};
  for (int i = 0; i < 5'000; ++i) words.push_back("--no" + std::to_string(i));
  EXPECT_LT(run_fovea(words).err.size(), 1000u);
  // A single name may be as long as it likes.
  EXPECT_LT(run_fovea({"mask", "causal", "--" + std::string(100'000, 'x')}).err.size(), 5000u);
}

TEST(Output, to_devices_and_standard_output) {
  const TemporaryDirectory directory;
  save_npy(directory.file("w.npy"), Tensor::from({{1, 0}, {0.5f, 0.5f}}));
  write_file(directory.file("drawn.svg"), "");
  std::filesystem::create_symlink("/dev/stdout", directory.file("out.svg"));
  struct stat before = {}, after = {};
  ASSERT_EQ(::stat(directory.file("drawn.svg").c_str(), &before), 0);
  const CommandResult result = run_fovea({"plot", directory.file("w.npy"), "-o", directory.file("out.svg")},
                                         {}, directory.file("drawn.svg"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("out.svg")));
  EXPECT_TRUE(contains(text_of(directory.file("drawn.svg")), "</svg>"));
  ASSERT_EQ(::stat(directory.file("drawn.svg").c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino) << "written to where it is open, not replaced";
  EXPECT_EQ(directory.entries(), 3u);
}

TEST(Threads, limit_is_the_same_everywhere) {
  const CommandResult many = run_fovea({"info", "--json"}, {"OMP_NUM_THREADS=100000"});
  EXPECT_EQ(many.exit_code, 0) << many.err;
  EXPECT_TRUE(contains(many.out, "\"threads\": 1024")) << many.out;
  const TemporaryDirectory directory;
  save_npy(directory.file("q.npy"), Tensor({600, 8}));
  const CommandResult attend = run_fovea({"attend", directory.file("q.npy"), directory.file("q.npy"),
                                          directory.file("q.npy"), "-o", directory.file("o.npy")},
                                         {"OMP_NUM_THREADS=100000"});
  EXPECT_EQ(attend.exit_code, 0) << attend.err;
  EXPECT_EQ(run_fovea({"info", "--threads", "1025"}).exit_code, 2);
}

}  // namespace
}  // namespace fovea
