#include "ops/large_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fovea/typed_view.h"

namespace fovea {
namespace {

// The values as float32; `own` keeps those that are stored in another type.
ConstView float_values(const kernels::AttentionProblem& p, Tensor& own) {
  const kernels::StoredRows& stored = p.stored_v;
  const auto* bits = static_cast<const std::uint16_t*>(stored.data);
  const Shape& shape = p.v.shape();
  const Strides& strides = p.v.strides();
  switch (stored.type) {
    case FloatType::float32:
      return p.v;
    case FloatType::float16:
      own = to_float32(TypedView::float16(bits, shape, strides));
      break;
    case FloatType::bfloat16:
      own = to_float32(TypedView::bfloat16(bits, shape, strides));
      break;
    case FloatType::int8:
      own = to_float32(
          TypedView::int8(static_cast<const std::int8_t*>(stored.data), stored.scales, shape, strides));
  }
  return own;
}

}  // namespace

bool has_large_values(const ConstView& v) {
  const Shape& shape = v.shape();
  if (shape.rank() == 0) return false;
  if (shape.rank() > 1) {
    for (Index i = 0; i < shape[0]; ++i) {
      if (has_large_values(v.select(0, i))) return true;
    }
    return false;
  }
  for (Index i = 0; i < shape[0]; ++i) {
    const float size = std::abs(v(i));
    if (size > kValueGrow && std::isfinite(size)) return true;
  }
  return false;
}

Tensor shrunk_values(const ConstView& v) {
  Tensor values = Tensor::copy_of(v);
  for (Index i = 0; i < v.shape().elements(); ++i) values.data()[i] *= kValueShrink;
  return values;
}

void take_where_not_finite(const float* again, Index count, float* out) {
  for (Index i = 0; i < count; ++i) {
    if (!std::isfinite(out[i])) out[i] = again[i] * kValueGrow;
  }
}

void attention_of_any_values(const kernels::AttentionProblem& problem) {
  if (kernels::attention_forward(problem)) return;
  Tensor own;
  const ConstView v = float_values(problem, own);
  if (!has_large_values(v)) return;
  const Tensor values = shrunk_values(v);
  const Index n = problem.queries(), width = problem.value_width();
  Tensor output = Tensor::uninitialized({problem.heads(), n, width});
  kernels::AttentionProblem again = problem;
  again.v = values;
  again.stored_v = {};
  again.output = output.data();
  again.output_batch_stride = problem.q.shape()[2] * n * width;
  again.output_head_stride = n * width;
  again.output_row_stride = width;
  again.weights = again.logsumexp = nullptr;
  again.tiles = nullptr;
  kernels::attention_forward(again);
  for (Index head = 0; head < problem.heads(); ++head) {
    for (Index i = 0; i < n; ++i) {
      take_where_not_finite(output.data() + (head * n + i) * width, width, problem.output_row(head, i));
    }
  }
}

}  // namespace fovea
