// The first pass of backward: three numbers per query. Include inside foreach_target.
#if defined(FOVEA_KERNELS_ATTENTION_BACKWARD_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BACKWARD_ROWS_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BACKWARD_ROWS_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BACKWARD_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <vector>

#include "kernels/attention_backward_plan.h"
#include "kernels/attention_backward_strip-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// A weight is 2^((score − anchor) − shift), all in units of log2; ordinary rows have anchor 0 and the
// log-sum-exp as shift. float32 holds a log-sum-exp of 1e9 to ±32 only: rows of padding, pushed away by
// −1e9 everywhere, would get weights off by e^32. Beyond this bound (where weights err by 256 · 2⁻²⁵)
// maximum and sum are computed again and stay apart.
constexpr float kLargestPlainLogSumExp = 256;

class BackwardRows {
 public:
  BackwardRows(BackwardShared& shared, Index head_index)
      : shared_(shared), p_(shared.problem), head_(p_, head_index) {}

  // Rows first .. + count of the head. delta = Σ doutput · output, which is also Σ_j weight · dweight: what
  // the softmax's gradient subtracts.
  void Run(Index first, Index count) {
    const Index value_width = shared_.plan.value_width;
    const float* output = ScoreProblem::start(p_.output, head_.row.batch, head_.row.head);
    for (Index i = first; i < first + count; ++i) {
      const Index at = head_.index * head_.row.n + i;
      const float* dout = head_.dout + i * p_.doutput.stride(3);
      const float* out = output + i * p_.output.stride(3);
      double delta = 0;
      for (Index c = 0; c < value_width; ++c) {
        delta += static_cast<double>(dout[c * p_.doutput.stride(4)]) * static_cast<double>(out[c]);
      }
      const float lse = p_.logsumexp[at];
      shared_.delta()[at] = static_cast<float>(delta);
      shared_.anchor()[at] = 0;
      // A row that sees nothing, or only −inf, has no weights: 2^(score − inf) = 0.
      shared_.shift()[at] = lse == -kInfinity ? kInfinity : lse * kLog2E;
    }
    const Index width = kStripVectors * static_cast<Index>(hn::Lanes(Floats()));
    for (Index i = first; i < first + count; i += width) {
      if (IsFarAway(i, std::min(width, first + count - i)))
        Recompute(i, std::min(width, first + count - i));
    }
  }

 private:
  bool IsFarAway(Index first, Index count) const {
    const float* lse = p_.logsumexp + head_.index * head_.row.n + first;
    return std::any_of(lse, lse + count,
                       [](float x) { return std::isfinite(x) && std::abs(x) > kLargestPlainLogSumExp; });
  }

  // Maximum and sum of the far-away rows of a strip, one key after the other: rare.
  void Recompute(Index first, Index count) {
    const Index lanes = static_cast<Index>(hn::Lanes(Floats())), depth = shared_.plan.depth;
    BackwardStrip strip;
    strip.first_row = first, strip.rows = count;
    strip.vectors = static_cast<int>((count + lanes - 1) / lanes);
    const Index width = strip.width = strip.vectors * lanes;
    Tensor memory = Tensor::uninitialized({(depth + 3 * kBackwardKeyBlock) * width});
    float* tile = memory.data() + depth * width;
    strip.q = memory.data();
    BackwardLoadStrip(head_.q + first * p_.q.stride(3), p_.q.stride(3), p_.q.stride(4), count, depth, 1.0f,
                      width, strip.q);
    Row row = head_.row;
    row.query = first;
    strip.visible.load(p_.mask, row, count);
    const BackwardScores scores(p_, shared_.bias_strips, tile + kBackwardKeyBlock * width);
    std::vector<double> max(static_cast<std::size_t>(count), -kInfinity), sum(max.size(), 0.0);
    for (Index begin = 0; begin < row.m; begin += kBackwardKeyBlock) {
      const VisibleSpan span = strip.visible.span(begin, std::min(begin + kBackwardKeyBlock, row.m));
      if (span.begin == span.end) continue;
      scores.Compute(head_, strip, span.begin, span.end, width, tile, nullptr, nullptr);
      strip.visible.fill_hidden(span.begin, span.end, width, -kInfinity, tile);
      for (std::size_t r = 0; r < max.size(); ++r) {
        for (Index j = 0; j < span.end - span.begin; ++j) {
          const auto score = static_cast<double>(tile[j * width + static_cast<Index>(r)]);
          if (score > max[r]) sum[r] *= std::exp2(max[r] - score), max[r] = score;
          if (max[r] > -kInfinity) sum[r] += std::exp2(score - max[r]);
        }
      }
    }
    for (std::size_t r = 0; r < max.size(); ++r) {
      const Index at = head_.index * head_.row.n + first + static_cast<Index>(r);
      if (!IsFarAway(first + static_cast<Index>(r), 1)) continue;
      if (sum[r] == 0) {  // these keys are a part of the row's, and it sees none of them
        shared_.shift()[at] = kInfinity;
        continue;
      }
      // A log-sum-exp that is not of these keys, within its rounding, is that of all keys: the row's
      // weights here are a share of them.
      const double given = static_cast<double>(p_.logsumexp[at]) * static_cast<double>(kLog2E);
      const double own = std::log2(sum[r]), rounding = std::abs(given) / (1 << 22);
      shared_.anchor()[at] = static_cast<float>(max[r]);
      shared_.shift()[at] =
          static_cast<float>(std::abs(max[r] + own - given) <= rounding ? own : given - max[r]);
    }
  }

  BackwardShared& shared_;
  const AttentionBackwardProblem& p_;
  BackwardHead head_;
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BACKWARD_ROWS_INL_H_
