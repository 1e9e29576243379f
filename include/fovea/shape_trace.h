// The shapes along an attention, recorded from a computation that really ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/language.h"
#include "fovea/render.h"
#include "fovea/shape.h"

namespace fovea {

struct FOVEA_API ShapeTraceOptions {
  Index batch = 2;          // B
  Index length = 10;        // N
  Index width = 512;        // E
  Index heads = 1;          // H > 1: the split [B, H, N, d_k] is shown; must divide E
  Index memory = 0;         // M > 0: cross-attention over a memory [B, M, E]
  std::uint64_t seed = 42;  // of the inputs
};

struct FOVEA_API ShapeStep {
  std::string name;  // "X", "Q", "scores", ..
  std::string formula;
  Shape shape;  // of the tensor that was there
  Text sentence;
};

struct FOVEA_API ShapeTrace {
  ShapeTraceOptions options;
  std::vector<ShapeStep> steps;
};

// Throws Error for extents < 1, or a width that the heads do not divide.
FOVEA_API ShapeTrace trace_shapes(const ShapeTraceOptions& = {});

FOVEA_API std::string to_terminal(const ShapeTrace&, const RenderOptions& = {});
FOVEA_API std::string to_json(const ShapeTrace&);

}  // namespace fovea
