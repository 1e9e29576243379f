// The loss of a training, step by step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/shape.h"
#include "fovea/terminal_picture.h"

namespace fovea {

struct FOVEA_API LossPoint {
  Index step = 0;
  double loss = 0;  // finite
};

struct FOVEA_API TrainingCurve {
  std::vector<LossPoint> steps;     // at least one, in order
  std::vector<LossPoint> held_out;  // evaluations; may be empty
};

struct FOVEA_API TrainingChartOptions {
  std::optional<std::string> title = {};  // default: "Training", in `language`
  std::string note = {};                  // below the chart
  Theme theme = Theme::light;
  Language language = Language::english;
};

// Every step in a pale line, their running mean in a strong one, evaluations as dots. The loss axis is
// logarithmic where losses span more than a factor of 30. Throws Error for curves without steps, steps out
// of order, and losses that are not finite.
FOVEA_API Figure training_chart(const TrainingCurve& curve, const TrainingChartOptions& options = {});

// The same in characters: · is the mean over the steps of a column, ● an evaluation.
FOVEA_API std::string to_terminal(const TrainingCurve& curve, const std::string& title,
                                  const TerminalOptions& options = {});

}  // namespace fovea
