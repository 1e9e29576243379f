// How time grows with the number of tokens: a log-log chart of measurements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/shape.h"

namespace fovea {

struct FOVEA_API GrowthPoint {
  Index n = 0;         // tokens, ≥ 1
  double seconds = 0;  // > 0
};

struct FOVEA_API GrowthSeries {
  std::string name;  // "standard", "linear"
  std::vector<GrowthPoint> points;
};

// The exponent p of seconds ≈ c · n^p by least squares over the logarithms of the upper half of the points,
// where fixed costs no longer count; at least two points.
FOVEA_API double growth_exponent(const std::vector<GrowthPoint>& points);

struct FOVEA_API GrowthChartOptions {
  std::optional<std::string> title = {};  // default: named in `language`
  std::string note = {};                  // below the chart: machine, shape
  Theme theme = Theme::light;
  Language language = Language::english;
};

// Both axes logarithmic; each series is named at its end, with its exponent. Throws Error for series
// without two different n, and for times that are not positive.
FOVEA_API Figure growth_chart(const std::vector<GrowthSeries>& series,
                              const GrowthChartOptions& options = {});

// What `fovea bench linear --json FILE` (or --csv FILE) wrote: the medians of standard and linear attention
// at batch, heads and width of the first case, by n. Other competitors and masks become series of their
// own.
struct FOVEA_API GrowthData {
  std::vector<GrowthSeries> series;
  std::string note;  // "B 8, heads 1, d 64"
};
FOVEA_API GrowthData load_growth(const std::string& path, Language language = Language::english);

}  // namespace fovea
