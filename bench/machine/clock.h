// The clock of a core, measured: virtual machines hide it, and what they tell is often the nominal one.
#pragma once

namespace fovea::bench {

// GHz while so many threads run, the best of some runs. Code with wide vectors may run at a lower clock.
double clock_gigahertz(int threads, int runs);

}  // namespace fovea::bench
