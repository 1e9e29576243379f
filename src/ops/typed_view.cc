#include "fovea/typed_view.h"

#include <algorithm>

#include "core/fail.h"
#include "core/half.h"
#include "core/parallel.h"
#include "kernels/convert.h"

namespace fovea {
namespace {

constexpr Index kPiece = 65536;  // elements per task

// Calls body(row, where row `row` of the last axis begins in the view) for all rows.
template <typename Body>
void for_each_row(const TypedView& view, const Body& body) {
  const Shape& shape = view.shape();
  const int last = shape.rank() - 1;
  const Index rows = shape[last] == 0 ? 0 : shape.elements() / shape[last];
  const Index rows_per_task = std::max<Index>(1, kPiece / std::max<Index>(1, shape[last]));
  parallel_for((rows + rows_per_task - 1) / rows_per_task, [&](Index task) {
    for (Index row = task * rows_per_task; row < std::min(rows, (task + 1) * rows_per_task); ++row) {
      Index at = 0, rest = row;
      for (int axis = last - 1; axis >= 0; --axis) {
        at += rest % shape[axis] * view.strides()[static_cast<std::size_t>(axis)];
        rest /= shape[axis];
      }
      body(row, at);
    }
  });
}

}  // namespace

TypedView TypedView::int8(const std::int8_t* data, const float* scales, const Shape& shape,
                          const Strides& strides) {
  const int last = shape.rank() - 1;
  if (last < 0) fail("[typed_view] a number of int8 has no row, and no scale");
  bool rows = shape[last] <= 1 || strides[static_cast<std::size_t>(last)] == 1;
  for (int axis = 0; axis < last && shape[last] > 0; ++axis) {
    rows = rows && (shape[axis] <= 1 || strides[static_cast<std::size_t>(axis)] % shape[last] == 0);
  }
  if (!rows) fail("[typed_view] the rows of {} int8 numbers do not lie side by side", shape.to_string());
  TypedView view(FloatType::int8, data, shape, strides);
  if (scales == nullptr) check_no_elements(shape);
  view.scales_ = scales;
  return view;
}

namespace {

// Rows of whole numbers times their scales.
Tensor from_int8(const TypedView& view) {
  Tensor result = Tensor::uninitialized(view.shape());
  const Index width = view.shape()[view.shape().rank() - 1];
  const auto* data = static_cast<const std::int8_t*>(view.data());
  for_each_row(view, [&](Index row, Index at) {
    const float scale = view.scales()[at / width];
    for (Index i = 0; i < width; ++i) {
      result.data()[row * width + i] = static_cast<float>(data[at + i]) * scale;
    }
  });
  return result;
}

}  // namespace

Tensor to_float32(const TypedView& view) {
  if (view.type() == FloatType::float32) {
    return Tensor::copy_of(ConstView(static_cast<const float*>(view.data()), view.shape(), view.strides()));
  }
  if (view.type() == FloatType::int8) return from_int8(view);
  const bool half = view.type() == FloatType::float16;
  const auto* bits = static_cast<const std::uint16_t*>(view.data());
  Tensor result = Tensor::uninitialized(view.shape());
  if (view.shape().rank() == 0) return result;
  const int last = view.shape().rank() - 1;
  const Index width = view.shape()[last], step = view.strides()[static_cast<std::size_t>(last)];
  for_each_row(view, [&](Index row, Index at) {
    float* to = result.data() + row * width;
    if (step == 1) {
      const auto convert = half ? kernels::float16_to_float32 : kernels::bfloat16_to_float32;
      return convert(bits + at, width, to);
    }
    for (Index i = 0; i < width; ++i) {
      to[i] = half ? half_to_float(bits[at + i * step]) : bfloat16_to_float(bits[at + i * step]);
    }
  });
  return result;
}

}  // namespace fovea
