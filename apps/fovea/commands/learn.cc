// fovea learn: lessons, exercises, and a check that finds the mistake.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "command.h"
#include "commands/learn/program_test.h"
#include "commands/learn/progress.h"
#include "commands/learn/views.h"
#include "fovea/error.h"
#include "fovea/exercises.h"
#include "fovea/file.h"
#include "inputs/own_models.h"

namespace fovea::command {
namespace {

namespace fs = std::filesystem;

constexpr int kRight = 0, kWrong = 1, kNotUnderstood = 2;
constexpr Index kLargestAnswer = Index{16} << 20;  // bytes

bool is_exercise(const std::string& id) {
  const std::vector<std::string> ids = exercise_ids();
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

class LearnCommand final : public Command {
 public:
  std::string name() const override { return "learn"; }
  Message summary() const override { return tr("lessons, and exercises that find your mistake"); }
  Message description() const override {
    return tr(
        "Without words: the path, with what you have done. EXERCISE shows a task; start EXERCISE DIR writes a "
        "program to complete, with data; check EXERCISE ANSWER looks at numbers that you typed, at a file "
        "(.json, .npy) or at standard input (-); test EXERCISE -- COMMAND.. runs your program, one process "
        "per input: it reads {\"exercise\", \"inputs\": {\"q\": [[..]], ..}} and writes {\"output\": [[..]]}, "
        "with \"weights\" if it likes, within 4 GB of memory and 16 MB of output. list, progress and reset "
        "(forget what was done) take no further words. Exit codes of check and test: 0 right, 1 wrong, 2 not "
        "understood.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea learn", tr("the path")},
        {"fovea learn check weights-by-hand '0.231 0.629 0.140'", tr("an answer of three numbers")},
        {"fovea learn start attention --language python work", tr("a program to complete")},
        {"fovea learn test attention -- python3 work/attention.py", tr("is it right, and if not, why?")},
        {"fovea learn causal --hints 2", tr("a task with two of its three hints")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths("WORDS", 0, 4096, words_,
                             tr("EXERCISE, start EXERCISE DIR, check EXERCISE ANSWER, test EXERCISE -- "
                                "COMMAND.., list, progress or reset"));
    std::vector<std::string> known = {"start", "check", "test", "list", "progress", "reset"};
    for (const Exercise& each : exercises()) known.push_back(each.id);
    options.suggest(std::move(known));
    options.integer("--hints", "N", hints_, 0, 3, tr("show so many hints; default: none"));
    options.choice("--language", {"python", "cpp"}, language_,
                   tr("start: of the program; default: python"));
    options.number("--timeout", "SECONDS", timeout_, tr("test: for each input; default: 10"));
    options.flag("--json", json_, tr("machine-readable"));
  }

  void run(const Context& context) override {
    if (words_.empty()) return path(context);
    const std::string& word = words_.front();
    if (words_.size() == 1 && word == "list") return path(context);
    if (words_.size() == 1 && word == "progress") return progress(context);
    if (words_.size() == 1 && word == "reset") return reset(context);
    if (words_.size() == 1 && is_exercise(word)) return show(context);
    if (word == "start") return start(context);
    if (word == "check") return check(context);
    if (word == "test") return test(context);
    throw UsageError(
        fmt::format("WORDS: got \"{}\", expected start, check, test, list, progress, reset or one of {}",
                    one_line(fmt::format("{}", fmt::join(words_, " "))), fmt::join(exercise_ids(), ", ")));
  }

  int exit_code() const override { return code_; }

 private:
  // The exercise that the second word names, followed by at least one more.
  const Exercise& named(const char* rest) const {
    if (words_.size() < 3)
      throw UsageError(fmt::format("{0}: expected fovea learn {0} EXERCISE {1}", words_[0], rest));
    if (!is_exercise(words_[1])) {
      throw UsageError(fmt::format("{}: there is no exercise \"{}\"; the exercises are {}", words_[0],
                                   one_line(words_[1]), fmt::join(exercise_ids(), ", ")));
    }
    return exercise(words_[1]);
  }

  void path(const Context& context) const {
    if (json_) return print_path_json(context, load_progress());
    print_path(context, load_progress());
  }

  void show(const Context& context) const {
    const Exercise& asked = exercise(words_.front());
    if (json_) return print_exercise_json(context, asked);
    print_exercise(context, asked, hints_.value_or(0));
  }

  void progress(const Context& context) const {
    const Progress done = load_progress();
    std::size_t count = 0;
    for (const Exercise& each : exercises()) count += done.exercises.contains(each.id);
    if (json_) return print_path_json(context, done);
    context.line(context.say(tr("{0} of {1} exercises done", count, exercises().size())));
  }

  void reset(const Context& context) const {
    reset_progress();
    if (!json_) context.line(context.say(tr("Forgotten: the path begins anew.")));
  }

  void start(const Context& context) const {
    const Exercise& asked = named("DIR");
    if (words_.size() > 3) throw UsageError("start: got several folders, expected one");
    const fs::path folder = words_[2];
    const std::vector<SkeletonFile> files = exercise_skeleton(asked.id, language_, context.language);
    std::error_code error;
    for (const SkeletonFile& file : files) {
      if (fs::exists(folder / file.name, error)) {
        throw Error(fmt::format("[learn] {}: is there already, and is not overwritten",
                                (folder / file.name).string()));
      }
    }
    fs::create_directories(folder, error);
    if (error) throw Error(fmt::format("[learn] {}: {}", folder.string(), error.message()));
    for (const SkeletonFile& file : files) {
      write_file((folder / file.name).string(), file.text);
      context.line((folder / file.name).string());
    }
  }

  Answer answer(const Exercise& asked) const {
    try {
      const std::string& first = words_[2];
      std::error_code ignored;
      if (words_.size() == 3 && first == "-")
        return parse_answer(asked.id, read_file("/dev/stdin", kLargestAnswer));
      if (words_.size() == 3 &&
          (first.ends_with(".json") || first.ends_with(".npy") || fs::exists(first, ignored))) {
        return load_answer(asked.id, first);
      }
      return parse_answer(asked.id, fmt::format("{}", fmt::join(words_.begin() + 2, words_.end(), " ")));
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }

  void check(const Context& context) {
    const Exercise& asked = named("ANSWER");
    const Diagnosis diagnosis = check_answer(asked.id, answer(asked), {own_model_folder});
    code_ = diagnosis.correct()                       ? kRight
            : diagnosis.verdict == Verdict::imprecise ? kNotUnderstood
                                                      : kWrong;
    if (diagnosis.correct()) add_progress({{}, {asked.id}, {}});
    if (json_) return print_diagnosis_json(context, asked, diagnosis);
    print_diagnosis(context, diagnosis);
  }

  void test(const Context& context) {
    const Exercise& asked = named("-- COMMAND..");
    if (asked.kind == ExerciseKind::model) {
      throw UsageError(fmt::format("test: {0} needs no program; fovea learn check {0} L1H2", asked.id));
    }
    const double seconds = timeout_.value_or(10);
    if (!(seconds > 0 && seconds <= 3600)) {
      throw UsageError(fmt::format("--timeout: got {}, expected more than 0 and at most 3600", seconds));
    }
    ProgramTestOptions options;
    options.time = std::chrono::milliseconds(static_cast<Index>(seconds * 1000));
    const ProgramTest result = test_program(asked, {words_.begin() + 2, words_.end()}, options);
    code_ = result.correct() ? kRight : result.understood() ? kWrong : kNotUnderstood;
    if (result.correct()) add_progress({{}, {asked.id}, {}});
    if (json_) return print_test_json(context, asked, result);
    print_test(context, result);
  }

  std::vector<std::string> words_;
  std::optional<Index> hints_;
  std::optional<double> timeout_;
  std::string language_ = "python";
  bool json_ = false;
  int code_ = kRight;
};

}  // namespace

std::unique_ptr<Command> make_learn_command() { return std::make_unique<LearnCommand>(); }

}  // namespace fovea::command
