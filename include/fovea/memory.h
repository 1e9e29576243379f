// Memory of tensors that are gone, kept for those to come.
#pragma once

#include <cstddef>

#include "fovea/api.h"

namespace fovea {

// Pages that a program touches for the first time are cleared by the system, which can take longer than
// what is computed in them. Therefore blocks from 128 KiB on are kept when their tensor goes, the newest
// ones up to a limit, and used again. All of these may be called from any thread.
FOVEA_API std::size_t spare_memory();   // bytes that are kept now
FOVEA_API void release_spare_memory();  // gives all of it back to the system

// The limit, in bytes: a 64th of the machine's memory, 256 MiB at the most, unless set; 0 keeps nothing.
// Under AddressSanitizer it is 0 unless set: memory that is gone must be gone for it to see mistakes.
FOVEA_API std::size_t spare_memory_limit();
FOVEA_API void set_spare_memory_limit(std::size_t bytes);

}  // namespace fovea
