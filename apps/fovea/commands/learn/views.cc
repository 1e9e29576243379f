#include "commands/learn/views.h"

#include <fmt/core.h>

#include <sstream>

#include "fovea/json_writer.h"
#include "fovea/render.h"
#include "output/layout.h"

namespace fovea::command {
namespace {

void print_sentences(const Context& context, const std::vector<Text>& sentences) {
  for (const Text& sentence : sentences) {
    const std::string text = context.say(sentence);
    const bool item = text.starts_with("- ");
    context.line(wrapped(text, context.text_width(), item ? 2 : 0));
  }
}

void print_verdict(const Context& context, bool correct, const Message& text) {
  context.line(bold((correct ? "✓ " : "✗ ") + context.say(text), context.color));
}

// A program's standard error, made printable, each line with a mark before it.
void print_standard_error(const Context& context, const std::string& err) {
  if (err.empty()) return;
  context.line(context.say(tr("Its standard error:")));
  std::istringstream lines(err);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(one_line(line));
  constexpr std::size_t kMost = 20;  // the end of a traceback says what happened
  if (all.size() > kMost) {
    context.line("  …");
    all.erase(all.begin(), all.end() - kMost);
  }
  for (const std::string& line : all) context.line("  " + line);
}

void print_times(const Context& context, const std::vector<double>& seconds) {
  std::vector<std::string> times;
  for (const double each : seconds) times.push_back(fmt::format("{:.2f} s", each));
  context.line(context.say(tr("Time per input, start of the program included: {0}", times)));
}

}  // namespace

void print_exercise(const Context& context, const Exercise& exercise, Index hints) {
  context.heading(exercise.title);
  context.paragraph(exercise.task);
  for (std::size_t i = 0; i < static_cast<std::size_t>(hints) && i < exercise.hints.size(); ++i) {
    context.paragraph(tr("Hint {0}: {1}", i + 1, exercise.hints[i]));
  }
  if (exercise.kind == ExerciseKind::code) {
    context.paragraph(tr("Begin:  fovea learn start {0} --language python DIR", exercise.id));
    context.paragraph(tr("Try it: fovea learn test {0} -- python3 DIR/{0}.py", exercise.id));
  } else {
    context.paragraph(tr("Answer: fovea learn check {0} '{1}'", exercise.id,
                         std::string(exercise.kind == ExerciseKind::model ? "L1H2" : "0.1 0.2 0.7")));
  }
  if (hints < static_cast<Index>(exercise.hints.size())) {
    context.paragraph(tr("Stuck? fovea learn {0} --hints {1}", exercise.id, hints + 1));
  }
}

void print_exercise_json(const Context& context, const Exercise& exercise) {
  JsonWriter json;
  json.begin_object();
  json.key("id").string(exercise.id);
  json.key("kind").string(to_string(exercise.kind));
  json.key("title").text(exercise.title);
  json.key("task").text(exercise.task);
  json.key("hints").begin_array();
  for (const Text& hint : exercise.hints) json.text(hint);
  json.end_array();
  json.key("answer").string(exercise.answer);
  json.key("decimals").integer(exercise.decimals);
  json.key("mistakes").strings(exercise.mistakes);
  json.end_object();
  context.print(json.take());
}

void print_diagnosis(const Context& context, const Diagnosis& diagnosis) {
  if (diagnosis.correct()) {
    print_verdict(context, true, tr("Right."));
  } else {
    print_verdict(context, false,
                  diagnosis.verdict == Verdict::imprecise ? tr("Too rough to tell.") : tr("Not yet."));
  }
  print_sentences(context, diagnosis.sentences);
}

void print_diagnosis_json(const Context& context, const Exercise& exercise, const Diagnosis& diagnosis) {
  JsonWriter json;
  json.begin_object();
  write_fields(json, exercise.id, diagnosis);
  json.end_object();
  context.print(json.take());
}

void print_test(const Context& context, const ProgramTest& test) {
  const bool explained = test.has_numbers && test.diagnosis.verdict == Verdict::mistaken;
  if (test.failure.empty() || explained) {
    print_diagnosis(context, test.diagnosis);
  } else {
    print_verdict(context, false, tr("Not yet."));
  }
  if (!test.failure.empty()) {
    const std::string sentence = context.say(test.failure_sentence);
    context.line(wrapped(test.failed_input == 0
                             ? sentence
                             : context.say(tr("On input {0}: {1}", test.failed_input + 1, sentence)),
                         context.text_width()));
  }
  print_standard_error(context, test.err);
  if (test.correct()) print_times(context, test.seconds);
}

void print_test_json(const Context& context, const Exercise& exercise, const ProgramTest& test) {
  Diagnosis diagnosis = test.diagnosis;
  const bool explained = test.has_numbers && diagnosis.verdict == Verdict::mistaken;
  if (!test.failure.empty() && !explained) {
    diagnosis = {};
    diagnosis.verdict = Verdict::missing;
  }
  if (!test.failure.empty()) diagnosis.sentences.push_back(test.failure_sentence.text());
  JsonWriter json;
  json.begin_object();
  write_fields(json, exercise.id, diagnosis);
  if (test.failure.empty()) {
    json.key("failure").null();
  } else {
    json.key("failure").string(test.failure);
  }
  json.key("seconds").numbers(test.seconds);
  json.key("stderr").string(test.err);
  json.end_object();
  context.print(json.take());
}

}  // namespace fovea::command
