#include "core/fail.h"
#include "fovea/exercises.h"
#include "fovea/render.h"
#include "lessons/exercise_texts.h"

namespace fovea {

const std::vector<Exercise>& exercises() {
  static const std::vector<Exercise> all = [] {
    std::vector<Exercise> list;
    for (const auto& part :
         {by_hand_exercises(), first_code_exercises(), layer_exercises(), model_exercises()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

std::vector<std::string> exercise_ids() {
  std::vector<std::string> ids;
  for (const Exercise& each : exercises()) ids.push_back(each.id);
  return ids;
}

const Exercise& exercise(std::string_view id) {
  for (const Exercise& each : exercises()) {
    if (each.id == id) return each;
  }
  fail("[exercise] got \"{}\", expected one of {}", id, listed(exercise_ids(), exercises().size()));
}

const char* to_string(ExerciseKind kind) {
  switch (kind) {
    case ExerciseKind::by_hand:
      return "by hand";
    case ExerciseKind::code:
      return "code";
    case ExerciseKind::model:
      return "model";
  }
  return "";
}

}  // namespace fovea
