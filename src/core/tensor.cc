#include "fovea/tensor.h"

#include <algorithm>

#include "core/block.h"
#include "core/fail.h"
#include "core/strided_copy.h"

namespace fovea {
namespace {

void check_axis(const char* name, int axis, int rank) {
  if (axis < 0 || axis >= rank) fail("[{}] axis {} is outside rank {}", name, axis, rank);
}

// A view without elements may have no memory.
template <typename T>
T* moved(T* data, Index elements) {
  return data == nullptr ? nullptr : data + elements;
}

}  // namespace

void check_no_elements(const Shape& shape) {
  if (shape.elements() == 0) return;
  fail("[view] the memory is a null pointer, expected {} elements of shape {}", shape.elements(),
       shape.to_string());
}

void Tensor::Release::operator()(float* data) const { give_back({data, bytes}); }

Tensor Tensor::uninitialized(const Shape& shape) {
  Tensor tensor;
  if (shape.rank() == 0) return tensor;
  const auto elements = static_cast<std::size_t>(std::max<Index>(shape.elements(), 1));
  const Block block = take_block(elements * sizeof(float));
  tensor.data_ = {block.data, Release(block.bytes)};
  tensor.shape_ = shape;
  return tensor;
}

Tensor::Tensor(const Shape& shape) : Tensor(filled(shape, 0.0f)) {}

Tensor Tensor::filled(const Shape& shape, float value) {
  Tensor tensor = uninitialized(shape);
  std::fill_n(tensor.data(), shape.elements(), value);
  return tensor;
}

Tensor Tensor::from(const NestedList<float>& values) {
  const std::vector<float> numbers = values.flatten();
  const Shape shape = values.shape();
  // A lone number, Tensor::from(3), is a tensor of one element.
  Tensor tensor = uninitialized(shape.rank() == 0 ? Shape{1} : shape);
  std::copy(numbers.begin(), numbers.end(), tensor.data());
  return tensor;
}

Tensor Tensor::copy_of(ConstView view) {
  Tensor tensor = uninitialized(view.shape());
  strided_copy(view, tensor.data());
  return tensor;
}

Tensor::Tensor(const Tensor& other) : Tensor(uninitialized(other.shape_)) {
  std::copy_n(other.data(), shape_.elements(), data());
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

Tensor::Tensor(Tensor&& other) noexcept
    : shape_(std::exchange(other.shape_, {})), data_(std::move(other.data_)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  shape_ = std::exchange(other.shape_, {});
  data_ = std::move(other.data_);
  return *this;
}

Tensor Tensor::reshaped(const Shape& shape) && {
  if (shape.elements() != shape_.elements()) {
    fail("[reshaped] {} elements of shape {} do not fit shape {}", shape_.elements(), shape_.to_string(),
         shape.to_string());
  }
  Tensor result = std::move(*this);
  result.shape_ = shape;
  return result;
}

Tensor Tensor::reshaped(const Shape& shape) const& { return Tensor(*this).reshaped(shape); }

template <typename T>
bool BasicView<T>::is_contiguous() const {
  Index expected = 1;
  for (int axis = shape_.rank() - 1; axis >= 0; --axis) {
    if (shape_[axis] != 1 && stride(axis) != expected) return false;
    expected *= shape_[axis];
  }
  return true;
}

template <typename T>
BasicView<T> BasicView<T>::transpose(int axis_a, int axis_b) const {
  check_axis("transpose", axis_a, shape_.rank());
  check_axis("transpose", axis_b, shape_.rank());
  std::vector<Index> extents;
  for (int axis = 0; axis < shape_.rank(); ++axis) extents.push_back(shape_[axis]);
  Strides strides = strides_;
  std::swap(extents[static_cast<std::size_t>(axis_a)], extents[static_cast<std::size_t>(axis_b)]);
  std::swap(strides[static_cast<std::size_t>(axis_a)], strides[static_cast<std::size_t>(axis_b)]);
  return BasicView(data_, Shape(extents), strides);
}

template <typename T>
BasicView<T> BasicView<T>::slice(int axis, Index begin, Index end, Index step) const {
  check_axis("slice", axis, shape_.rank());
  if (begin < 0 || end < begin || end > shape_[axis] || step < 1) {
    fail("[slice] {}..{} step {} is outside extent {} of axis {}", begin, end, step, shape_[axis], axis);
  }
  std::vector<Index> extents;
  for (int a = 0; a < shape_.rank(); ++a) extents.push_back(shape_[a]);
  extents[static_cast<std::size_t>(axis)] = (end - begin + step - 1) / step;
  Strides strides = strides_;
  strides[static_cast<std::size_t>(axis)] *= step;
  return BasicView(moved(data_, begin * stride(axis)), Shape(extents), strides);
}

template <typename T>
BasicView<T> BasicView<T>::select(int axis, Index index) const {
  check_axis("select", axis, shape_.rank());
  if (index < 0 || index >= shape_[axis]) {
    fail("[select] index {} is outside extent {} of axis {}", index, shape_[axis], axis);
  }
  std::vector<Index> extents;
  Strides strides = {};
  for (int a = 0; a < shape_.rank(); ++a) {
    if (a == axis) continue;
    strides[extents.size()] = stride(a);
    extents.push_back(shape_[a]);
  }
  return BasicView(moved(data_, index * stride(axis)), Shape(extents), strides);
}

template <typename T>
BasicView<T> BasicView<T>::insert_axis(int axis) const {
  check_axis("insert_axis", axis, shape_.rank() + 1);
  if (shape_.rank() == kMaxRank)
    fail("[insert_axis] shape {} has rank {} already, the maximum", shape_.to_string(), kMaxRank);
  std::vector<Index> extents;
  Strides strides = {};
  for (int a = 0; a <= shape_.rank(); ++a) {
    if (a == axis) extents.push_back(1);
    if (a == shape_.rank()) break;
    strides[extents.size()] = stride(a);
    extents.push_back(shape_[a]);
  }
  return BasicView(data_, Shape(extents), strides);
}

template class BasicView<float>;
template class BasicView<const float>;

}  // namespace fovea
