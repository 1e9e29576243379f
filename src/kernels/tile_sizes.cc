#include "kernels/tile_sizes.h"

#include <unistd.h>

#include <algorithm>

#include "fovea/threads.h"

namespace fovea::kernels {

CacheSizes cache_sizes() {
  static const CacheSizes sizes = [] {
    CacheSizes found{32 << 10, 512 << 10};
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
    if (const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE); l1 > 0) found.l1 = l1;
    if (const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE); l2 > 0) found.l2 = l2;
#endif
    return found;
  }();
  return sizes;
}

Index strips_in_cache(Index width, Index strip_width) {
  const Index bytes_left = cache_sizes().l2 / 2 - kKeyBlock * (width + strip_width) * 4;
  return std::clamp<Index>(bytes_left / std::max<Index>(1, width * strip_width * 4), 2, 8);
}

Index strips_per_block(const AttentionProblem& problem, Index strip_width) {
  const Index strips = (problem.queries() + strip_width - 1) / strip_width * problem.heads();
  const Index sharing = std::max<Index>(2, strips / (8 * thread_count()));
  return std::min(strips_in_cache(problem.depth() + problem.value_width(), strip_width), sharing);
}

}  // namespace fovea::kernels
