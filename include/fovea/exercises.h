// Exercises that find the mistake: tasks, hints, and a check that says what went wrong, not only that it
// did.
//
// An answer is compared with the right one, then with what every mistake of mistakes.h gives, then with
// pairs of them. A command, a server or a page asks the same check.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/json_writer.h"
#include "fovea/language.h"
#include "fovea/mistakes.h"

namespace fovea {

enum class ExerciseKind {
  by_hand,  // a few numbers to type
  code,     // a program, or its numbers
  model,    // a head of one of our own models to be named
};
FOVEA_API const char* to_string(ExerciseKind kind);  // "by hand", "code", "model"

struct FOVEA_API Exercise {
  std::string id;
  ExerciseKind kind = ExerciseKind::code;
  Text title;
  Text task;
  std::vector<Text> hints;            // three, each tells more
  Text reason;                        // after success: why it was right
  Text next;                          // and what to look at then
  std::vector<std::string> mistakes;  // ids that its inputs can show, each apart from all others
  // What is typed: "weights", "output", "both" (weights first) or "head". A program gives the output, and
  // the weights if it likes.
  std::string answer;
  int decimals = 3;  // fewer are too few to tell mistakes apart
};

FOVEA_API const std::vector<Exercise>& exercises();       // in the order of teaching
FOVEA_API const Exercise& exercise(std::string_view id);  // throws Error naming those there are
FOVEA_API std::vector<std::string> exercise_ids();

// The inputs of an exercise; typed answers are to the first. None for those with a model.
FOVEA_API std::vector<Problem> exercise_problems(std::string_view id);
// Another input of the same kind, drawn as NumPy does after seed(S).
FOVEA_API Problem random_problem(std::string_view id, std::uint32_t seed);

// What a program reads: {"exercise": "attention", "inputs": {"q": [[..]], ..}}, one line.
FOVEA_API std::string exercise_message(std::string_view id, const Problem& problem);

// The files to start from; `extension` is "python" or "cpp". The comments are in that language.
struct FOVEA_API SkeletonFile {
  std::string name;
  std::string text;
};
FOVEA_API std::vector<SkeletonFile> exercise_skeleton(std::string_view id,
                                                      const std::string& program_language,
                                                      Language language);

struct FOVEA_API HeadName {
  Index layer = 0, head = 0;
};

// One answer. A part that was not given is empty.
struct FOVEA_API Answer {
  NumberArray output, weights;
  // The most decimals that were typed; none: the numbers were computed, and have all of theirs.
  std::optional<int> output_decimals, weights_decimals;
  std::vector<HeadName> heads;
};

// "0.23 0.63 0.14", [[0.23, 0.63, 0.14]], {"output": .., "weights": ..}; "L0H3", "0 3" for a head. Throws
// Error for what is none of these.
FOVEA_API Answer parse_answer(std::string_view id, std::string_view text);
FOVEA_API Answer load_answer(std::string_view id, const std::string& path);  // .json, .npy, or text

// Where an answer first differs from the right one.
struct FOVEA_API Difference {
  std::size_t input = 0;  // which of the problems
  std::string part;       // "weights" or "output"
  std::vector<Index> cell;
  double expected = 0, got = 0;
};

enum class Verdict {
  correct,
  mistaken,  // one of the mistakes we know, or two at once
  unknown,   // wrong, in a way we do not know
  wrong_shape,
  not_a_number,  // NaN or infinite, in a way we do not know
  imprecise,     // may be right, but has too few decimals to tell
  missing,       // the part that was asked for is not there
};

struct FOVEA_API Diagnosis {
  Verdict verdict = Verdict::unknown;
  // What explains the answer: one mistake or two made together; several explanations where they give the
  // same numbers on these inputs.
  std::vector<std::vector<std::string>> explanations = {};
  std::optional<Difference> first = {};
  std::vector<Text> sentences = {};  // for the learner

  bool correct() const { return verdict == Verdict::correct; }
  std::vector<std::string> mistakes() const;  // of all explanations, each once
};

struct FOVEA_API CheckOptions {
  // The folder of one of our own models by its name ("induction"); "": it is not installed.
  std::function<std::string(const std::string&)> models = {};
};

// One answer per problem, in their order; fewer are fine, and one that is empty (nullopt: a program that
// failed) is passed over. Throws Error where nothing was given at all, or where a model is missing.
FOVEA_API Diagnosis check_answers(std::string_view id, const std::vector<std::optional<Answer>>& answers,
                                  const CheckOptions& options = {});
FOVEA_API Diagnosis check_answer(std::string_view id, const Answer& answer,
                                 const CheckOptions& options = {});
// Which numbers of an answer to the first problem are right, in their order; a part that was not given, or
// has another shape, has no marks.
struct FOVEA_API AnswerMarks {
  std::vector<bool> weights, output;
};
FOVEA_API AnswerMarks mark_answer(std::string_view id, const Answer& answer);
// The same on problems of your own.
FOVEA_API Diagnosis check_problems(const Exercise& exercise, const std::vector<Problem>& problems,
                                   const std::vector<std::optional<Answer>>& answers);

// Two runs of a program on the same input gave different numbers.
FOVEA_API bool answers_differ(const Answer& a, const Answer& b);

// {"exercise", "correct", "verdict", "mistakes", "explanations", "part", "input", "cell", "expected",
// "got", "sentences"} into an object that is open; what there is not is null.
FOVEA_API void write_fields(JsonWriter& json, std::string_view id, const Diagnosis& diagnosis);

}  // namespace fovea
