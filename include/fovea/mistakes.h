// Common mistakes in computing attention, each as something that can be run: what a learner would get.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/language.h"
#include "fovea/matrix.h"
#include "fovea/shape.h"

namespace fovea {

// A mistake of the catalogue.
struct FOVEA_API Mistake {
  std::string id;  // "no_scaling"
  Text title;      // "The scores are not divided by √d_k."
  Text reason;     // why that is wrong, and what to do
};

FOVEA_API const std::vector<Mistake>& mistakes();
FOVEA_API const Mistake& mistake(std::string_view id);  // throws Error naming those there are

// What is to be computed, in double. Which of the matrices are there tells how:
//   scores [N, M]: the softmax of its rows
//   q [N, D], k [M, D], v [M, Dv]: attention, or linear attention
//   x [N, E] with w_q, w_k [E, H·D], w_v [E, H·Dv] (and w_o [H·Dv, any]): self-attention; a memory [M, E]
//   too: cross-attention
// With heads > 1 the columns of q, k and v are split in equal parts.
struct FOVEA_API Problem {
  Matrix scores = {};
  Matrix q = {}, k = {}, v = {};
  Matrix x = {}, memory = {}, w_q = {}, w_k = {}, w_v = {}, w_o = {};
  Index heads = 1;
  bool causal = false;
  std::vector<bool> real = {};  // [M], false: a pad; empty: there are none
  bool linear = false;          // linear attention with φ = ELU + 1
};

// Numbers with a shape: [N, M], or [H, N, M] for the weights of several heads.
struct FOVEA_API NumberArray {
  Shape shape = {};
  std::vector<double> values = {};
  bool empty() const { return values.empty(); }
};

struct FOVEA_API Solution {
  NumberArray output;
  NumberArray weights;  // empty where there are none: of a softmax, of linear attention
};

// The right answer. Throws Error if shapes do not fit.
FOVEA_API Solution solve(const Problem& problem);

// The answers of somebody who makes all these mistakes: a mistake can be made in several ways, and a row
// that sees nothing becomes NaN in one program and zeros in the next. Empty where the mistakes cannot be
// made: there is no mask, or the shapes do not allow it, so that a program would stop.
FOVEA_API std::vector<Solution> solve_wrongly(const Problem& problem,
                                              const std::vector<std::string>& mistakes);

}  // namespace fovea
