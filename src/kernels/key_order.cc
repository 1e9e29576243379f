#include "kernels/key_order.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace fovea::kernels {

// What was measured (docs/performance_log.md), as shares of a plain read from memory:
// - Zen 3 (AMD, family 25, AVX2): streams 82 to 92 %, neighbouring keys 61 to 75 %.
// - Emerald Rapids (Intel, AVX-512): streams and neighbouring keys alike, 86 to 98 %.
// - Zen 5 (AMD, family 26, AVX-512): streams 70 to 80 %, the order of memory 88 to 97 %.
// Zen 4, of family 25 too, and processors without AVX-512 were not measured: streams, as before.
KeyOrder key_order_of(std::string_view vendor, unsigned family) {
  constexpr unsigned kZen5 = 26;
  return vendor == "AuthenticAMD" && family >= kZen5 ? KeyOrder::memory : KeyOrder::streams;
}

KeyOrder key_order() {
#ifdef __x86_64__
  static const KeyOrder order = [] {
    unsigned largest = 0, signature = 0, ebx = 0, ecx = 0, edx = 0;
    unsigned vendor[3] = {};
    if (__get_cpuid(0, &largest, &vendor[0], &vendor[2], &vendor[1]) == 0) return KeyOrder::streams;
    if (__get_cpuid(1, &signature, &ebx, &ecx, &edx) == 0) return KeyOrder::streams;
    // The second field counts on from the largest value of the first.
    const unsigned base = signature >> 8 & 0xf, extended = signature >> 20 & 0xff;
    return key_order_of({reinterpret_cast<const char*>(vendor), sizeof vendor},
                        base == 0xf ? base + extended : base);
  }();
  return order;
#else
  return KeyOrder::streams;
#endif
}

}  // namespace fovea::kernels
