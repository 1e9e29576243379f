#include "kernels/attention_backward_plan.h"

#include <algorithm>

namespace fovea::kernels {
namespace {

constexpr Index kPieces = 24;       // wanted at least, to keep many threads busy to the end
constexpr Index kFewestKeys = 256;  // in a piece: each one loads all the queries again
constexpr Index kIndependent = 8;   // so many heads are worked on before the next range of their keys

Index divide_up(Index a, Index b) { return (a + b - 1) / b; }

}  // namespace

BackwardPlan::BackwardPlan(const AttentionBackwardProblem& problem, Index most_rows, Index lanes)
    : batch(problem.q.shape()[0] * problem.q.shape()[1]),
      heads(problem.q.shape()[2]),
      key_heads(problem.k.shape()[2]),
      group(key_heads == 0 ? 0 : heads / key_heads),
      n(problem.q.shape()[3]),
      m(problem.k.shape()[3]),
      depth(problem.q.shape()[4]),
      value_width(problem.v.shape()[4]),
      blocks(divide_up(n, most_rows)),
      block_rows(blocks == 0 ? 0 : divide_up(divide_up(n, blocks), lanes) * lanes),
      batch_classes(batch),
      head_classes(key_heads),
      splits(1) {
  const BiasNode* bias = problem.bias;
  if (bias != nullptr && bias->is_relative()) {  // few sums to keep, but enough pieces
    batch_classes =
        std::clamp<Index>(divide_up(kPieces, std::max<Index>(key_heads, 1)), 1, std::max<Index>(batch, 1));
  } else if (bias != nullptr) {
    batch_classes = std::max<Index>(bias->batch(), 1);
    if (bias->heads() == 1) head_classes = 1;
  }
  if (bias == nullptr || bias->is_relative() || bias->depends_on_key()) {
    const Index wanted = divide_up(kPieces, std::max<Index>(batch_classes * head_classes, 1));
    splits = std::clamp<Index>(wanted, 1, std::max<Index>(m / kFewestKeys, 1));
  }
  split_keys = divide_up(divide_up(m, splits), kBackwardKeyBlock) * kBackwardKeyBlock;
  if (m > 0) splits = divide_up(m, split_keys);
  buffers = splits > 1 && batch_classes * head_classes < kIndependent ? 2 : 1;
}

BackwardShared::BackwardShared(const AttentionBackwardProblem& p, Index most_rows, Index lanes)
    : problem(p),
      plan(p, most_rows, lanes),
      bias_strips(p),
      rows(Tensor::uninitialized({3, plan.batch * plan.heads, plan.n})),
      turns(plan.splits > 1 ? plan.batch * plan.heads * plan.blocks * plan.buffers : 0) {
  if (plan.buffers > 1) second_dq = Tensor::uninitialized({plan.batch * plan.heads, plan.n, plan.depth});
  if (p.bias == nullptr || !p.bias->is_relative()) return;
  table_rows = p.bias->data_shape().elements() / p.bias->heads();
  table_sums.assign(static_cast<std::size_t>(plan.pieces() * plan.group * table_rows), 0.0);
}

}  // namespace fovea::kernels
