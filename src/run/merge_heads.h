// The heads of a layer as one: the one place that says how.
#pragma once

#include <vector>

#include "fovea/run.h"

namespace fovea {

// Row `row` of heads [H, rows, M], any strides, merged into out [M]. A mean is summed in double, head by
// head, and divided once; no heads give zeros.
void merge_row(ConstView heads, HeadMerge how, Index row, std::vector<double>& out);

// All rows, [rows, M], each number rounded once.
Tensor merge_heads(ConstView heads, HeadMerge how);

}  // namespace fovea
