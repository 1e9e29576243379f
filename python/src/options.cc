#include "options.h"

#include <nanobind/stl/string.h>

#include <string>

#include "arrays.h"

namespace fovea::python {
namespace {

// "f" for numbers, "b" for truth values, as NumPy names kinds; integers count as numbers.
bool holds_truth_values(nb::handle object) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
    return nb::cast<std::string>(array.attr("dtype").attr("kind")) == "b";
  }
  AnyArray array;
  if (!nb::try_cast(object, array)) return false;
  return static_cast<nb::dlpack::dtype_code>(array.dtype().code) == nb::dlpack::dtype_code::Bool;
}

}  // namespace

Mask mask_of(nb::handle object) {
  if (object.is_none()) return {};
  if (nb::isinstance<Mask>(object)) return nb::cast<Mask>(object);
  if (PyUnicode_Check(object.ptr())) return parse_mask(nb::cast<std::string>(object));
  if (holds_truth_values(object)) return Mask::dense(flags_of(object, "mask"));
  return Mask::additive(Input(object, "mask").view());
}

Bias bias_of(nb::handle object) {
  if (object.is_none()) return {};
  if (nb::isinstance<Bias>(object)) return nb::cast<Bias>(object);
  return Bias::dense(Input(object, "bias").view());
}

Language language_of(const std::string& name) {
  if (name == "en") return Language::english;
  if (name == "zh") return Language::chinese;
  throw nb::value_error(("lang: got \"" + name + "\", expected \"en\" or \"zh\"").c_str());
}

FloatType float_type_of(const std::string& name) {
  if (name == "float32" || name == "f32") return FloatType::float32;
  if (name == "float16" || name == "f16") return FloatType::float16;
  if (name == "bfloat16" || name == "bf16") return FloatType::bfloat16;
  if (name == "int8") return FloatType::int8;
  throw nb::value_error(
      ("weights: got \"" + name + "\", expected \"float32\", \"float16\", \"bfloat16\" or \"int8\"")
          .c_str());
}

Precision precision_of(const std::string& name) {
  if (name == "float32" || name == "f32") return Precision::float32;
  if (name == "bfloat16" || name == "bf16") return Precision::bfloat16;
  throw nb::value_error(("precision: got \"" + name + "\", expected \"float32\" or \"bf16\"").c_str());
}

AttentionOptions options_of(const ScoreArguments& arguments) {
  AttentionOptions options;
  options.mask = mask_of(arguments.mask);
  options.bias = bias_of(arguments.bias);
  options.scale = arguments.scale;
  options.softcap = arguments.softcap;
  return options;
}

}  // namespace fovea::python
