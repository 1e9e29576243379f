// fovea train: what it writes, how it goes on after an end that nobody wanted, and what it refuses.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fovea/film.h"
#include "fovea/text_model.h"
#include "fovea/training_log.h"
#include "run_command.h"

namespace fovea {
namespace {

using Words = std::vector<std::string>;

// A training of a moment; `more` comes last.
Words small_training(const std::string& folder, const Words& more = {}) {
  Words words = {"train",
                 "sort",
                 "--out",
                 folder,
                 "--steps",
                 "60",
                 "--batch",
                 "4",
                 "--d-model",
                 "8",
                 "--heads",
                 "2",
                 "--layers",
                 "1",
                 "--length",
                 "4",
                 "--threads",
                 "1",
                 "--checkpoint-every",
                 "7",
                 "--evaluate-every",
                 "20"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kBits = {"model.safetensors", "checkpoint.safetensors", "training_log.jsonl", "config.json",
                     "tokenizer.json"};

void expect_same_bits(const std::string& a, const std::string& b, const Words& files = kBits) {
  for (const std::string& file : files) {
    const std::string one = text_of(a + "/" + file), two = text_of(b + "/" + file);
    EXPECT_FALSE(one.empty()) << file;
    EXPECT_TRUE(one == two) << file << " differs";
  }
}

// Runs the command until its log has so many lines, then sends the signal; what waitpid says. A training
// that ends by itself before that says so (exit code 0): on a busy machine this process may be late.
int end_by_signal(const Words& arguments, const std::string& log, std::size_t lines, int signal,
                  const std::string& err) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR), told = ::open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(null, STDIN_FILENO), ::dup2(null, STDOUT_FILENO), ::dup2(told, STDERR_FILENO);
    Words words = {FOVEA_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(FOVEA_COMMAND, argv.data());
    ::_exit(127);
  }
  int status = 0;
  const auto enough = [&] {
    const std::string text = text_of(log);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= lines;
  };
  while (!enough()) {
    if (::waitpid(child, &status, WNOHANG) != 0) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, signal);
  ::waitpid(child, &status, 0);
  return status;
}

TEST(TrainCommand, writes_a_model_that_everything_reads) {
  const TemporaryDirectory directory;
  const std::string folder = directory.file("sorter");
  const CommandResult trained = run_fovea(small_training(folder, {"--json", "--half"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.out, "\"task\": \"sort\"")) << trained.out;
  EXPECT_TRUE(contains(trained.out, "\"lists\": 10000")) << trained.out;
  EXPECT_EQ(trained.err, "");
  const TrainingHistory history = TrainingLog::load(folder + "/training_log.jsonl");
  EXPECT_EQ(history.steps.size(), 60u);
  EXPECT_EQ(history.evaluations.size(), 3u);
  EXPECT_LT(history.steps.back().loss, history.steps.front().loss);

  const CommandResult written = run_fovea({"generate", "--model", folder, "3 1 4 1"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(written.out.substr(0, 8), "3 1 4 1 ");
  EXPECT_EQ(written.out.size(), 16u) << written.out;  // eight digits, and it is full
  EXPECT_EQ(run_fovea({"attend", "--model", folder, "3141", "-o", directory.file("w.npz")}).exit_code, 0);
  EXPECT_EQ(run_fovea({"model", "check", folder}).exit_code, 0);
  const CommandResult curve = run_fovea({"plot", "training", folder});
  EXPECT_EQ(curve.exit_code, 0) << curve.err;
  EXPECT_TRUE(contains(curve.out, "●")) << curve.out;
  EXPECT_EQ(run_fovea({"plot", "training", folder, "-o", directory.file("loss.svg")}).exit_code, 0);
  EXPECT_TRUE(contains(text_of(directory.file("loss.svg")), "</svg>"));
}

TEST(TrainCommand, says_what_it_reached) {
  const TemporaryDirectory directory;
  const CommandResult result = run_fovea(small_training(directory.file("a")));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "sort, gpt2: 1 × 2 heads")) << result.out;
  EXPECT_TRUE(contains(result.out, "step     20: loss ")) << result.out;
  EXPECT_TRUE(contains(result.out, " of 10000 new lists are sorted")) << result.out;
  const CommandResult chinese = run_fovea(small_training(directory.file("b"), {"--lang", "zh"}));
  EXPECT_TRUE(contains(chinese.out, "留出数据")) << chinese.out;
}

TEST(TrainCommand, killed_and_resumed_it_ends_with_the_same_bits) {
  const TemporaryDirectory directory;
  const std::string whole = directory.file("whole"), killed = directory.file("killed");
  // Many more steps than lines: the last of them must not be done before the signal comes.
  const Words film = {"--film", "3 1 4 1", "--film", "0 0 9", "--film-every", "50", "--steps", "300"};
  ASSERT_EQ(run_fovea(small_training(whole, film)).exit_code, 0);
  for (const std::size_t lines : {3u, 26u, 45u}) {  // before the first checkpoint, and after some
    Words words = small_training(killed, film);
    if (lines > 3) words.push_back("--resume");
    const int status =
        end_by_signal(words, killed + "/training_log.jsonl", lines, SIGKILL, directory.file("err"));
    EXPECT_TRUE(WIFSIGNALED(status)) << text_of(directory.file("err"));
  }
  EXPECT_FALSE(directory.has("killed/model.safetensors"));
  const CommandResult resumed = run_fovea({"train", "--resume", "--out", killed, "--threads", "2"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.out, "sort continues after step ")) << resumed.out;
  Words files = kBits;
  files.emplace_back("film.safetensors");
  expect_same_bits(whole, killed, files);

  const Film kept = Film::load(killed + "/film.safetensors");
  EXPECT_EQ(kept.texts(), (Words{"3 1 4 1", "0 0 9"}));
  ASSERT_EQ(kept.frames().size(), 7u);  // step 0, and every 50th
  EXPECT_EQ(kept.frames().back().step, 300);
  EXPECT_EQ(kept.losses().size(), 300u);
  EXPECT_EQ(run_fovea({"train", "--resume", "--out", killed}).exit_code,
            0);  // it is finished, and stays so
  expect_same_bits(whole, killed, files);
}

TEST(TrainCommand, ctrl_c_writes_the_checkpoint_and_says_how_to_go_on) {
  const TemporaryDirectory directory;
  const std::string whole = directory.file("whole"), stopped = directory.file("stopped");
  // A step takes a fraction of a millisecond. If all are done before the signal is noticed, there was
  // nothing to stop: once more, with more of them.
  Words steps;
  int status = 0;
  const auto is_stopped = [&] { return WIFEXITED(status) && WEXITSTATUS(status) == 130; };
  for (int count = 250; count < 20000 && !is_stopped(); count *= 4) {
    std::filesystem::remove_all(stopped);
    steps = {"--steps", std::to_string(count), "--checkpoint-every", "0"};
    status = end_by_signal(small_training(stopped, steps), stopped + "/training_log.jsonl", 5, SIGINT,
                           directory.file("err"));
  }
  ASSERT_EQ(run_fovea(small_training(whole, steps)).exit_code, 0);
  EXPECT_TRUE(is_stopped()) << status;
  EXPECT_TRUE(
      contains(text_of(directory.file("err")), "continue with: fovea train --resume --out " + stopped))
      << text_of(directory.file("err"));
  EXPECT_TRUE(directory.has("stopped/checkpoint.safetensors"));
  ASSERT_EQ(run_fovea({"train", "--resume", "--out", stopped}).exit_code, 0);
  expect_same_bits(whole, stopped);
}

// A limit on the size of files stands for a disk that is full: a checkpoint no longer fits, or the log.
TEST(TrainCommand, a_full_disk_loses_nothing) {
  const TemporaryDirectory directory;
  const std::string whole = directory.file("whole"), full = directory.file("full");
  ASSERT_EQ(run_fovea(small_training(whole)).exit_code, 0);
  std::string line = "trap '' XFSZ; ulimit -f 4; exec " FOVEA_COMMAND;
  for (const std::string& word : small_training(full)) line += " '" + word + "'";
  line += " >" + directory.file("out") + " 2>" + directory.file("err");
  const int status = std::system(("bash -c \"" + line + "\"").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_TRUE(contains(text_of(directory.file("err")), "File too large")) << text_of(directory.file("err"));
  const CommandResult resumed = run_fovea({"train", "--resume", "--out", full});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  expect_same_bits(whole, full);
}

TEST(TrainCommand, texts_of_ones_own) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "the cat sat on the mat. 我喜欢猫。\n";
  std::ofstream(directory.file("story.txt")) << text;
  for (const char* kind : {"words", "characters", "bpe"}) {
    const std::string folder = directory.file(std::string("of-") + kind);
    const CommandResult result = run_fovea({"train",       "text",     directory.file("story.txt"),
                                            "--tokenizer", kind,       "--steps",
                                            "10",          "--batch",  "2",
                                            "--d-model",   "16",       "--heads",
                                            "2",           "--layers", "1",
                                            "--length",    "16",       "--vocabulary",
                                            "300",         "--out",    folder});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "perplexity")) << result.out;
    const CommandResult written = run_fovea({"generate", "--model", folder, "the cat", "-n", "3"});
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_EQ(written.err, "") << kind;  // no token is unknown
  }
  const std::string masked = directory.file("masked");
  const CommandResult bert = run_fovea({"train", directory.file("story.txt"), "--family", "bert",
                                        "--tokenizer", "words", "--steps", "4", "--batch", "2", "--d-model",
                                        "16", "--heads", "2", "--length", "16", "--out", masked});
  ASSERT_EQ(bert.exit_code, 0) << bert.err;
  EXPECT_TRUE(contains(bert.out, "masked tokens")) << bert.out;
  EXPECT_EQ(
      run_fovea({"attend", "--model", masked, "the <mask> sat", "-o", directory.file("w.npz")}).exit_code,
      0);

  // The text must be the one it began with.
  std::ofstream(directory.file("story.txt"), std::ios::app) << "more";
  const CommandResult changed = run_fovea({"train", "--resume", "--out", masked});
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(contains(changed.err, "story.txt: the file has changed since the training in "))
      << changed.err;
}

struct Refusal {
  Words words;
  int exit_code;
  std::string message;
};

TEST(TrainCommand, refusals_are_clear_and_write_nothing) {
  const TemporaryDirectory directory;
  const std::string folder = directory.file("new");
  const auto file = [&](const std::string& name, const std::string& text) {
    std::ofstream(directory.file(name), std::ios::binary) << text;
    return directory.file(name);
  };
  const std::string empty = file("empty.txt", ""), one = file("one.txt", "word"),
                    broken = file("broken.txt", "abc \xff def"), tiny = file("tiny.txt", "a b c d e f");
  const std::vector<Refusal> refusals = {
      {{"sort", "--heads", "5", "--d-model", "64"}, 1, "5"},
      {{empty}, 1, "empty.txt: the file is empty"},
      {{one, "--tokenizer", "words"}, 1, "the text has 1 token, expected at least 4"},
      {{broken}, 1, "broken.txt: byte 5 (0xff) is not valid UTF-8"},
      {{tiny, "--tokenizer", "words", "--length", "9"},
       1,
       "6 tokens, of which 4 are learned from: --length is 9, expected at most 3"},
      {{"sorting"},
       2,
       "TASK: got \"sorting\", expected sort, induction, addition, coreference, translate FILE, text FILE, or a file"},
      {{"text"}, 2, "text needs a FILE"},
      {{"sort", "--family", "bert"}, 2, "bert looks both ways"},
      {{"sort", "--tokenizer", "bpe"}, 2, "--tokenizer: sort has no such setting"},
      {{"addition", "--length", "3"}, 2, "--length: addition has no such setting"},
      {{"coreference", "--length", "3"}, 2, "--length: coreference has no such setting"},
      {{"coreference", "--family", "gpt2"}, 2, "--family: got gpt2, but coreference needs bert"},
      {{"sort", "--film-every", "3"}, 2, "--film-every: there is no --film TEXT"},
      {{"sort", "--rate", "-1"}, 2, "got --rate -1"},
      {{"sort", "--resume"}, 1, "training.json: there is no such file, so there is no training to resume"},
      {{}, 2, "TASK is missing"}};
  for (const Refusal& refusal : refusals) {
    Words words = {"train", "--out", folder};
    words.insert(words.begin() + 1, refusal.words.begin(), refusal.words.end());
    const CommandResult result = run_fovea(words);
    EXPECT_EQ(result.exit_code, refusal.exit_code) << result.err;
    EXPECT_TRUE(contains(result.err, refusal.message)) << result.err;
    EXPECT_FALSE(directory.has("new")) << refusal.message;
  }
  const CommandResult no_folder = run_fovea(small_training("/dev/null/models"));
  EXPECT_EQ(no_folder.exit_code, 1);
  EXPECT_TRUE(contains(no_folder.err, "the folder /dev/null/models cannot be made")) << no_folder.err;
}

TEST(TrainCommand, coreference_is_a_bert_that_reads_chinese_without_spaces) {
  const TemporaryDirectory directory;
  const std::string folder = directory.file("who");
  const CommandResult result =
      run_fovea({"train", "coreference", "--steps", "2", "--batch", "4", "--d-model", "16", "--heads", "2",
                 "--layers", "1", "--film", "小明把苹果给了小红，她很开心。", "--out", folder, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "\"family\": \"bert\"")) << result.out;
  EXPECT_TRUE(contains(result.out, "\"right_name_has_more\": 0.")) << result.out;
  EXPECT_TRUE(contains(text_of(folder + "/tokenizer_config.json"), "\"pad_token\": \"<pad>\""));
  EXPECT_TRUE(directory.has("who/film.safetensors"));
  const std::string tokens = run_fovea({"tokens", "--model", folder, "小红把钥匙借给了小明"}).out;
  for (const char* word : {"小红", "钥匙", "借给", "小明"}) EXPECT_TRUE(contains(tokens, word)) << tokens;
}

TEST(TrainCommand, resume_takes_no_other_options) {
  const TemporaryDirectory directory;
  const std::string folder = directory.file("a");
  ASSERT_EQ(run_fovea(small_training(folder)).exit_code, 0);
  const std::string before = text_of(folder + "/checkpoint.safetensors");
  const CommandResult again = run_fovea(small_training(folder));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(contains(again.err, "there is a training in it already; go on with it by --resume"))
      << again.err;
  EXPECT_EQ(run_fovea(small_training(folder, {"--resume"})).exit_code, 0);  // the same ones are fine
  const auto refused = [&](const Words& more, const std::string& message) {
    Words words = {"train", "--resume", "--out", folder};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_fovea(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.err, message)) << result.err;
  };
  refused({"--d-model", "16"}, "--d-model: got 16, but the training in " + folder + " began with 8");
  refused({"--steps", "100"}, "--steps: got 100");
  refused({"--rate", "0.5"}, "began with 0.003");
  refused({"--film", "1 2"}, "began with none");
  refused({"induction"}, "TASK: got induction, but the training in " + folder + " is of sort");
  EXPECT_EQ(text_of(folder + "/checkpoint.safetensors"), before);
}

}  // namespace
}  // namespace fovea
