// Views of float32, float16, bfloat16 or int8 memory, as models and caches store it.
#pragma once

#include <cstdint>

#include "fovea/api.h"
#include "fovea/float_type.h"
#include "fovea/tensor.h"

namespace fovea {

// Foreign memory, no copy; it must outlive the view, and may be null only where there are no elements.
// `strides` in elements. Converts from a ConstView, so that types can be mixed.
class FOVEA_API TypedView {
 public:
  TypedView(const ConstView& view)  // NOLINT: implicit on purpose
      : TypedView(FloatType::float32, view.data(), view.shape(), view.strides()) {}
  static TypedView float16(const std::uint16_t* bits, const Shape& shape, const Strides& strides) {
    return {FloatType::float16, bits, shape, strides};
  }
  static TypedView float16(const std::uint16_t* bits, const Shape& shape) {
    return float16(bits, shape, row_major_strides(shape));
  }
  static TypedView bfloat16(const std::uint16_t* bits, const Shape& shape, const Strides& strides) {
    return {FloatType::bfloat16, bits, shape, strides};
  }
  static TypedView bfloat16(const std::uint16_t* bits, const Shape& shape) {
    return bfloat16(bits, shape, row_major_strides(shape));
  }

  // The row of the last axis that begins at element e is data[e ..] · scales[e / its length]: rows lie side
  // by side, in any order. Throws Error for strides that say otherwise.
  static TypedView int8(const std::int8_t* data, const float* scales, const Shape& shape,
                        const Strides& strides);
  static TypedView int8(const std::int8_t* data, const float* scales, const Shape& shape) {
    return int8(data, scales, shape, row_major_strides(shape));
  }

  FloatType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  const void* data() const { return data_; }
  const float* scales() const { return scales_; }  // of int8, else null

 private:
  TypedView(FloatType type, const void* data, const Shape& shape, const Strides& strides)
      : type_(type), data_(data), shape_(shape), strides_(strides) {
    if (data == nullptr) check_no_elements(shape);
  }

  FloatType type_;
  const void* data_;
  const float* scales_ = nullptr;
  Shape shape_;
  Strides strides_;
};

// The elements as float32 in a row-major tensor: exactly; of int8, rounded once after the product.
FOVEA_API Tensor to_float32(const TypedView& view);

}  // namespace fovea
