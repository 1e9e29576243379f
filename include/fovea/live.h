// Small computations of the lessons that a learner can change: type another number, move a control, and
// see what becomes of it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/json_writer.h"
#include "fovea/language.h"
#include "fovea/matrix.h"
#include "fovea/render.h"

namespace fovea {

// The folder of one of our own models by its name ("induction"); "": it is not installed.
using ModelFinder = std::function<std::string(const std::string& name)>;

// What a learner changed; everything else keeps its default.
struct FOVEA_API LiveInput {
  std::map<std::string, double, std::less<>> controls = {};
  std::map<std::string, Matrix, std::less<>> matrices = {};  // of the shape of what they replace
};

struct FOVEA_API LiveControl {
  std::string name, title;
  double value = 0, lowest = 0, highest = 0, step = 1;
};

struct FOVEA_API LiveMatrix {
  std::string name, title;
  Matrix matrix;
  std::vector<std::string> row_labels, column_labels;  // one per row and column, or none
  bool editable = false;                               // the learner may type other numbers
  bool weights = false;                                // between 0 and 1: to be shaded
};

// What was given and what was computed from it.
struct FOVEA_API Live {
  std::string id, title;
  std::vector<LiveControl> controls;
  std::vector<LiveMatrix> matrices;  // those that can be edited first
  std::map<std::string, double, std::less<>> numbers;
  bool timed = false;        // some numbers are times, measured just now
  std::string missing = {};  // a model that it needs and that is not installed; nothing is computed then

  const Matrix& matrix(std::string_view name) const;  // throws Error naming those there are
  double number(std::string_view name) const;         // a number or a control; the same
};

FOVEA_API std::vector<std::string> live_ids();

// Computes it. Throws Error for an id, control or matrix that does not exist, a control outside of its
// range, a matrix of another shape or with values that are not finite.
FOVEA_API Live live(std::string_view id, Language language, const LiveInput& input = {},
                    const ModelFinder& models = {});

FOVEA_API std::string to_terminal(const Live&, const RenderOptions& = {});
FOVEA_API void write_json(JsonWriter& json, const Live&);
FOVEA_API std::string to_json(const Live&);

}  // namespace fovea
