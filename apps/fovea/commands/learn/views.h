// What `fovea learn` prints.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "commands/learn/program_test.h"
#include "commands/learn/progress.h"
#include "fovea/exercises.h"

namespace fovea::command {

void print_path(const Context& context, const LearnProgress& progress);
void print_path_json(const Context& context, const LearnProgress& progress);

// Ticked by what was done; below an item that is not, what is missing.
void print_checklist(const Context& context, const LearnProgress& progress);
void print_checklist_json(const Context& context, const LearnProgress& progress);
void print_questions(const Context& context, const LearnProgress& progress);

// The task and how to answer, with the first `hints` hints.
void print_exercise(const Context& context, const Exercise& exercise, Index hints);
void print_exercise_json(const Context& context, const Exercise& exercise);

void print_diagnosis(const Context& context, const Diagnosis& diagnosis);
void print_diagnosis_json(const Context& context, const Exercise& exercise, const Diagnosis& diagnosis);

void print_test(const Context& context, const ProgramTest& test);
void print_test_json(const Context& context, const Exercise& exercise, const ProgramTest& test);

}  // namespace fovea::command
