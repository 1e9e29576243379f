// In which order decoding reads keys and values from memory: what is fastest depends on the processor.
#pragma once

#include <string_view>

namespace fovea::kernels {

enum class KeyOrder {
  streams,  // from several places at once, each from front to back
  memory    // as they lie there
};

// Of the processor that runs this; asked once.
KeyOrder key_order();

// Of one with this vendor and family, as CPUID gives them.
KeyOrder key_order_of(std::string_view vendor, unsigned family);

}  // namespace fovea::kernels
