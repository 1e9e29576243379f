#include "fovea/lessons.h"

#include <set>

#include "core/fail.h"
#include "lessons/lesson_text.h"
#include "lessons/placeholder.h"

namespace fovea {
namespace {

// Gives what the learner changed to those live things that have it, and remembers what was taken.
class InputShares {
 public:
  explicit InputShares(const LiveInput& input) : input_(input) {}

  LiveInput of(const Live& defaults) {
    LiveInput share;
    for (const LiveControl& control : defaults.controls) {
      const auto found = input_.controls.find(control.name);
      if (found != input_.controls.end()) share.controls.insert(*found);
      offered_.insert(control.name);
    }
    for (const LiveMatrix& matrix : defaults.matrices) {
      if (!matrix.editable) continue;
      const auto found = input_.matrices.find(matrix.name);
      if (found != input_.matrices.end()) share.matrices.insert(*found);
      offered_.insert(matrix.name);
    }
    return share;
  }

  void check(const std::string& lesson) const {
    const std::vector<std::string> offered(offered_.begin(), offered_.end());
    const auto check_name = [&](const std::string& name) {
      if (offered_.contains(name)) return;
      fail("[lessons] nothing in {} is called {}; what can be changed: {}", lesson, name,
           offered.empty() ? "nothing" : listed(offered, 30));
    };
    for (const auto& [name, value] : input_.controls) check_name(name);
    for (const auto& [name, value] : input_.matrices) check_name(name);
  }

 private:
  const LiveInput& input_;
  std::set<std::string> offered_;
};

bool is_installed(const ModelFinder& models, const std::string& name) {
  return models && !models(name).empty();
}

LessonStep computed_step(const StepText& text, Language language, const LessonOptions& options,
                         LessonNumbers& numbers, InputShares& shares) {
  LessonStep step;
  step.title = text.title;
  step.exercise = text.exercise;
  step.view = text.view;
  for (const ParagraphText& paragraph : text.paragraphs) {
    if (!paragraph.with.empty() && !is_installed(options.models, paragraph.with)) continue;
    if (!paragraph.without.empty() && is_installed(options.models, paragraph.without)) continue;
    step.paragraphs.push_back({numbers.resolved(paragraph.text), paragraph.formula});
  }
  if (!text.question.empty()) step.question = question(text.question, language);
  if (!text.live.empty()) {
    const Live& defaults = numbers.live(text.live);
    const LiveInput input = shares.of(defaults);
    const bool changed = !input.controls.empty() || !input.matrices.empty();
    step.live = changed ? live(text.live, language, input, options.models) : defaults;
  }
  return step;
}

}  // namespace

std::vector<LessonTitle> lessons(Language language) {
  std::vector<LessonTitle> titles;
  for (const std::string& id : lesson_ids()) titles.push_back({id, lesson_file(language, id).title});
  return titles;
}

Lesson lesson(std::string_view id, Language language, const LessonOptions& options) {
  const LessonText text = lesson_text(id, language);
  Lesson result{text.id, text.title, {}};
  LessonNumbers numbers(language, options.models);
  InputShares shares(options.input);
  for (const StepText& step : text.steps) {
    result.steps.push_back(computed_step(step, language, options, numbers, shares));
  }
  shares.check(result.id);
  return result;
}

}  // namespace fovea
