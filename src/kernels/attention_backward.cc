// Backward attention: one pass over the rows, one over the pieces of keys, and the sums of what they left.
#include "kernels/attention_backward.h"

#include <algorithm>
#include <atomic>

#include "core/parallel.h"
#include "fovea/threads.h"
#include "kernels/attention_backward_plan.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_backward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/attention_backward_piece-inl.h"
#include "kernels/attention_backward_rows-inl.h"
#include "kernels/attention_backward_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

Index BackwardLanes() { return static_cast<Index>(hn::Lanes(Floats())); }

Index BackwardBlockSize() { return BackwardBlockRows(); }

void RunBackwardRows(BackwardShared& shared, Index head_index, Index first, Index count) {
  BackwardRows(shared, head_index).Run(first, count);
}

// Takes the next piece until none is left. In the order of their numbers: a range of keys waits for those
// before it.
void RunBackwardPieces(BackwardShared& shared, std::atomic<Index>& next) {
  BackwardPiece worker(shared);
  for (Index piece = next++; piece < shared.plan.pieces(); piece = next++) worker.Run(piece);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(BackwardLanes);
HWY_EXPORT(BackwardBlockSize);
HWY_EXPORT(RunBackwardRows);
HWY_EXPORT(RunBackwardPieces);

constexpr Index kRowsAtOnce = 1024;  // of the passes over rows

void run_rows(BackwardShared& shared) {
  const Index n = shared.plan.n, chunks = (n + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for(shared.plan.batch * shared.plan.heads * chunks, [&](Index item) {
    const Index first = item % chunks * kRowsAtOnce;
    HWY_DYNAMIC_DISPATCH(RunBackwardRows)(shared, item / chunks, first, std::min(kRowsAtOnce, n - first));
  });
}

void run_pieces(BackwardShared& shared) {
  std::atomic<Index> next{0};
  parallel_for(std::min<Index>(shared.plan.pieces(), thread_count()), [&](Index) {
    try {
      HWY_DYNAMIC_DISPATCH(RunBackwardPieces)(shared, next);
    } catch (...) {
      shared.turns.fail();
      throw;
    }
  });
}

void add_second_dq(BackwardShared& shared) {
  const BackwardPlan& plan = shared.plan;
  const View& dq = shared.problem.dq;
  const Index chunks = (plan.n + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for(plan.batch * plan.heads * chunks, [&](Index item) {
    const Index head = item / chunks, first = item % chunks * kRowsAtOnce;
    float* to = ScoreProblem::start(dq, head / plan.heads, head % plan.heads);
    for (Index i = first; i < std::min(first + kRowsAtOnce, plan.n); ++i) {
      const float* from = shared.second_dq.data() + (head * plan.n + i) * plan.depth;
      for (Index c = 0; c < plan.depth; ++c) to[i * dq.stride(3) + c] += from[c];
    }
  });
}

// dbias [rows, H or 1]: the sums of all pieces, in order.
void add_table_sums(const BackwardShared& shared) {
  const BackwardPlan& plan = shared.plan;
  const Index columns = shared.problem.bias->heads();
  std::vector<double> total(static_cast<std::size_t>(shared.table_rows * columns), 0.0);
  auto sum = shared.table_sums.begin();
  for (Index piece = 0; piece < plan.pieces(); ++piece) {
    for (Index g = 0; g < plan.group; ++g) {
      const Index head = columns == 1 ? 0 : piece % plan.head_classes * plan.group + g;
      for (Index row = 0; row < shared.table_rows; ++row) {
        total[static_cast<std::size_t>(row * columns + head)] += *sum++;
      }
    }
  }
  std::transform(total.begin(), total.end(), shared.problem.dbias,
                 [](double x) { return static_cast<float>(x); });
}

}  // namespace

void attention_backward(const AttentionBackwardProblem& problem) {
  apply_forced_instruction_set();
  BackwardShared shared(problem, HWY_DYNAMIC_DISPATCH(BackwardBlockSize)(),
                        HWY_DYNAMIC_DISPATCH(BackwardLanes)());
  if (problem.bias != nullptr && !problem.bias->is_relative()) {
    std::fill_n(problem.dbias, problem.bias->data_shape().elements(), 0.0f);
  }
  run_rows(shared);
  run_pieces(shared);
  if (shared.plan.buffers > 1) add_second_dq(shared);
  if (problem.bias != nullptr && problem.bias->is_relative()) add_table_sums(shared);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
