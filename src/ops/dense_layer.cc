#include "ops/dense_layer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/fail.h"
#include "fovea/instruction_set.h"
#include "kernels/tile_unit.h"
#include "ops/observed_call.h"

namespace fovea {

Shape dense_shape(const Shape& x, const PackedWeights& weights) {
  if (x.rank() < 1 || x.back() != weights.inputs()) {
    fail("[linear] x is {}, expected [.., {}]", x.to_string(), weights.inputs());
  }
  std::vector<Index> extents;
  for (int axis = 0; axis + 1 < x.rank(); ++axis) extents.push_back(x[axis]);
  extents.push_back(weights.outputs());
  return Shape(extents);
}

namespace {

void check_instruction_set(const PackedWeights& weights) {
  if (kernels::can_multiply(weights)) return;
  fail("[linear] the weights were packed for narrower vectors: load the model again for {}",
       instruction_set());
}

void check_result(View out, const Shape& wanted) {
  if (out.shape() == wanted && out.is_contiguous()) return;
  fail("[linear] the result is {}, expected {}, contiguous", out.shape().to_string(), wanted.to_string());
}

// "bfloat16 AMX, ": what computes it, unless that is float32.
std::string precision_text(const PackedWeights& weights, Index rows) {
  if (weights.precision() == Precision::float32) return "";
  const kernels::TileUnit& unit = kernels::best_tile_unit();
  return fmt::format("bfloat16 {}, ", rows <= unit.few_rows ? "row by row" : unit.name);
}

// x [.., E] as contiguous rows.
void multiply(ConstView x, const PackedWeights& weights, const DenseOptions& options,
              const kernels::DenseResult& result) {
  check_instruction_set(weights);
  const Index rows = dense_shape(x.shape(), weights).elements() / std::max<Index>(1, weights.outputs());
  if (rows == 0 || weights.outputs() == 0) return;
  Tensor copy;
  if (!x.is_contiguous()) x = copy = Tensor::copy_of(x);
  const auto describe = [&] {
    return CallText{
        fmt::format("x {}, W [{}, {}]", x.shape().to_string(), weights.outputs(), weights.inputs()),
        fmt::format("{}packed: {} panels of {} outputs", precision_text(weights, rows), weights.panels(),
                    weights.panel_outputs())};
  };
  run_observed("dense_layer", describe, [&] {
    kernels::dense_layer({x.data(), rows, weights, options.bias, result, options.activation, options.end});
  });
}

}  // namespace

void dense_layer(ConstView x, const PackedWeights& weights, const DenseOptions& options, View out) {
  check_result(out, dense_shape(x.shape(), weights));
  multiply(x, weights, options, {out.data()});
}

void dense_heads(ConstView x, const PackedWeights& weights, const float* bias, Index head_width, View out) {
  const Shape wide = dense_shape(x.shape(), weights);
  if (wide.rank() != 3 || head_width < 1 || wide[2] % head_width != 0) {
    fail("[linear] {} outputs of x {} do not make heads of width {}", weights.outputs(),
         x.shape().to_string(), head_width);
  }
  check_result(out, {wide[0], wide[2] / head_width, wide[1], head_width});
  multiply(x, weights, {.bias = bias}, {out.data(), head_width, wide[1]});
}

}  // namespace fovea
