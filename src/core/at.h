// Sizes are signed, those of the standard library are not.
#pragma once

#include <cstddef>

#include "fovea/shape.h"

namespace fovea {
inline namespace internal {

constexpr std::size_t at(Index index) { return static_cast<std::size_t>(index); }

}  // namespace internal
}  // namespace fovea
