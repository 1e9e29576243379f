// How long others take for the same work: a bar chart of measurements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"

namespace fovea {

struct FOVEA_API SpeedResult {
  std::string competitor;  // "PyTorch"
  double times = 0;        // its time divided by fovea's, > 0
};

struct FOVEA_API SpeedScenario {
  std::string name;  // "4,096 tokens, causal"
  std::vector<SpeedResult> results;
};

struct FOVEA_API SpeedChartOptions {
  std::optional<std::string> title = {};  // default: named in `language`
  std::string note = {};                  // below the chart: machine, versions
  Theme theme = Theme::light;
  Language language = Language::english;
};

// One group of bars per scenario: fovea with length 1, then everyone else, shorter is faster. Throws Error
// if there is nothing to draw, and for times that are not positive.
FOVEA_API Figure speed_chart(const std::vector<SpeedScenario>& scenarios,
                             const SpeedChartOptions& options = {});

struct FOVEA_API SpeedData {
  std::vector<SpeedScenario> scenarios;
  std::string note;
};
// Reads what `fovea bench --json FILE` wrote: the medians of all competitors, divided by fovea's. A result
// may hold "times_of_fovea", the ratios of several runs, instead of seconds: then their median is taken.
// Cases without a second competitor are left out.
FOVEA_API SpeedData load_speed(const std::string& path, Language language = Language::english);

}  // namespace fovea
