// Statistics of attention as a dictionary of arrays.
#pragma once

#include <nanobind/nanobind.h>

#include "arrays.h"
#include "fovea/attention_statistics.h"

namespace fovea::python {

// Each field under its name, None where it was not computed; "means" is a dictionary itself.
nb::dict to_dict(AttentionStatistics statistics, Framework framework = Framework::numpy);

}  // namespace fovea::python
