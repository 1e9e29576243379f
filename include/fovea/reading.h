// Reading attention token by token: who looks at whom, in words and bars.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/explain.h"
#include "fovea/matrix.h"
#include "fovea/render.h"

namespace fovea {

// Weights [N, M] with the names of their rows and columns.
struct FOVEA_API Reading {
  Matrix weights;
  std::vector<std::string> tokens;              // N
  std::vector<std::string> memory_tokens = {};  // M; empty: the tokens themselves
};
FOVEA_API Reading reading_of(const Account& account, int head = 0);

// All throw Error if the names do not fit the weights, or a weight is NaN or negative.
// In token order, `0.4243 (42.4%)`, and the sum of each row, checked.
FOVEA_API std::string read_in_order(const Reading&, const RenderOptions& = {});
// Falling, 3 decimals, with a bar of int(40·w) █.
FOVEA_API std::string read_sorted(const Reading&, const RenderOptions& = {});
// The first three marked 🎯 👀 📌, 4 decimals and percent, then a legend.
FOVEA_API std::string read_top(const Reading&, const RenderOptions& = {});

// The same sentence through several heads, side by side: a table of all weights, and what each head looks
// at most. All heads have the shape of the first.
FOVEA_API std::string compare_heads(const std::vector<Matrix>& heads,
                                    const std::vector<std::string>& tokens,
                                    const std::vector<std::string>& memory_tokens = {},
                                    const RenderOptions& = {});
FOVEA_API std::string compare_heads(const Account& account, const RenderOptions& = {});

}  // namespace fovea
