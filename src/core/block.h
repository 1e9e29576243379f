// The memory of one tensor.
#pragma once

#include <cstddef>

namespace fovea {

struct Block {
  float* data = nullptr;
  std::size_t bytes = 0;
};

// At least so many bytes, aligned to 64, not cleared: spare memory where there is some, see fovea/memory.h.
// Throws std::bad_alloc.
Block take_block(std::size_t bytes);
void give_back(const Block& block) noexcept;

}  // namespace fovea
