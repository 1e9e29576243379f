// Masks, biases and options of attention, from what Python hands over.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "fovea/attention.h"
#include "fovea/language.h"

namespace fovea::python {

namespace nb = nanobind;

// None, a Mask, an expression ("causal & window(64)"), truth values (dense) or numbers (additive).
Mask mask_of(nb::handle object);
// None, a Bias, or numbers (dense).
Bias bias_of(nb::handle object);
// "en" or "zh".
Language language_of(const std::string& name);

struct ScoreArguments {
  nb::handle mask, bias;
  std::optional<float> scale;
  float softcap = 0;
};

AttentionOptions options_of(const ScoreArguments& arguments);

}  // namespace fovea::python
