// The files a learner starts from.
#include "lessons/exercise_skeleton.h"

#include <fmt/core.h>

#include "core/fail.h"
#include "fovea/exercises.h"
#include "fovea/render.h"

namespace fovea {
namespace {

// "# " before every line of at most 92 columns.
std::string commented(const std::string& text, const std::string& mark) {
  std::string lines = mark, wrapped_text = wrapped(text, 92);
  for (const char c : wrapped_text) {
    lines += c;
    if (c == '\n') lines += mark;
  }
  return lines + "\n";
}

// The names of the inputs, in the order of the message: "q, k, v".
std::vector<std::string> input_names(const Problem& problem) {
  std::vector<std::string> names;
  const auto add = [&](const char* name, bool there) {
    if (there) names.emplace_back(name);
  };
  add("x", !problem.x.empty() || !problem.scores.empty());
  add("memory", !problem.memory.empty());
  add("w_q", !problem.w_q.empty());
  add("w_k", !problem.w_k.empty());
  add("w_v", !problem.w_v.empty());
  add("w_o", !problem.w_o.empty());
  add("q", !problem.q.empty());
  add("k", !problem.k.empty());
  add("v", !problem.v.empty());
  add("heads", problem.heads > 1);
  add("mask", !problem.real.empty());
  return names;
}

std::string header(const Exercise& exercise, const std::string& mark, const std::string& command,
                   Language language) {
  const Text run = {fmt::format("Try it: fovea learn test {} -- {}", exercise.id, command),
                    fmt::format("试一试：fovea learn test {} -- {}", exercise.id, command)};
  return commented(exercise.title.in(language), mark) + commented("", mark) +
         commented(exercise.task.in(language), mark) + commented("", mark) +
         commented(run.in(language), mark);
}

std::vector<SkeletonFile> python_files(const Exercise& exercise, const Problem& problem,
                                       Language language) {
  std::string parameters;
  for (const std::string& name : input_names(problem))
    parameters += (parameters.empty() ? "" : ", ") + name;
  const Text work = {"Matrices are lists of rows; numpy.array(..) makes arrays of them.",
                     "矩阵是由行组成的列表；numpy.array(..) 可把它变成数组。"};
  const Text give = {"Return a list of rows (an array: .tolist()).",
                     "返回由行组成的列表（数组请用 .tolist()）。"};
  const std::string program = header(exercise, "# ", "python3 " + exercise.id + ".py", language) +
                              "import json\nimport sys\n\n\ndef solve(" + parameters + "):\n" +
                              commented(work.in(language), "    # ") +
                              commented(give.in(language), "    # ") + "    raise NotImplementedError(\"" +
                              exercise.id + "\")\n\n\n" + "inputs = json.load(sys.stdin)[\"inputs\"]\n" +
                              "print(json.dumps({\"output\": solve(**inputs)}))\n";
  return {{exercise.id + ".py", program}};
}

std::string cpp_type(const std::string& name) {
  return name == "heads" ? "int" : name == "mask" ? "std::vector<bool>" : "Matrix";
}

std::vector<SkeletonFile> cpp_files(const Exercise& exercise, const Problem& problem, Language language) {
  std::string parameters, arguments;
  for (const std::string& name : input_names(problem)) {
    const char* separator = parameters.empty() ? "" : ", ";
    const std::string type = cpp_type(name);
    parameters +=
        fmt::format("{}{}{}", separator, type == "int" ? "int " : fmt::format("const {}& ", type), name);
    const std::string read = name == "heads"  ? "inputs.heads()"
                             : name == "mask" ? "inputs.mask()"
                                              : fmt::format("inputs.matrix(\"{}\")", name);
    arguments += separator + read;
  }
  const Text work = {"A Matrix is a vector of rows: q[i][d].", "Matrix 是由行组成的 vector：q[i][d]。"};
  const std::string build = fmt::format("c++ -std=c++17 -O2 {0}.cpp -o {0}", exercise.id);
  const std::string program = header(exercise, "// ", "./" + exercise.id, language) +
                              commented(build, "// ") + "#include \"exercise_io.h\"\n\n" +
                              commented(work.in(language), "// ") + "Matrix solve(" + parameters + ") {\n" +
                              "  throw std::logic_error(\"" + exercise.id + "\");\n}\n\n" +
                              "int main() {\n  const Inputs inputs = read_inputs(std::cin);\n" +
                              "  write_output(std::cout, solve(" + arguments + "));\n}\n";
  return {{exercise.id + ".cpp", program}, {"exercise_io.h", std::string(kCppInputOutput)}};
}

}  // namespace

std::vector<SkeletonFile> exercise_skeleton(std::string_view id, const std::string& program_language,
                                            Language language) {
  const Exercise& asked = exercise(id);
  if (asked.kind == ExerciseKind::model) fail("[skeleton] {} needs no program: answer with a head", id);
  const Problem problem = exercise_problems(id).front();
  std::vector<SkeletonFile> files;
  if (program_language == "python") {
    files = python_files(asked, problem, language);
  } else if (program_language == "cpp") {
    files = cpp_files(asked, problem, language);
  } else {
    fail("[skeleton] got the language \"{}\", expected python or cpp", program_language);
  }
  files.push_back({asked.id + ".json", exercise_message(id, problem) + "\n"});
  return files;
}

}  // namespace fovea
