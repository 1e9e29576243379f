// How time grows with the number of tokens: a log-log chart of measurements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/figure.h"
#include "fovea/language.h"
#include "fovea/shape.h"

namespace fovea {

struct GrowthPoint {
  Index n = 0;         // tokens, ≥ 1
  double seconds = 0;  // > 0
};

struct GrowthSeries {
  std::string name;  // "standard", "linear"
  std::vector<GrowthPoint> points;
};

// The exponent p of seconds ≈ c · n^p by least squares over the logarithms of the upper half of the points,
// where fixed costs no longer count; at least two points.
double growth_exponent(const std::vector<GrowthPoint>& points);

struct GrowthChartOptions {
  std::optional<std::string> title = {};  // default: named in `language`
  std::string note = {};                  // below the chart: machine, shape
  Theme theme = Theme::light;
  Language language = Language::english;
};

// Both axes logarithmic; each series is named at its end, with its exponent. Throws Error for series
// without two different n, and for times that are not positive.
Figure growth_chart(const std::vector<GrowthSeries>& series, const GrowthChartOptions& options = {});

// What `fovea bench linear --json FILE` (or --csv FILE) wrote: the medians of standard and linear attention
// at batch, heads and width of the first case, by n. Other competitors and masks become series of their
// own.
struct GrowthData {
  std::vector<GrowthSeries> series;
  std::string note;  // "B 8, heads 1, d 64"
};
GrowthData load_growth(const std::string& path, Language language = Language::english);

}  // namespace fovea
