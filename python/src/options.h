// Masks, biases and options of attention, from what Python hands over.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "fovea/attention.h"
#include "fovea/float_type.h"
#include "fovea/language.h"
#include "fovea/precision.h"

namespace fovea::python {

namespace nb = nanobind;

// None, a Mask, an expression ("causal & window(64)"), truth values (dense) or numbers (additive).
Mask mask_of(nb::handle object);
// None, a Bias, or numbers (dense).
Bias bias_of(nb::handle object);
// "en" or "zh".
Language language_of(const std::string& name);
// Names as of the command: "float32", "float16", "bfloat16", "int8"; f32, f16 and bf16 are the same.
FloatType float_type_of(const std::string& name);
Precision precision_of(const std::string& name);

struct ScoreArguments {
  nb::handle mask, bias;
  std::optional<float> scale;
  float softcap = 0;
};

AttentionOptions options_of(const ScoreArguments& arguments);

}  // namespace fovea::python
