// Dense layers with bfloat16 factors and float32 sums: the plain face of the SIMD code.
//
// Inputs are rounded to bfloat16, to nearest, ties to even, as the weights were when they were packed.
// Products of the two are exact in float32, and their sums run in float32; bias, activation and the rest
// stay float32. Against double arithmetic on the rounded inputs and weights, a sum is off by at most
// (E + 4) · 2⁻²⁴ · Σ |x w|. Relative L2 error of a layer's output for N(0, 1) inputs and weights, up to
// 4,096 inputs, against the same in float32: at most 3e-3.
#pragma once

#include "kernels/dense_layer.h"
#include "kernels/tile_unit.h"

namespace fovea::kernels {

// Weights of Precision::bfloat16. A few rows (TileUnit::few_rows) take products of vectors, with the
// weights widened in registers; more take the unit's tiles, in pieces of 128 rows and 32 outputs. Sums run
// in blocks of 512 inputs. The bits depend on the unit and on the instruction set, not on the number of
// threads; those of the portable unit not on the number of rows either. Allocates the rounded inputs and
// some 160 KiB per thread at work.
void bfloat16_dense_layer(const DenseProblem& problem, const TileUnit& unit);

}  // namespace fovea::kernels
