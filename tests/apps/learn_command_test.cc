// fovea learn: programs of learners, right, wrong and malicious; answers; progress.
#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

#include "run_command.h"

namespace fovea {
namespace {

// The system's own: others found first in PATH may be slow wrappers.
const char* python() {
  return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

class Learner {
 public:
  CommandResult learn(std::vector<std::string> words) const {
    words.insert(words.begin(), "learn");
    return run_fovea(words, {"XDG_DATA_HOME=" + folder_.file("data")});
  }
  // Runs a program of Python on an exercise; the time is for machines that are busy.
  CommandResult test(const std::string& exercise, const std::string& program,
                     const std::string& timeout = "120") const {
    const std::string path = folder_.file("program.py");
    std::ofstream(path) << program;
    return learn({"test", exercise, "--json", "--timeout", timeout, "--", python(), path});
  }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryDirectory folder_;
};

std::vector<std::string> mistakes_in(const CommandResult& result) {
  return nlohmann::json::parse(result.out).at("mistakes").get<std::vector<std::string>>();
}
std::string failure_in(const CommandResult& result) {
  const auto failure = nlohmann::json::parse(result.out).at("failure");
  return failure.is_null() ? "" : failure.get<std::string>();
}

// Attention in plain Python, as a learner writes it; {} are the places of the mistakes.
std::string attention_in_python(const std::string& divisor, const std::string& weights,
                                const std::string& values,
                                const std::string& scores = "sum(a * b for a, b in zip(x, y))") {
  return R"(
import json, math, sys
inputs = json.load(sys.stdin)["inputs"]
q, k, v = inputs["q"], inputs["k"], inputs["v"]
d = len(q[0])
def softmax(row):
    top = max(row)
    e = [math.exp(s - top) for s in row]
    return [x / sum(e) for x in e]
scores = [[)" +
         scores + " / (" + divisor + ") for y in k] for x in q]\n" + "weights = " + weights + "\n" +
         "output = [[sum(w * u[c] for w, u in zip(row, " + values + ")) for c in range(len(" + values +
         "[0]))] for row in weights]\n" + "print(json.dumps({\"output\": output, \"weights\": weights}))\n";
}

const std::string kRows = "[softmax(row) for row in scores]";

TEST(Learn, a_right_program_is_right_and_remembered) {
  const Learner learner;
  const CommandResult result = learner.test("attention", attention_in_python("math.sqrt(d)", kRows, "v"));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_TRUE(nlohmann::json::parse(result.out).at("correct").get<bool>());
  const auto list = nlohmann::json::parse(learner.learn({"list", "--json"}).out);
  for (const auto& each : list.at("exercises")) EXPECT_EQ(each.at("done"), each.at("id") == "attention");
  EXPECT_TRUE(contains(learner.learn({}).out, "✓ attention"));
  EXPECT_TRUE(contains(learner.learn({"progress"}).out, "1 of "));
  EXPECT_EQ(learner.learn({"reset"}).exit_code, 0);
  EXPECT_FALSE(contains(learner.learn({}).out, "✓ attention"));
}

TEST(Learn, six_wrong_programs_hear_what_is_wrong) {
  const Learner learner;
  const struct {
    std::string program;
    std::string mistake;
  } cases[] = {
      {attention_in_python("1", kRows, "v"), "no_scaling"},
      {attention_in_python("d", kRows, "v"), "scaled_by_d"},
      {attention_in_python("math.sqrt(d)", "list(map(list, zip(*[softmax(c) for c in zip(*scores)])))",
                           "v"),
       "softmax_over_queries"},
      {attention_in_python("math.sqrt(d)", "scores", "v"), "no_softmax"},
      {attention_in_python("math.sqrt(d)", kRows, "k"), "values_are_keys"},
      {attention_in_python(
           "math.sqrt(d)",
           "[[x / sum(e) for x in e] for e in [[math.exp(s - max(map(max, scores))) for s in row] "
           "for row in scores]] if max(map(max, scores)) < 700 else [[float('nan')] * len(k) if "
           "max(row) < max(map(max, scores)) - 745 else softmax(row) for row in scores]",
           "v"),
       "global_maximum"},
  };
  for (const auto& each : cases) {
    const CommandResult result = learner.test("attention", each.program);
    EXPECT_EQ(result.exit_code, 1) << each.mistake << result.err;
    EXPECT_EQ(mistakes_in(result), std::vector<std::string>{each.mistake}) << result.out;
  }
}

TEST(Learn, dropout_is_known_by_its_zeros_or_by_two_runs) {
  const Learner learner;
  const std::string dropped =
      "[[0 if __import__('random').random() < 0.4 else w / 0.6 for w in softmax(row)] for row in scores]";
  const CommandResult result = learner.test("attention", attention_in_python("math.sqrt(d)", dropped, "v"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(mistakes_in(result), std::vector<std::string>{"dropout_at_inference"}) << result.out;
}

// The skeleton compiles as it is, is wrong until somebody completes it, and reads every kind of input.
TEST(Learn, two_programs_in_cpp) {
  const Learner learner;
  ASSERT_EQ(learner.learn({"start", "causal", "--language", "cpp", learner.file("work")}).exit_code, 0);
  const std::string folder = learner.file("work"), source = folder + "/causal.cpp";
  std::string text = text_of(source);
  const std::string unfinished = "throw std::logic_error(\"causal\");";
  ASSERT_TRUE(contains(text, unfinished));
  const auto program = [&](const std::string& limit) {
    std::string whole = text;
    whole.replace(
        whole.find(unfinished), unfinished.size(),
        "Matrix output; for (std::size_t i = 0; i < q.size(); ++i) { std::vector<double> e; double total = 0; "
        "for (std::size_t j = 0; j < " +
            limit +
            "; ++j) { double s = 0; for (std::size_t d = 0; d < "
            "q[i].size(); ++d) s += q[i][d] * k[j][d]; e.push_back(s / std::sqrt(q[i].size())); } "
            "double top = e[0]; for (double s : e) top = std::max(top, s); for (double& s : e) total += s = "
            "std::exp(s - top); output.emplace_back(v[0].size()); for (std::size_t j = 0; j < e.size(); ++j) for "
            "(std::size_t c = 0; c < v[j].size(); ++c) output[i][c] += e[j] / total * v[j][c]; } return output;");
    std::ofstream(folder + "/program.cpp") << "#include <algorithm>\n" << whole;
    const std::string command = "c++ -std=c++17 " + folder + "/program.cpp -o " + folder + "/program";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return learner.learn({"test", "causal", "--json", "--timeout", "120", "--", folder + "/program"});
  };
  const CommandResult right = program("i + 1");
  EXPECT_EQ(right.exit_code, 0) << right.out;
  const CommandResult wrong = program("std::min(i + 2, k.size())");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(mistakes_in(wrong), std::vector<std::string>{"causal_off_by_one"}) << wrong.out;
  EXPECT_EQ(learner.learn({"start", "causal", "--language", "cpp", folder}).exit_code,
            1);  // not overwritten
}

TEST(Learn, every_failure_has_its_own_sentence) {
  const Learner learner;
  const struct {
    std::string program, failure, sentence;
  } cases[] = {
      {"import sys; print('why', file=sys.stderr); sys.exit(3)", "crash", "exit code 3"},
      {"import os; os.abort()", "crash", "crashed: Abort"},
      {"pass", "empty", "wrote nothing"},
      {"print('hello')", "format", "not the JSON"},
      {"print('{\"output\": [[1, 2], [3]]}')", "format", "equally long"},
      {"print('{\"output\": [[1, 2]')", "format", "not the JSON"},
      {"print('{\"output\": [[1.5, 2.5, 3.5]]}')", "", "shape [1, 3], expected [4, 4]"},
      {"print('{\"output\": [' + ', '.join(['[NaN, 1, 2, 3]'] * 4) + ']}')", "", "not finite"},
      {"x = []\nwhile True: x.append(bytearray(10**10))", "memory", "4 GB of memory"},
      {"import sys\nfor i in range(1024): sys.stdout.write('x' * 2**20)", "output", "more than 16 MB"},
  };
  for (const auto& each : cases) {
    const CommandResult result = learner.test("attention", each.program);
    EXPECT_EQ(result.exit_code, 1) << each.program;
    EXPECT_EQ(failure_in(result), each.failure) << each.program << result.out;
    EXPECT_TRUE(contains(result.out, each.sentence)) << each.program << result.out;
  }
  const CommandResult shown =
      learner.learn({"test", "attention", "--timeout", "120", "--", python(), "-c",
                     "import sys; print('look \\033[31m here', file=sys.stderr); sys.exit(1)"});
  EXPECT_TRUE(contains(shown.out, "look \\x1b[31m here")) << shown.out;  // it cannot command the terminal
}

TEST(Learn, an_endless_loop_ends) {
  const Learner learner;
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult result = learner.test("attention", "while True: pass", "1");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(failure_in(result), "time");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Learn, a_missing_interpreter_is_not_a_wrong_answer) {
  const Learner learner;
  const CommandResult result = learner.learn({"test", "attention", "--", "no-such-interpreter", "x.py"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.out, "no-such-interpreter was not found")) << result.out;
}

// Neither in its group nor out of it, and none that holds the streams open.
TEST(Learn, no_process_is_left_behind) {
  const Learner learner;
  const std::string mark = learner.file("alive");
  const std::string sleeper = "sh -c 'sleep 3; touch " + mark + "'";
  const CommandResult result =
      learner.learn({"test", "attention", "--json", "--timeout", "60", "--", "sh", "-c",
                     sleeper + " & setsid " + sleeper + " & (setsid " + sleeper + " &) ; exit 0"});
  EXPECT_EQ(failure_in(result), "empty") << result.out;
  std::this_thread::sleep_for(std::chrono::seconds(4));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(Learn, check_takes_numbers_files_and_says_two_for_what_is_none) {
  const Learner learner;
  EXPECT_EQ(learner.learn({"check", "weights-by-hand", "0.231", "0.629", "0.140"}).exit_code, 0);
  EXPECT_EQ(learner.learn({"check", "weights-by-hand", "--", "-0.231", "0.629", "0.140"}).exit_code, 1);
  const CommandResult json = learner.learn({"check", "second-by-hand", "3.655 2.689", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed.at("exercise"), "second-by-hand");
  EXPECT_EQ(parsed.at("correct"), false);
  EXPECT_EQ(parsed.at("mistakes"), nlohmann::json::array({"no_scaling"}));
  EXPECT_EQ(parsed.at("cell"), nlohmann::json::array({0, 0}));
  EXPECT_NEAR(parsed.at("expected").get<double>(), 3.34880775, 1e-8);
  EXPECT_EQ(parsed.at("got"), 3.655);
  std::ofstream(learner.file("a.json")) << "{\"output\": [[3.34880775, 3.30238451]]}";
  EXPECT_EQ(learner.learn({"check", "second-by-hand", learner.file("a.json")}).exit_code, 0);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", "second-by-hand", "abc"},
                                             {"check", "nothing", "1"},
                                             {"check", "softmax"},
                                             {"nonsense"},
                                             {"check", "second-by-hand", "missing.json"},
                                             {"check", "weights-by-hand", "0.23 0.63 0.14"},
                                             {"test", "attention"},
                                             {"test", "break-the-head", "--", "true"},
                                             {"question", "formula", "z"},
                                             {"test", "attention", "--timeout", "-1", "--", "true"},
                                             {"start", "attention"}}) {
    EXPECT_EQ(learner.learn(words).exit_code, 2) << words.front();
  }
  EXPECT_EQ(learner.learn({"check", "break-the-head", "L0H3"}).exit_code, 0);
  EXPECT_TRUE(contains(learner.learn({"check", "second-by-hand", "3.655 2.689", "--lang", "zh"}).out,
                       "没有除以 √d_k"));
}

// The address leads to the page of what was named, in the language of the command.
TEST(Learn, pages_are_served_until_a_signal) {
  const TemporaryDirectory folder;
  const std::string out = folder.file("out"), code = folder.file("code");
  const std::string script = std::string(FOVEA_COMMAND) +
                             " learn masks --step 2 --browser --json --lang zh > " + out +
                             " & server=$!; tries=0; until grep -qs url " + out +
                             "; do sleep 0.1; tries=$((tries + 1)); [ $tries -lt 600 ] || break; done; "
                             "kill -TERM $server; wait $server; echo $? > " +
                             code;
  EXPECT_EQ(std::system(script.c_str()), 0);
  EXPECT_EQ(text_of(code), "0\n");
  EXPECT_TRUE(text_of(out).ends_with("/?lang=zh#view=learn&learn=lesson.masks.2\"}\n")) << text_of(out);
  const Learner learner;
  EXPECT_EQ(learner.learn({"check", "softmax", "1", "--browser"}).exit_code, 2);
  EXPECT_EQ(learner.learn({"nonsense", "--browser"}).exit_code, 2);
}

TEST(Learn, lessons_questions_and_the_checklist_tick_themselves) {
  const Learner learner;
  EXPECT_TRUE(contains(learner.learn({"masks"}).out, "mask"));
  EXPECT_TRUE(contains(learner.learn({}).out, "✓ masks"));
  for (const char* id : {"causal", "padding-and-causal"}) {
    EXPECT_TRUE(contains(learner.learn({"checklist"}).out, std::string("fovea learn ") + id));
  }
  std::filesystem::create_directories(learner.file("data/fovea"));
  std::ofstream(learner.file("data/fovea/learn.json"))
      << R"({"lessons": [], "exercises": ["causal", "padding-and-causal"], "questions": []})";
  std::string wrong, right;  // the letter that is right is found by trying
  for (const char* letter : {"a", "b", "c", "d"}) {
    const CommandResult answer = learner.learn({"question", "mask-before", letter});
    (answer.exit_code == 0 ? right : wrong) = letter;
  }
  EXPECT_FALSE(wrong.empty() || right.empty());
  const auto list = nlohmann::json::parse(learner.learn({"checklist", "--json"}).out);
  for (const auto& item : list) EXPECT_EQ(item.at("done"), item.at("id") == "masks") << item.at("id");
}

TEST(Learn, progress_that_cannot_be_read_is_told_and_can_be_reset) {
  const Learner learner;
  std::filesystem::create_directories(learner.file("data/fovea"));
  std::ofstream(learner.file("data/fovea/learn.json")) << "{\"exercises\": [";
  const CommandResult result = learner.learn({});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "fovea learn reset")) << result.err;
  EXPECT_EQ(learner.learn({"reset"}).exit_code, 0);
  EXPECT_EQ(learner.learn({}).exit_code, 0);
}

}  // namespace
}  // namespace fovea
