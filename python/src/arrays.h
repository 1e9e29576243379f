// Arrays of Python, seen where they lie: NumPy, torch, everything with DLPack or the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <vector>

#include "fovea/array.h"
#include "fovea/matrix.h"
#include "fovea/tensor.h"
#include "fovea/typed_view.h"

namespace fovea::python {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro>;

// Whose arrays come in is whose arrays go out.
enum class Framework { numpy, torch };

Framework framework_of(nb::handle object);

// An array as it was given, without a copy. `name` goes into messages: "q is float64, ..". Holds the array
// alive; may be read without the interpreter's lock.
class Input {
 public:
  // Throws TypeError for what is no array of float32, float16 or bfloat16 on the CPU.
  Input(nb::handle object, const char* name);

  const TypedView& typed() const { return *typed_; }
  // float32: the array itself; float16 and bfloat16 are converted, once.
  ConstView view();
  Framework framework() const { return framework_; }

 private:
  AnyArray array_;
  nb::object keep_;
  std::optional<TypedView> typed_;
  Tensor converted_;
  Framework framework_;
};

// Integers and truth values, copied; any integer type. Throws TypeError for others.
Ids ids_of(nb::handle object, const char* name);
Flags flags_of(nb::handle object, const char* name);
// Numbers of any type as doubles; one row if the array has rank 1.
Matrix matrix_of(nb::handle object, const char* name);

// The memory is handed over, not copied. An empty() one becomes None.
nb::object to_python(Tensor tensor, Framework framework = Framework::numpy);
// Shows a tensor of `owner`, which lives as long as the array.
nb::object to_python(Tensor& tensor, const nb::object& owner, Framework framework);
nb::object to_python(Ids ids, Framework framework = Framework::numpy);
nb::object to_python(const Flags& flags);  // as truth values
nb::object to_python(Matrix matrix);       // float64
nb::object to_python(std::vector<double> values);

}  // namespace fovea::python
