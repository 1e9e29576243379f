#include "arrays.h"

#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fovea::python {
namespace {

// "<class 'numpy.ndarray'> of >f4", "None"
std::string python_type(nb::handle object) {
  if (object.is_none()) return "None";
  auto text = nb::cast<std::string>(nb::str(object.type()));
  if (nb::hasattr(object, "dtype")) {
    const nb::object type = object.attr("dtype");
    text += " of " + nb::cast<std::string>(nb::str(type));
  }
  return text;
}

// "float64", "int32", "bool"
std::string dtype_text(const nb::dlpack::dtype& type) {
  const auto bits = std::to_string(type.bits);
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Float:
      return "float" + bits;
    case nb::dlpack::dtype_code::Int:
      return "int" + bits;
    case nb::dlpack::dtype_code::UInt:
      return "uint" + bits;
    case nb::dlpack::dtype_code::Bfloat:
      return "bfloat" + bits;
    case nb::dlpack::dtype_code::Bool:
      return "bool";
    case nb::dlpack::dtype_code::Complex:
      return "complex" + bits;
    default:
      return "of a type fovea does not know";
  }
}

[[noreturn]] void refuse(const std::string& message) { throw nb::type_error(message.c_str()); }

// A function of torch, looked up once and never given back. The interpreter's lock guards it: a guarded
// static would be waited for by a thread that holds the lock.
nb::handle torch_function(PyObject*& known, const char* module, const char* name) {
  if (known == nullptr) known = nb::object(nb::module_::import_(module).attr(name)).release().ptr();
  return known;
}

// The C function behind Tensor.__dlpack__, whose checks cost more than a small attention: they are made
// below.
nb::object capsule_of(nb::handle tensor) {
  static PyObject* known = nullptr;
  return torch_function(known, "torch.utils.dlpack", "to_dlpack")(tensor);
}

nb::object torch_of(const nb::object& array) {
  static PyObject* known = nullptr;
  return torch_function(known, "torch", "from_numpy")(array);
}

// ml_dtypes' bfloat16 in NumPy arrays has neither DLPack nor a buffer: its bits are shown as uint16.
bool is_foreign_bfloat16(nb::handle object) {
  if (!nb::hasattr(object, "dtype")) return false;
  const nb::object type = object.attr("dtype");
  return nb::hasattr(type, "name") && nb::hasattr(object, "view") &&
         nb::cast<std::string>(nb::str(type.attr("name"))) == "bfloat16";
}

// Nested lists have no type of their own: what NumPy makes of them.
bool is_list(nb::handle object) { return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()); }

nb::object array_of_list(nb::handle list) { return nb::module_::import_("numpy").attr("asarray")(list); }

AnyArray array_of(nb::handle object, const char* name, bool& bfloat16, nb::object& keep) {
  AnyArray array;
  if (is_list(object)) {
    keep = array_of_list(object);
    object = keep;
  }
  nb::object capsule;
  if (framework_of(object) == Framework::torch && nb::hasattr(object, "requires_grad")) {
    try {
      capsule = capsule_of(object);
    } catch (nb::python_error& error) {  // sparse, or without memory
      refuse(std::string(name) + " is a tensor whose memory fovea cannot read: " +
             nb::cast<std::string>(nb::str(error.value())));
    }
  }
  if (object.is_none() || !nb::try_cast(capsule.is_valid() ? nb::handle(capsule) : object, array)) {
    if (!is_foreign_bfloat16(object)) {
      refuse(std::string(name) + " is " + python_type(object) +
             ", expected an array: NumPy, torch, or anything with DLPack or the buffer protocol");
    }
    keep = object.attr("view")("uint16");
    bfloat16 = true;
    array = nb::cast<AnyArray>(keep);
  }
  if (array.device_type() != nb::device::cpu::value) {
    refuse(std::string(name) + " is not in the memory of the CPU, where fovea computes: pass " + name +
           ".cpu()");
  }
  return array;
}

Shape shape_of(const AnyArray& array) {
  std::vector<Index> extents;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    extents.push_back(static_cast<Index>(array.shape(axis)));
  }
  return Shape(extents);
}

Strides strides_of(const AnyArray& array) {
  Strides strides = {};
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) strides[axis] = array.stride(axis);
  return strides;
}

// Of no elements there may be no memory; a view wants a pointer only where there are some.
TypedView typed_view(const AnyArray& array, bool bfloat16, const char* name, Framework framework) {
  const Shape shape = shape_of(array);
  const Strides strides = strides_of(array);
  const nb::dlpack::dtype type = array.dtype();
  const auto* bits = static_cast<const std::uint16_t*>(array.data());
  if (bfloat16 ||
      type == nb::dlpack::dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat), 16, 1}) {
    return TypedView::bfloat16(bits, shape, strides);
  }
  if (static_cast<nb::dlpack::dtype_code>(type.code) == nb::dlpack::dtype_code::Float && type.lanes == 1) {
    if (type.bits == 32) return ConstView(static_cast<const float*>(array.data()), shape, strides);
    if (type.bits == 16) return TypedView::float16(bits, shape, strides);
  }
  const char* converted = framework == Framework::torch ? ".float()" : ".astype(\"float32\")";
  refuse(std::string(name) + " is " + dtype_text(type) + ", expected float32, float16 or bfloat16: pass " +
         name + converted + ", or dtype=\"float32\" to functions that have it");
}

// Calls take(value) for each element, in row-major order, as `T`.
template <typename T, typename Take>
void each_as(const AnyArray& array, const Take& take) {
  const auto rank = static_cast<int>(array.ndim());
  const auto* data = static_cast<const T*>(array.data());
  const Shape shape = shape_of(array);
  const Strides strides = strides_of(array);
  std::array<Index, kMaxRank> at = {};
  const Index count = rank == 0 ? 1 : shape.elements();
  for (Index i = 0; i < count; ++i) {
    Index offset = 0;
    for (int axis = 0; axis < rank; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      offset += at[a] * strides[a];
    }
    take(data[offset]);
    for (int axis = rank - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++at[a] < shape[axis]) break;
      at[a] = 0;
    }
  }
}

// False if the type is no integer or truth value.
template <typename Take>
bool each_integer(const AnyArray& array, const Take& take) {
  const nb::dlpack::dtype type = array.dtype();
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Bool:
      each_as<std::uint8_t>(array, take);
      return true;
    case nb::dlpack::dtype_code::Int:
      if (type.bits == 8) each_as<std::int8_t>(array, take);
      if (type.bits == 16) each_as<std::int16_t>(array, take);
      if (type.bits == 32) each_as<std::int32_t>(array, take);
      if (type.bits == 64) each_as<std::int64_t>(array, take);
      return true;
    case nb::dlpack::dtype_code::UInt:
      if (type.bits == 8) each_as<std::uint8_t>(array, take);
      if (type.bits == 16) each_as<std::uint16_t>(array, take);
      if (type.bits == 32) each_as<std::uint32_t>(array, take);
      if (type.bits == 64) each_as<std::uint64_t>(array, take);
      return true;
    default:
      return false;
  }
}

template <typename Scalar>
nb::object shown(Scalar* data, std::size_t rank, const std::size_t* extents, nb::handle owner,
                 Framework framework) {
  const nb::object array = nb::ndarray<nb::numpy, Scalar>(data, rank, extents, owner).cast();
  return framework == Framework::torch ? torch_of(array) : array;
}

// The owner is deleted with the last array that shows its memory.
template <typename Scalar, typename Owner>
nb::object handed_over(Owner owner, const Shape& shape, Framework framework) {
  auto owned = std::make_unique<Owner>(std::move(owner));
  Owner* held = owned.get();
  const nb::capsule capsule(held, [](void* pointer) noexcept { delete static_cast<Owner*>(pointer); });
  owned.release();  // NOLINT: the capsule has it
  std::array<std::size_t, kMaxRank> extents = {};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    extents[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(shape[axis]);
  }
  const auto rank = static_cast<std::size_t>(shape.rank());
  auto* data = const_cast<Scalar*>(static_cast<const Scalar*>(static_cast<const void*>(held->data())));
  return shown<Scalar>(data, rank, extents.data(), capsule, framework);
}

}  // namespace

Framework framework_of(nb::handle object) {
  const nb::object module = object.type().attr("__module__");
  const bool is_torch =
      nb::isinstance<nb::str>(module) && std::string_view(nb::str(module).c_str()).starts_with("torch");
  return is_torch ? Framework::torch : Framework::numpy;
}

Input::Input(nb::handle object, const char* name) : framework_(framework_of(object)) {
  bool bfloat16 = false;
  if (is_list(object)) {  // of numbers that were typed in: rounded as a literal is
    const nb::object list = array_of_list(object);
    const auto kind = nb::cast<std::string>(list.attr("dtype").attr("kind"));
    if (kind == "f" || kind == "i" || kind == "u") keep_ = list.attr("astype")("float32");
  }
  array_ = array_of(keep_.is_valid() ? nb::handle(keep_) : object, name, bfloat16, keep_);
  typed_ = typed_view(array_, bfloat16, name, framework_);
}

ConstView Input::view() {
  if (typed_->type() == FloatType::float32) {
    return {static_cast<const float*>(typed_->data()), typed_->shape(), typed_->strides()};
  }
  if (converted_.empty()) converted_ = to_float32(*typed_);
  return converted_;
}

Ids ids_of(nb::handle object, const char* name) {
  bool bfloat16 = false;
  nb::object keep;
  const AnyArray array = array_of(object, name, bfloat16, keep);
  std::vector<std::int64_t> values;
  if (bfloat16 ||
      !each_integer(array, [&](auto value) { values.push_back(static_cast<std::int64_t>(value)); })) {
    refuse(std::string(name) + " is " + dtype_text(array.dtype()) + ", expected integers");
  }
  return {shape_of(array), std::move(values)};
}

Flags flags_of(nb::handle object, const char* name) {
  bool bfloat16 = false;
  nb::object keep;
  const AnyArray array = array_of(object, name, bfloat16, keep);
  std::vector<std::uint8_t> values;
  if (bfloat16 || !each_integer(array, [&](auto value) { values.push_back(value != 0 ? 1 : 0); })) {
    refuse(std::string(name) + " is " + dtype_text(array.dtype()) + ", expected truth values (bool)");
  }
  return {shape_of(array), std::move(values)};
}

Matrix matrix_of(nb::handle object, const char* name) {
  bool bfloat16 = false;
  nb::object keep;
  const AnyArray array = array_of(object, name, bfloat16, keep);
  if (array.ndim() != 1 && array.ndim() != 2) {
    throw nb::value_error(
        (std::string(name) + " has " + std::to_string(array.ndim()) + " axes, expected 2: a matrix")
            .c_str());
  }
  const nb::dlpack::dtype type = array.dtype();
  std::vector<double> values;
  const auto take = [&](auto value) { values.push_back(static_cast<double>(value)); };
  const bool is_float = static_cast<nb::dlpack::dtype_code>(type.code) == nb::dlpack::dtype_code::Float;
  if (is_float && type.bits == 64) {
    each_as<double>(array, take);
  } else if (bfloat16 || !each_integer(array, take)) {
    Input input(object, name);
    const Tensor copy = Tensor::copy_of(input.view());
    values.assign(copy.data(), copy.data() + copy.shape().elements());
  }
  const Index columns = static_cast<Index>(array.shape(array.ndim() - 1));
  return {array.ndim() == 1 ? 1 : static_cast<Index>(array.shape(0)), columns, std::move(values)};
}

nb::object to_python(Tensor tensor, Framework framework) {
  if (tensor.empty()) return nb::none();
  const Shape shape = tensor.shape();
  return handed_over<float>(std::move(tensor), shape, framework);
}

nb::object to_python(Tensor& tensor, const nb::object& owner, Framework framework) {
  if (tensor.empty()) return nb::none();
  std::array<std::size_t, kMaxRank> extents = {};
  for (int axis = 0; axis < tensor.shape().rank(); ++axis) {
    extents[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(tensor.shape()[axis]);
  }
  return shown(tensor.data(), static_cast<std::size_t>(tensor.shape().rank()), extents.data(), owner,
               framework);
}

nb::object to_python(Ids ids, Framework framework) {
  if (ids.shape().rank() == 0) return nb::none();
  const Shape shape = ids.shape();
  return handed_over<std::int64_t>(std::move(ids), shape, framework);
}

nb::object to_python(const Flags& flags) {
  return handed_over<bool>(Flags(flags), flags.shape(), Framework::numpy);
}

nb::object to_python(Matrix matrix) {
  const Shape shape = matrix.shape();
  return handed_over<double>(std::vector<double>(matrix.values()), shape, Framework::numpy);
}

nb::object to_python(std::vector<double> values) {
  const Shape shape{static_cast<Index>(values.size())};
  return handed_over<double>(std::move(values), shape, Framework::numpy);
}

}  // namespace fovea::python
