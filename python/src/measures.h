// Measures of heads as rows of a table.
#pragma once

#include <nanobind/nanobind.h>

#include "fovea/language.h"
#include "fovea/measures_report.h"

namespace fovea::python {

namespace nb = nanobind;

// A dictionary per head, then one per layer's mean: layer, head (a number, or "mean"), every measure (NaN:
// does not apply), role and reading.
nb::list to_rows(const MeasuresReport& report, Language language);

}  // namespace fovea::python
