#include "commands/learn/program_test.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "end_signal.h"
#include "fovea/error.h"
#include "output/output.h"

namespace fovea::command {
namespace {

struct Failure {
  std::string id;
  Message sentence;
};

std::optional<Failure> failure_of(const LimitedResult& result, const std::string& program,
                                  const ProgramTestOptions& options) {
  switch (result.end) {
    case ProgramEnd::not_found:
      return Failure{"missing", tr("{0} was not found (or the interpreter that its first line names).",
                                   one_line(program))};
    case ProgramEnd::not_run:
      return Failure{"not_run", tr("{0} cannot be run: {1}.", one_line(program), result.reason)};
    case ProgramEnd::time:
      return Failure{"time", tr("The program did not end within {0} s and was stopped. An endless loop? "
                                "--timeout gives it longer.",
                                static_cast<double>(options.time.count()) / 1000)};
    case ProgramEnd::memory:
      return Failure{"memory", tr("The program asked for more than the 4 GB of memory that it may have.")};
    case ProgramEnd::output:
      return Failure{"output",
                     tr("The program wrote more than 16 MB and was stopped. Standard output is for "
                        "the one line with the answer.")};
    case ProgramEnd::killed:
      return Failure{"crash", tr("The program crashed: {0}.", std::string(::strsignal(result.signal)))};
    case ProgramEnd::stopped:
      throw Stopped("[learn] stopped");
    case ProgramEnd::exited:
      break;
  }
  if (result.exit_code != 0) {
    return Failure{"crash", tr("The program crashed: it ended with exit code {0}.", result.exit_code)};
  }
  if (std::all_of(result.out.begin(), result.out.end(), [](unsigned char c) { return std::isspace(c); })) {
    return Failure{"empty", tr("The program wrote nothing to standard output. It should print one line: "
                               "{0}",
                               std::string("{\"output\": [[..]]}"))};
  }
  return std::nullopt;
}

// The answer in what a program wrote; nothing, with a failure, if there is none.
std::optional<Answer> answer_in(const Exercise& exercise, const std::string& out, ProgramTest& test) {
  try {
    const std::size_t first = out.find_first_not_of(" \t\r\n");
    if (out[first] != '{' && out[first] != '[') throw Error("[answer] it begins with no { or [");
    return parse_answer(exercise.id, out);
  } catch (const Error& error) {
    if (!test.failure.empty()) return std::nullopt;
    test.failure = "format";
    test.failure_sentence =
        tr("What the program wrote is not the JSON that was asked for. It should print "
           "one line, {0}, and everything else to standard error. What is wrong: {1}",
           std::string("{\"output\": [[..]]}"), one_line(error.what()));
    return std::nullopt;
  }
}

// Two runs did not agree: of all mistakes that we know only dropout does that.
void tell_of_chance(const Exercise& exercise, Diagnosis& diagnosis) {
  const std::string id = "dropout_at_inference";
  diagnosis.verdict = Verdict::unknown;
  diagnosis.sentences = {tr("Two runs on the same input gave different numbers.").text()};
  if (std::find(exercise.mistakes.begin(), exercise.mistakes.end(), id) == exercise.mistakes.end()) return;
  diagnosis.verdict = Verdict::mistaken;
  diagnosis.explanations = {{id}};
  const Mistake& dropout = mistake(id);
  diagnosis.sentences.push_back(
      {dropout.title.en + " " + dropout.reason.en, dropout.title.zh + dropout.reason.zh});
}

}  // namespace

ProgramTest test_program(const Exercise& exercise, const std::vector<std::string>& command,
                         const ProgramTestOptions& options) {
  const std::vector<Problem> problems = exercise_problems(exercise.id);
  const StopOnSignal interrupt;  // no process is left behind, by Ctrl-C neither
  ProgramLimits limits;
  limits.time = options.time;
  ProgramTest test;
  std::vector<std::optional<Answer>> answers;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string message = exercise_message(exercise.id, problems[i]) + "\n";
    const LimitedResult result = run_limited(command, message, limits, interrupt.token());
    const std::optional<Failure> failure = failure_of(result, command.front(), options);
    const bool failed_before = !test.failure.empty();
    test.seconds.push_back(result.seconds);
    answers.emplace_back();
    if (failure && !failed_before) {
      test.failure = failure->id;
      test.failure_sentence = failure->sentence;
    }
    if (!failure) answers.back() = answer_in(exercise, result.out, test);
    if (i == 0 || (!failed_before && !test.failure.empty())) test.err = result.err;
    if (!failed_before && !test.failure.empty()) test.failed_input = i;
    if (failure && failure->id != "crash" && failure->id != "empty") break;  // it would only happen again
    test.has_numbers = test.has_numbers || answers.back().has_value();
    if (i > 0 || !answers.back()) continue;
    const LimitedResult again = run_limited(command, message, limits, interrupt.token());
    if (failure_of(again, command.front(), options)) continue;
    ProgramTest ignored;
    const std::optional<Answer> second = answer_in(exercise, again.out, ignored);
    test.differs = !second || answers_differ(*answers.back(), *second);
  }
  if (!test.has_numbers) return test;
  test.diagnosis = check_answers(exercise.id, answers, options.check);
  if (test.differs && test.diagnosis.verdict != Verdict::mistaken) tell_of_chance(exercise, test.diagnosis);
  return test;
}

}  // namespace fovea::command
