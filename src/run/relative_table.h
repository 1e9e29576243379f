// A bias by relative position as a plain table.
#pragma once

#include "fovea/api.h"
#include "fovea/bias.h"

namespace fovea {
inline namespace internal {

// What Bias::relative makes the same bias of, for calls of at most `tokens` queries and keys: [2·tokens−1,
// H]. Empty for a bias that is not by relative position alone, and for none.
FOVEA_PRIVATE_API Tensor relative_table(const Bias& bias, Index heads, Index tokens);

}  // namespace internal
}  // namespace fovea
