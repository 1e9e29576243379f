// Tensors of float32: an owning one, and strided views of anybody's memory.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/error.h"
#include "fovea/shape.h"

namespace fovea {

// Throws Error: a view of no memory has elements.
FOVEA_API void check_no_elements(const Shape& shape);

// Shared by View and ConstView; `T` is float or const float.
template <typename T>
class FOVEA_API BasicView {
 public:
  // Foreign memory, no copy: `strides` in elements. The memory must outlive the view. Throws Error for a
  // null pointer, unless there are no elements.
  BasicView(T* data, const Shape& shape, const Strides& strides)
      : data_(data), shape_(shape), strides_(strides) {
    if (data == nullptr) check_no_elements(shape);
  }
  BasicView(T* data, const Shape& shape) : BasicView(data, shape, row_major_strides(shape)) {}

  T* data() const { return data_; }
  const Shape& shape() const { return shape_; }
  Index stride(int axis) const { return strides_[static_cast<std::size_t>(axis)]; }
  const Strides& strides() const { return strides_; }
  bool is_contiguous() const;  // row-major without gaps

  template <typename... I>
  T& operator()(I... indices) const {
    assert(static_cast<int>(sizeof...(I)) <= shape_.rank());
    Index at = 0;
    std::size_t axis = 0;
    ((at += strides_[axis++] * static_cast<Index>(indices)), ...);
    return data_[at];
  }

  BasicView transpose(int axis_a, int axis_b) const;
  BasicView slice(int axis, Index begin, Index end, Index step = 1) const;  // step ≥ 1
  BasicView select(int axis, Index index) const;                            // drops the axis
  BasicView insert_axis(int axis) const;                                    // adds an extent of 1

 private:
  T* data_;
  Shape shape_;
  Strides strides_;
};

using View = BasicView<float>;

class FOVEA_API ConstView : public BasicView<const float> {
 public:
  using BasicView<const float>::BasicView;
  ConstView(const BasicView<const float>& view) : BasicView<const float>(view) {}  // NOLINT
  ConstView(const View& view)                                                      // NOLINT
      : BasicView<const float>(view.data(), view.shape(), view.strides()) {}
};

// Owning, row-major, 64-byte aligned. Copies are deep; a moved-from tensor is empty().
class FOVEA_API Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const Shape& shape);  // zeros
  static Tensor uninitialized(const Shape& shape);
  static Tensor filled(const Shape& shape, float value);
  static Tensor from(const NestedList<float>& values);
  static Tensor copy_of(ConstView view);

  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;

  // True for Tensor() only: "was not requested". A tensor of shape [0, 4] is not empty().
  bool empty() const { return shape_.rank() == 0; }
  const Shape& shape() const { return shape_; }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }

  template <typename... I>
  float& operator()(I... indices) {
    return data_.get()[offset(indices...)];
  }
  template <typename... I>
  float operator()(I... indices) const {
    return data_.get()[offset(indices...)];
  }

  View view() & { return View(data(), shape_); }
  ConstView view() const& { return ConstView(data(), shape_); }
  // On a temporary: lives until the end of the full expression, as a function argument does.
  ConstView view() && { return ConstView(data(), shape_); }
  operator ConstView() const { return ConstView(data(), shape_); }  // NOLINT: implicit on purpose

  Tensor reshaped(const Shape& shape) &&;  // the same elements, moved
  Tensor reshaped(const Shape& shape) const&;

 private:
  struct Release {
    Release() : bytes(0) {}
    explicit Release(std::size_t size) : bytes(size) {}
    void operator()(float* data) const;
    std::size_t bytes;
  };

  template <typename... I>
  Index offset(I... indices) const {
    assert(static_cast<int>(sizeof...(I)) == shape_.rank());
    Index at = 0;
    int axis = 0;
    ((at = at * shape_[axis++] + static_cast<Index>(indices)), ...);
    return at;
  }

  Shape shape_;
  std::unique_ptr<float[], Release> data_;
};

extern template class BasicView<float>;
extern template class BasicView<const float>;

}  // namespace fovea
