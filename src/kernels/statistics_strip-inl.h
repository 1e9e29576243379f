// A strip of queries as the statistics see it: its steps over the keys, and what is tracked on the way.
// Include inside foreach_target.
#if defined(FOVEA_KERNELS_STATISTICS_STRIP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
#undef FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
#else
#define FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/query_strip-inl.h"
#include "kernels/statistics.h"
#include "kernels/statistics_measures-inl.h"
#include "kernels/tile_sizes.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

struct StatisticsStrip {
  QueryStrip queries;
  float* q = nullptr;  // [D, W]
  // Per query: running maximum, Σ p, Σ p · log2 p, the factor of the normalisation, the own position,
  // Σ w · |j − own|.
  float *max = nullptr, *sum = nullptr, *log_sum = nullptr, *factor = nullptr, *own = nullptr,
        *distance = nullptr;
  float *cell_sum = nullptr, *cell_max = nullptr;  // [picture_columns, W]
  float* u = nullptr;                              // [W, C padded]
  bool u_is_finite = true, has_nan = false;
  std::vector<Index> best;        // [W]: the key of the maximum
  std::vector<float> top_scores;  // [W, top_k]
  std::vector<Index> top_keys;    // [W, top_k]
  std::vector<KeyStep> steps;     // of the visible keys
  Index keys_seen = 0;            // in all steps
};

// Are the keys of a list in fact neighbours?
inline bool AreNeighbours(const KeyStep& keys) {
  return keys.key(keys.count - 1) - keys.key(0) == keys.count - 1;
}

// steps and keys_seen from the mask. The visible keys: spans of neighbours, or for rows of many separate
// keys a list.
inline void ListSteps(const StatisticsProblem& p, const float* head_keys, StatisticsStrip& strip) {
  const Index m = p.keys();
  const RowVisibility& visible = strip.queries.visible();
  strip.steps.clear();
  strip.keys_seen = 0;
  const auto add = [&](Index first, Index count, const Index* gathered, bool full, Interval common) {
    KeyStep step{};
    step.rows = gathered == nullptr ? head_keys + first * p.k.stride(3) : head_keys;
    step.stride = p.k.stride(3);
    step.first = first;
    step.count = count;
    step.gathered = gathered;
    step.full = full;
    step.common = common;
    strip.steps.push_back(step);
    strip.keys_seen += count;
  };
  if (strip.queries.all_rows().scattered) {
    const std::vector<Index>& keys = visible.keys();
    for (Index begin = 0; begin < static_cast<Index>(keys.size()); begin += kKeyBlock) {
      const Index count = std::min(kKeyBlock, static_cast<Index>(keys.size()) - begin);
      add(keys[static_cast<std::size_t>(begin)], count, keys.data() + begin,
          visible.all_see(keys.data() + begin, count), {});
    }
    return;
  }
  const VisibleSpan all = m == 0 ? VisibleSpan{} : visible.span(0, m);
  for (Index begin = all.begin / kKeyBlock * kKeyBlock; begin < all.end; begin += kKeyBlock) {
    const VisibleSpan span = visible.span(begin, std::min(begin + kKeyBlock, m));
    if (span.begin < span.end) add(span.begin, span.end - span.begin, nullptr, span.full, span.common);
  }
}

// u [W, C padded] of the strip from the rows of one head.
inline void LoadProductRows(const StatisticsProblem& p, const Row& where, Index padded_columns,
                            StatisticsStrip& strip) {
  const ConstView& u = *p.u;
  const float* rows = ScoreProblem::start(u, where.batch, where.head);
  std::fill_n(strip.u, strip.queries.width() * padded_columns, 0.0f);
  strip.u_is_finite = true;
  for (Index r = 0; r < strip.queries.rows(); ++r) {
    const float* from = rows + strip.queries.row(r) * u.stride(3);
    for (Index c = 0; c < u.shape()[4]; ++c) {
      const float value = from[c * u.stride(4)];
      strip.u[r * padded_columns + c] = value;
      strip.u_is_finite &= std::isfinite(value);
    }
  }
}

// The first key with the new maximum, for the rows whose maximum grew.
inline void TrackMaximum(StatisticsStrip& strip, const KeyStep& keys, const float* new_max,
                         const float* tile) {
  const Index width = strip.queries.width();
  for (Index r = 0; r < strip.queries.rows(); ++r) {
    if (!(new_max[r] > strip.max[r])) continue;
    Index g = 0;
    while (g < keys.count && tile[g * width + r] != new_max[r]) ++g;
    strip.best[static_cast<std::size_t>(r)] = g < keys.count ? keys.key(g) : -1;
  }
}

// Puts each score above the smallest of the k into its place; of equal ones the earlier key stays first.
inline void TrackTop(StatisticsStrip& strip, Index k, const KeyStep& keys, const float* tile) {
  const Index width = strip.queries.width();
  float* least = strip.factor;  // free until the first pass is done
  for (Index r = 0; r < width; ++r) least[r] = strip.top_scores[static_cast<std::size_t>(r * k + k - 1)];
  for (Index g = 0; g < keys.count; ++g, tile += width) {
    if (!AnyGreater(tile, least, width)) continue;
    for (Index r = 0; r < strip.queries.rows(); ++r) {
      if (!(tile[r] > least[r])) continue;
      float* scores = strip.top_scores.data() + r * k;
      Index* top = strip.top_keys.data() + r * k;
      Index at = k - 1;
      for (; at > 0 && scores[at - 1] < tile[r]; --at) {
        scores[at] = scores[at - 1];
        top[at] = top[at - 1];
      }
      scores[at] = tile[r];
      top[at] = keys.key(g);
      least[r] = scores[k - 1];
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_STATISTICS_STRIP_INL_H_
