// What the program has allocated. Defined by the tests of memory, which replace operator new.
#pragma once

namespace fovea::testing {

// Starts a measurement, and tells the most that was allocated at one time since then, in bytes.
void start_counting_memory();
long long most_memory_since_start();

}  // namespace fovea::testing
