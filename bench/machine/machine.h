// The machine this runs on.
#pragma once

#include "benchmark.h"

namespace fovea::bench {

Machine describe_machine();    // without the measured figures
Index cache_bytes(int level);  // of the data cache; 0: unknown
double available_memory();     // bytes; a large number if the system does not tell

}  // namespace fovea::bench
