// How much memory a call takes.
#pragma once

#include <functional>
#include <optional>

namespace fovea::bench {

// Peak of the resident memory during the call, over what was there before it, in bytes; memory that earlier
// calls freed is given back to the system first. Nothing where the system does not tell (Linux tells).
std::optional<double> extra_memory_of(const std::function<void()>& call);

}  // namespace fovea::bench
