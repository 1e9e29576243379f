// fovea learn: lessons, exercises, and a check that finds the mistake.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "command.h"
#include "commands/learn/program_test.h"
#include "commands/learn/progress.h"
#include "commands/learn/views.h"
#include "fovea/ascii.h"
#include "fovea/error.h"
#include "fovea/exercises.h"
#include "fovea/file.h"
#include "fovea/lessons.h"
#include "fovea/questions.h"
#include "fovea/render.h"
#include "inputs/own_models.h"
#include "inputs/served_models.h"
#include "run_explorer.h"

namespace fovea::command {
namespace {

namespace fs = std::filesystem;

constexpr int kRight = 0, kWrong = 1, kNotUnderstood = 2;
constexpr Index kLargestAnswer = Index{16} << 20;  // bytes

bool is_exercise(const std::string& id) {
  const std::vector<std::string> ids = exercise_ids();
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::vector<std::string> lesson_ids() {
  std::vector<std::string> ids;
  for (const LessonTitle& each : lessons(Language::english)) ids.push_back(each.id);
  return ids;
}

bool is_lesson(const std::string& id) {
  const std::vector<std::string> ids = lesson_ids();
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::vector<std::string> actions() {
  return {"start",     "check",   "test", "question", "questions",
          "checklist", "reading", "list", "progress", "reset"};
}

class LearnCommand final : public Command {
 public:
  std::string name() const override { return "learn"; }
  Message summary() const override { return tr("lessons, and exercises that find your mistake"); }
  Message description() const override {
    return tr(
        "Without words: the path, with what you have done. NAME shows a lesson or a task. start EXERCISE DIR "
        "writes a program to complete, with data. check EXERCISE ANSWER looks at numbers that you typed, at a "
        "file (.json, .npy) or at standard input (-). test EXERCISE -- COMMAND.. runs your program, one "
        "process per input: it reads {\"exercise\", \"inputs\": {\"q\": [[..]], ..}} and writes "
        "{\"output\": [[..]]}, with \"weights\" if it likes, within 4 GB of memory and 16 MB of output. "
        "questions lists the questions, question NAME shows one, question NAME a answers it. checklist, "
        "reading, list, progress and reset (forget what was done) take no further words. Exit codes of check, "
        "test and question: 0 right, 1 wrong, 2 not understood. --browser shows lessons, exercises and "
        "questions as pages, which keep what you have done in the browser.");
  }
  std::vector<HelpExample> examples() const override {
    return {
        {"fovea learn", tr("the path")},
        {"fovea learn --browser", tr("the same as pages, with numbers to change")},
        {"fovea learn check weights-by-hand '0.231 0.629 0.140'", tr("an answer of three numbers")},
        {"fovea learn start attention --language python work", tr("a program to complete")},
        {"fovea learn test attention -- python3 work/attention.py", tr("is it right, and if not, why?")},
        {"fovea learn causal --hints 2", tr("a task with two of its three hints")},
        {"fovea learn masks --step 2", tr("one step of a lesson")}};
  }
  void declare(OptionList& options) override {
    options.positional_paths(
        "WORDS", 0, 4096, words_,
        tr("a lesson or an exercise, or start, check, test, question, questions, checklist, "
           "reading, list, progress, reset"));
    std::vector<std::string> known = actions();
    for (const std::string& id : lesson_ids()) known.push_back(id);
    for (const std::string& id : exercise_ids()) known.push_back(id);
    options.suggest(std::move(known));
    options.integer("--hints", "N", hints_, 0, 3, tr("show so many hints; default: none"));
    options.choice("--language", {"python", "cpp"}, language_,
                   tr("start: of the program; default: python"));
    options.number("--timeout", "SECONDS", timeout_, tr("test: for each input; default: 10"));
    options.integer("--step", "N", step_, 1, 1000, tr("a lesson: this step alone, counted from 1"));
    options.flag("--browser", browser_, tr("as pages in your browser; Ctrl-C stops it"));
    options.flag("--json", json_, tr("machine-readable"));
  }

  void run(const Context& context) override {
    if (browser_) return show_pages(context);
    if (words_.empty()) return path(context);
    const std::string& word = words_.front();
    if (word == "start") return start(context);
    if (word == "check") return check(context);
    if (word == "test") return test(context);
    if (word == "question") return ask(context);
    if (words_.size() == 1) {
      if (word == "list") return path(context);
      if (word == "progress") return progress(context);
      if (word == "reset") return reset(context);
      if (word == "checklist") return show_checklist(context);
      if (word == "questions") return list_questions(context);
      if (word == "reading") return show_reading(context);
      if (is_lesson(word) && !(is_exercise(word) && hints_)) show_lesson(context);
      if (is_exercise(word)) show_exercise(context);
      if (is_lesson(word) || is_exercise(word)) return;
    }
    throw UsageError(fmt::format("WORDS: got \"{}\", expected {}, a lesson ({}) or an exercise ({})",
                                 one_line(fmt::format("{}", fmt::join(words_, " "))),
                                 fmt::join(actions(), ", "), fmt::join(lesson_ids(), ", "),
                                 fmt::join(exercise_ids(), ", ")));
  }

  int exit_code() const override { return code_; }

 private:
  // Where the words lead to in the page (web/src/learn/place.ts).
  std::string place() const {
    const std::string word = words_.empty() ? "list" : words_.front();
    if (words_.size() == 2 && word == "question") {
      for (const Question& each : questions(Language::english)) {
        if (each.id == words_[1]) return "question." + each.id;
      }
    }
    if (words_.size() <= 1) {
      if (word == "list" || word == "checklist") return "";
      if (word == "questions") return "question." + questions(Language::english).front().id;
      if (word == "reading") return word;
      if (is_lesson(word)) return step_ ? fmt::format("lesson.{}.{}", word, *step_) : "lesson." + word;
      if (is_exercise(word)) return "exercise." + word;
    }
    throw UsageError(fmt::format(
        "--browser: got \"{}\", expected nothing, a lesson, an exercise, question NAME, questions, checklist or "
        "reading",
        one_line(fmt::format("{}", fmt::join(words_, " ")))));
  }

  void show_pages(const Context& context) const {
    const std::string where = place();
    explorer::Server server({}, explorer::embedded_page(), served_models({}), TextModel::load);
    const std::string language = context.language == Language::chinese ? "?lang=zh" : "";
    const std::string place = language + "#view=learn" + (where.empty() ? "" : "&learn=" + where);
    run_explorer(context, server, {.place = place, .json = json_});
  }

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

  void show_lesson(const Context& context) const {
    const std::string& id = words_.front();
    const Lesson shown = lesson(id, context.language, {own_model_folder, {}});
    if (json_) {
      context.print(to_json(shown));
    } else if (step_) {
      if (static_cast<std::size_t>(*step_) > shown.steps.size()) {
        throw UsageError(fmt::format("--step: got {}, expected at most {}", *step_, shown.steps.size()));
      }
      context.block(render_step(shown, static_cast<std::size_t>(*step_ - 1), context.render()));
    } else {
      context.block(render_lesson(shown, context.render()));
    }
    // Read to its end.
    if (!step_ || static_cast<std::size_t>(*step_) == shown.steps.size()) add_progress({{id}, {}, {}});
  }

  void show_exercise(const Context& context) const {
    const Exercise& asked = exercise(words_.front());
    if (json_ && is_lesson(asked.id)) return;  // one document: the lesson's
    if (json_) return print_exercise_json(context, asked);
    print_exercise(context, asked, hints_.value_or(0));
  }

  void show_checklist(const Context& context) const {
    if (json_) return print_checklist_json(context, load_progress());
    print_checklist(context, load_progress());
  }

  void show_reading(const Context& context) const {
    if (!json_) return context.block(to_terminal(reading_list(context.language), context.render()));
    JsonWriter json;
    json.begin_array();
    for (const ReadingTip& tip : reading_list(context.language)) write_json(json, tip);
    json.end_array();
    context.print(json.take());
  }

  void list_questions(const Context& context) const {
    if (!json_) return print_questions(context, load_progress());
    JsonWriter json;
    json.begin_array();
    for (const Question& each : questions(context.language)) write_json(json, each);
    json.end_array();
    context.print(json.take());
  }

  // question NAME, or question NAME LETTER. A short one has a model answer to compare with: "show".
  void ask(const Context& context) {
    if (words_.size() < 2 || words_.size() > 3) {
      throw UsageError("question: expected fovea learn question NAME, then a letter to answer");
    }
    std::optional<Question> asked;
    try {
      asked = question(words_[1], context.language);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    if (words_.size() == 2) {
      context.block(to_terminal(*asked, context.render()));
      if (!asked->is_choice())
        context.paragraph(tr("Think, then compare: fovea learn question {0} show", asked->id));
      return;
    }
    if (!asked->is_choice()) {
      context.block(to_terminal(*asked, context.render(), {true}));
      return add_progress({{}, {}, {asked->id}});
    }
    const std::string letter = ascii_lower_case(words_[2]);
    const std::size_t chosen = letter.size() == 1 ? static_cast<std::size_t>(letter[0] - 'a') : 99;
    if (chosen >= asked->options.size()) {
      throw UsageError(fmt::format("question: got \"{}\", expected a letter from a to {}",
                                   one_line(words_[2]),
                                   static_cast<char>('a' + asked->options.size() - 1)));
    }
    const bool right = asked->options[chosen].right;
    code_ = right ? kRight : kWrong;
    context.line((right ? "✓ " : "✗ ") + context.say(right ? tr("Right.") : tr("Not yet.")));
    context.line(wrapped(asked->options[chosen].reason, context.text_width()));
    if (right) add_progress({{}, {}, {asked->id}});
  }

  void progress(const Context& context) const {
    const LearnProgress done = load_progress();
    if (json_) return print_path_json(context, done);
    const auto count = [&](const std::vector<std::string>& ids, const std::set<std::string>& among) {
      return std::count_if(ids.begin(), ids.end(),
                           [&](const std::string& id) { return among.contains(id); });
    };
    std::vector<std::string> question_ids;
    for (const Question& each : questions(context.language)) question_ids.push_back(each.id);
    context.line(
        context.say(tr("{0} of {1} lessons read", count(lesson_ids(), done.lessons), lesson_ids().size())));
    context.line(context.say(
        tr("{0} of {1} exercises done", count(exercise_ids(), done.exercises), exercises().size())));
    context.line(context.say(
        tr("{0} of {1} questions answered", count(question_ids, done.questions), question_ids.size())));
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
  std::optional<Index> hints_, step_;
  std::optional<double> timeout_;
  std::string language_ = "python";
  bool browser_ = false, json_ = false;
  int code_ = kRight;
};

}  // namespace

std::unique_ptr<Command> make_learn_command() { return std::make_unique<LearnCommand>(); }

}  // namespace fovea::command
