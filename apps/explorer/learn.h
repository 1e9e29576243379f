// Lessons, exercises and questions for the page: the library's texts, its live numbers, its check.
#pragma once

#include <string>

#include "fovea/json_writer.h"
#include "fovea/language.h"
#include "fovea/live.h"
#include "parameters.h"

namespace fovea::explorer {

// language=en or zh; English if it is not there.
Language language_parameter(const Parameters& parameters);

// What there is: titles of the lessons, exercises with their inputs, questions, checklist, reading list.
std::string learn_json(Language language);

// lesson=ID: its steps, every number of it computed now.
std::string lesson_json(const Parameters& parameters, const ModelFinder& models);

// live=ID: with control.NAME=2.5 and matrix.NAME=1,0;0,1 instead of what it begins with.
std::string live_json(const Parameters& parameters, const ModelFinder& models);

// {"exercise": .., "answer": "0.231 0.629 0.140"}: the diagnosis, and which of the numbers are right.
struct AnswerRequest {
  std::string exercise, answer;
};
AnswerRequest parse_answer_request(const std::string& body);
std::string diagnosis_json(const AnswerRequest& request, const ModelFinder& models);

}  // namespace fovea::explorer
