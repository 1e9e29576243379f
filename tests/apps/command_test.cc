// What all subcommands share: exit codes, help, languages, colours, streams.
#include <gtest/gtest.h>

#include "fovea/instruction_set.h"
#include "fovea/npy.h"
#include "fovea/render.h"
#include "fovea/version.h"
#include "run_command.h"

namespace fovea {
namespace {

const char* const kCommands[] = {"explain", "demo", "mask", "analyze", "attend", "bench", "info"};

TEST(Command, without_arguments_explains_i_love_ai) {
  const CommandResult result = run_fovea({});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "I love AI"));
  EXPECT_TRUE(contains(result.out, "softmax"));
  EXPECT_EQ(result.out, run_fovea({"explain"}).out);
}

TEST(Command, version_is_the_librarys) {
  const std::string expected = std::string("fovea ") + version() + "\n";
  EXPECT_EQ(run_fovea({"--version"}).out, expected);
  EXPECT_EQ(run_fovea({"attend", "--version"}).out, expected);
  EXPECT_EQ(run_fovea({"--version"}).exit_code, 0);
}

TEST(Command, help_lists_the_commands_and_the_exit_codes) {
  const CommandResult result = run_fovea({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* command : kCommands) EXPECT_TRUE(contains(result.out, std::string("\n  ") + command));
  EXPECT_TRUE(contains(result.out, "Exit codes\n  0  done\n  1  failure"));
  EXPECT_TRUE(contains(result.out, "\n  2  invalid command line\n"));
}

TEST(Command, help_of_every_command_has_examples_in_both_languages) {
  for (const std::string command : kCommands) {
    const CommandResult english = run_fovea({command, "--help"});
    EXPECT_EQ(english.exit_code, 0) << command;
    EXPECT_TRUE(contains(english.out, "\nExamples\n  fovea " + command)) << english.out;
    EXPECT_TRUE(contains(english.out, "\nExit codes\n")) << command;
    const CommandResult chinese = run_fovea({command, "-h", "--lang", "zh"});
    EXPECT_EQ(chinese.exit_code, 0) << command;
    EXPECT_TRUE(contains(chinese.out, "\n示例\n  fovea " + command)) << chinese.out;
    EXPECT_FALSE(contains(chinese.out, "Examples")) << command;
  }
}

TEST(Command, usage_errors_exit_2_in_one_line) {
  const std::vector<std::vector<std::string>> wrong = {
      {"dance"},
      {"--dance"},
      {"mask"},
      {"mask", "causal", "causal"},
      {"mask", "causal &"},
      {"mask", "causal", "--n", "x"},
      {"mask", "causal", "--n", "-1"},
      {"mask", "causal", "--n", "0"},
      {"mask", "causal", "--format", "xyz"},
      {"mask", "causal", "--lang"},
      {"mask", "causal", "--lang", "fr"},
      {"mask", "causal", "--batch", "1"},
      {"attend", "q.npy", "k.npy", "-o", "x.npz"},
      {"attend", "q.npy", "k.npy", "v.npy"},
      {"attend", "q.npy", "k.npy", "v.npy", "-o", "x.txt"},
      {"attend", "a.npz", "--weights", "-o", "x.npy"},
      {"attend", "a.npz", "--dropout", "1", "-o", "x.npy"},
      {"attend", "a.npz", "--scale", "nan", "-o", "x.npy"},
      {"attend", "a.npz", "--mask", "casual", "-o", "x.npy"},
      {"analyze"},
      {"demo", "dance"},
      {"explain", "--example", "dance"},
      {"explain", "--example", "qkv", "--heads", "2"},
      {"explain", "--json", "--markdown"},
      {"info", "--isa", "abacus"},
      {"info", "--threads", "0"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const CommandResult result = run_fovea(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.back() << ": " << result.err;
    EXPECT_EQ(result.out, "") << arguments.back();
    EXPECT_TRUE(result.err.starts_with("fovea: ")) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

TEST(Command, failures_exit_1_in_one_line) {
  const std::vector<std::vector<std::string>> failing = {
      {"explain", "深度 学习 是 AI 技术 的 未来"},
      {"explain", "我 喜欢 AI", "--heads", "3"},
      {"explain", "--words", "/nowhere/words.json", "我"},
      {"explain", "--words", "/nowhere/words.json"},
      {"explain", "--words", "/nowhere/words.json", "--example", "qkv"},
      {"explain", "--words", "/nowhere/words.json", "--list", "--json"},
      {"analyze", "/nowhere/weights.npy"},
      {"attend", "/nowhere/qkv.npz", "-o", "/nowhere/out.npz"},
      {"mask", "padding([1,2,0])", "--m", "5"}};
  for (const std::vector<std::string>& arguments : failing) {
    const CommandResult result = run_fovea(arguments);
    EXPECT_EQ(result.exit_code, 1) << arguments.back() << ": " << result.err;
    EXPECT_EQ(result.out, "") << arguments.back();
    EXPECT_TRUE(result.err.starts_with("fovea: [")) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }
}

TEST(Command, unknown_words_are_named) {
  const CommandResult result = run_fovea({"explain", "深度 学习 是 AI 技术 的 未来 吗"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "的, 吗")) << result.err;
}

TEST(Command, unknown_command_lists_those_there_are) {
  const CommandResult result = run_fovea({"dance"});
  EXPECT_TRUE(contains(result.err,
                       "\"dance\"; the commands are explain, demo, learn, mask, plot, analyze, attend, "
                       "tokens, model, generate, predict, whatif, sweep, translate, align, train, corpus, "
                       "study, serve, view, bench, info, man, completion"))
      << result.err;
}

TEST(Command, unknown_arguments_are_named_in_their_order) {
  const std::string err = run_fovea({"info", "--foo", "a", "--bar"}).err;
  EXPECT_TRUE(contains(err, "--foo a --bar")) << err;
}

TEST(Command, option_without_its_command_gets_a_hint) {
  const CommandResult result = run_fovea({"--mask", "causal"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "fovea explain --mask causal")) << result.err;
}

TEST(Command, help_keeps_to_the_width) {
  for (const char* language : {"en", "zh"}) {
    std::vector<std::vector<std::string>> pages = {{"--help"}, {"info"}};
    for (const char* command : kCommands) pages.push_back({command, "--help"});
    for (std::vector<std::string> arguments : pages) {
      arguments.insert(arguments.end(), {"--lang", language, "--width", "60"});
      std::istringstream lines(run_fovea(arguments).out);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 60) << line;
    }
  }
}

TEST(Command, global_options_stand_before_or_after_the_name) {
  const std::string chinese = run_fovea({"--lang", "zh", "mask", "causal"}).out;
  EXPECT_TRUE(contains(chinese, "可见")) << chinese;
  EXPECT_EQ(run_fovea({"mask", "causal", "--lang=zh"}).out, chinese);
  EXPECT_EQ(run_fovea({"mask", "--lang", "en", "causal", "--lang", "zh"}).out, chinese);
}

TEST(Command, language_comes_from_the_environment) {
  EXPECT_TRUE(contains(run_fovea({"mask", "causal"}).out, "visible"));
  EXPECT_TRUE(contains(run_fovea({"mask", "causal"}, {"LANG=zh_CN.UTF-8"}).out, "可见"));
  EXPECT_TRUE(
      contains(run_fovea({"mask", "causal"}, {"LANG=en_US.UTF-8", "LC_ALL=zh_TW.UTF-8"}).out, "可见"));
  EXPECT_TRUE(contains(run_fovea({"mask", "causal"}, {"LC_ALL=C", "LANG=zh_CN.UTF-8"}).out, "visible"));
  EXPECT_TRUE(contains(run_fovea({"mask", "causal", "--lang", "en"}, {"LANG=zh_CN.UTF-8"}).out, "visible"));
}

TEST(Command, colours_only_when_asked_for_in_a_file) {
  EXPECT_FALSE(contains(run_fovea({"explain"}).out, "\x1b"));
  EXPECT_TRUE(contains(run_fovea({"explain", "--color", "always"}).out, "\x1b["));
  EXPECT_FALSE(contains(run_fovea({"explain", "--color", "never"}).out, "\x1b"));
}

TEST(Command, lines_keep_to_the_width) {
  for (const char* language : {"en", "zh"}) {
    std::vector<std::vector<std::string>> pages = {{"demo", "all"}, {"explain"}, {"--help"}, {"info"}};
    for (const char* command : kCommands) pages.push_back({command, "--help"});
    for (std::vector<std::string> arguments : pages) {
      arguments.insert(arguments.end(), {"--lang", language});
      std::istringstream lines(run_fovea(arguments).out);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100) << line;
    }
  }
}

TEST(Command, invalid_utf8_is_a_usage_error_and_stays_printable) {
  const std::vector<std::vector<std::string>> broken = {{"explain", "\xff\xfe"},
                                                        {"mask", "caus\xe4l"},
                                                        {"explain", "--memory", "\xc3"},
                                                        {"demo", "\xed\xa0\x80"}};
  for (const std::vector<std::string>& arguments : broken) {
    const CommandResult result = run_fovea(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.err, "not valid UTF-8")) << result.err;
    for (const char c : result.err) EXPECT_LT(static_cast<unsigned char>(c), 0x80) << result.err;
  }
}

TEST(Command, names_in_messages_cannot_command_the_terminal) {
  const CommandResult result = run_fovea({"analyze", "/nowhere/\x1b[31mred\nline\xff.npy"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_FALSE(contains(result.err, "\x1b")) << result.err;
  EXPECT_TRUE(contains(result.err, "\\x1b[31mred line\\xff.npy")) << result.err;
}

TEST(Command, full_disk_is_a_failure) {
  const CommandResult result = run_fovea({"mask", "causal"}, {}, "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "cannot write to standard output")) << result.err;
}

TEST(Command, messages_that_cannot_be_written_leave_the_exit_code) {
  const TemporaryDirectory directory;
  const std::string x = directory.file("x.npy"), out = directory.file("out.npz");
  save_npy(x, Tensor::from({{1, 0}, {0, 1}}));
  for (const char* nowhere : {"/dev/full", kClosed}) {
    EXPECT_EQ(run_fovea({"attend", x, x, x, "-o", out}, {}, "", nowhere).exit_code, 0) << nowhere;
    EXPECT_EQ(run_fovea({"analyze", "/nowhere/w.npy"}, {}, "", nowhere).exit_code, 1) << nowhere;
    EXPECT_EQ(run_fovea({"dance"}, {}, "", nowhere).exit_code, 2) << nowhere;
  }
}

TEST(Command, reader_that_goes_away_is_no_failure) {
  const TemporaryDirectory directory;
  const std::string script = std::string("(\"") + FOVEA_COMMAND + "\" mask causal --n 2000 2>\"" +
                             directory.file("err") + "\"; echo $? >\"" + directory.file("code") +
                             "\") | head -n 1 >/dev/null";
  ASSERT_EQ(std::system(script.c_str()), 0);
  EXPECT_EQ(text_of(directory.file("code")), "0\n");
  EXPECT_EQ(text_of(directory.file("err")), "");
}

TEST(Command, instruction_set_and_threads_can_be_forced) {
  const std::string last = available_instruction_sets().back();
  const std::string out = run_fovea({"info", "--isa", last, "--threads", "3"}).out;
  EXPECT_TRUE(contains(out, "in use              " + last + "\n")) << out;
  EXPECT_TRUE(contains(out, "threads             3\n")) << out;
}

TEST(Command, info_tells_what_computes_bfloat16) {
  EXPECT_TRUE(contains(run_fovea({"info"}).out, "bfloat16 arithmetic " + bfloat16_arithmetic() + "\n"));
  EXPECT_TRUE(contains(run_fovea({"info", "--json"}).out,
                       "\"bfloat16_arithmetic\": \"" + bfloat16_arithmetic() + "\""));
}

}  // namespace
}  // namespace fovea
