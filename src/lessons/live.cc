#include "fovea/live.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "lessons/live_builder.h"
#include "lessons/live_labels.h"

namespace fovea {
namespace {

struct LiveEntry {
  const char* id;
  MakeLive make;
};

constexpr LiveEntry kLiveEntries[] = {
    {"library", live_library},
    {"worked-example", live_worked_example},
    {"variance", live_variance},
    {"saturation", live_saturation},
    {"softmax", live_softmax},
    {"masks", live_masks},
    {"critics", live_critics},
    {"cross", live_cross},
    {"cross-shapes", live_cross_shapes},
    {"order", live_order},
    {"append", live_append},
    {"families", live_families},
    {"caption", live_caption},
    {"forgetting", live_forgetting},
    {"waiting", live_waiting},
    {"linear", live_linear},
    {"linear-time", live_linear_time},
    {"same-output", live_same_output},
    {"sink", live_sink},
    {"induction", live_induction},
    {"first-token", live_first_token},
    {"coreference", live_coreference},
    {"translation", live_translation},
};

template <typename Map>
void check_names(const std::string& id, const char* what, const Map& given,
                 const std::vector<std::string>& known) {
  for (const auto& [name, value] : given) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fail("[live] {} has no {} {}; there are: {}", id, what, name, known.empty() ? "none" : listed(known));
  }
}

bool is_whole(double value) { return value == std::floor(value); }

}  // namespace

double LiveBuilder::control(const char* name, double value, const Range& range) {
  const auto given = input_.controls.find(name);
  if (given != input_.controls.end()) value = given->second;
  if (!(value >= range.lowest && value <= range.highest)) {
    fail("[live] {} is {}, expected {} to {}", name, value, range.lowest, range.highest);
  }
  if (is_whole(range.step) && !is_whole(value))
    fail("[live] {} is {}, expected a whole number", name, value);
  live_.controls.push_back({name, "", value, range.lowest, range.highest, range.step});
  return value;
}

Index LiveBuilder::count(const char* name, Index value, Index lowest, Index highest) {
  return static_cast<Index>(control(name, static_cast<double>(value),
                                    {static_cast<double>(lowest), static_cast<double>(highest), 1}));
}

Matrix LiveBuilder::editable(const char* name, const Matrix& value) {
  LiveMatrix shown{name, "", value, {}, {}, true, false};
  const auto given = input_.matrices.find(name);
  if (given != input_.matrices.end()) {
    const Matrix& matrix = given->second;
    if (matrix.shape() != value.shape()) {
      fail("[live] {} is {}, expected {}", name, matrix.shape_text(), value.shape_text());
    }
    for (const double number : matrix.values()) {
      if (!std::isfinite(number)) fail("[live] {} has the value {}, expected finite numbers", name, number);
    }
    shown.matrix = matrix;
  }
  live_.matrices.push_back(shown);
  return shown.matrix;
}

void LiveBuilder::show(const char* name, const Matrix& matrix) {
  live_.matrices.push_back({name, "", matrix, {}, {}, false, false});
}

void LiveBuilder::show_weights(const char* name, const Matrix& matrix, std::vector<std::string> rows,
                               std::vector<std::string> columns) {
  live_.matrices.push_back({name, "", matrix, std::move(rows), std::move(columns), false, true});
}

std::string LiveBuilder::model(const char* name) {
  std::string folder = models_ ? models_(name) : "";
  if (folder.empty()) live_.missing = name;
  return folder;
}

Live LiveBuilder::finish() {
  std::vector<std::string> controls, matrices;
  for (const LiveControl& control : live_.controls) controls.push_back(control.name);
  for (const LiveMatrix& matrix : live_.matrices) {
    if (matrix.editable) matrices.push_back(matrix.name);
  }
  check_names(live_.id, "control", input_.controls, controls);
  check_names(live_.id, "matrix to edit", input_.matrices, matrices);
  return std::move(live_);
}

const Matrix& Live::matrix(std::string_view name) const {
  std::vector<std::string> known;
  for (const LiveMatrix& candidate : matrices) {
    if (candidate.name == name) return candidate.matrix;
    known.push_back(candidate.name);
  }
  fail("[live] {} has no matrix {}; there are: {}", id, name, listed(known));
}

double Live::number(std::string_view name) const {
  const auto found = numbers.find(name);
  if (found != numbers.end()) return found->second;
  std::vector<std::string> known;
  for (const LiveControl& control : controls) {
    if (control.name == name) return control.value;
    known.push_back(control.name);
  }
  for (const auto& [number_name, value] : numbers) known.push_back(number_name);
  fail("[live] {} has no number {}; there are: {}", id, name, listed(known));
}

std::vector<std::string> live_ids() {
  std::vector<std::string> ids;
  for (const LiveEntry& entry : kLiveEntries) ids.emplace_back(entry.id);
  return ids;
}

Live live(std::string_view id, Language language, const LiveInput& input, const ModelFinder& models) {
  for (const LiveEntry& entry : kLiveEntries) {
    if (entry.id != id) continue;
    LiveBuilder builder(id, input, models);
    entry.make(builder);
    Live result = builder.finish();
    label_live(result, language);
    return result;
  }
  fail("[live] got {}; there are: {}", id, listed(live_ids(), 30));
}

}  // namespace fovea
