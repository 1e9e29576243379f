// What forward, backward and statistics over a ring have in common: the rows of this rank, and blocks of
// rows that go round.
#pragma once

#include <functional>
#include <vector>

#include "distributed/rank_group.h"
#include "fovea/distributed.h"
#include "fovea/score_part.h"

namespace fovea {

// Channels of transfers: blocks, and the sums that follow them.
inline constexpr int kBlocks = 1, kSums = 2;

// One range of rows of a tensor [.., rows, width]: where it stands in the whole, and in the tensor.
struct HeldRange {
  RowRange whole;
  Index first = 0;  // row of the tensor
};

// A ring of ranks around one sequence. Checked by its constructor, on all ranks together.
class Ring {
 public:
  // `op` is the name in messages. Shapes are those of this rank; v may be a view of k where there are none.
  Ring(const char* op, const Ranks& ranks, ConstView q, ConstView k, ConstView v,
       const RingExtents& extents, const AttentionOptions& options);

  int size() const { return ranks_.size(); }
  RankGroup& group() const { return ranks_.group(); }
  int next() const { return (ranks_.rank() + 1) % size(); }
  int before() const { return (ranks_.rank() + size() - 1) % size(); }
  // Whose block is here in a step.
  int origin(int step) const { return (ranks_.rank() + size() - step) % size(); }

  // Ranges with rows in them.
  std::vector<HeldRange> queries() const;
  std::vector<HeldRange> keys(int rank) const;
  Index key_rows(int rank) const;
  ScorePart part(const HeldRange& queries, const HeldRange& keys) const;

 private:
  std::vector<HeldRange> ranges(Index rows, int rank) const;

  const Ranks& ranks_;
  RingExtents extents_;
};

// Rows of `range` in x [.., rows, width].
ConstView rows_of(ConstView x, const HeldRange& range);

// `shape` with other rows (axis rank − 2).
Shape with_rows(const Shape& shape, Index rows);

// sum's rows from `first` on, along axis rank − 1 − axis_from_end, take in those of `part`.
void add_rows(Tensor& sum, Index first, const Tensor& part, int axis_from_end);

// Tensors that go round the ring, block by block: for each step, use(step, tensors) while the next ones are
// on their way. `own` are this rank's, contiguous.
void go_round(const Ring& ring, std::vector<Tensor> own,
              const std::function<void(int step, const std::vector<Tensor>& block)>& use);

// Sums that belong to the blocks and follow them: every rank adds its part of a block and hands the sum on,
// until it is back where the block belongs.
class TravellingSums {
 public:
  explicit TravellingSums(const Ring& ring) : ring_(ring) {}
  // This rank's part of the block of `step`; shapes_of(rank) tells the shapes of a block's sums.
  void add(int step, std::vector<Tensor> parts,
           const std::function<std::vector<Shape>(int rank)>& shapes_of);
  std::vector<Tensor> own();  // after the last step: complete

 private:
  const Ring& ring_;
  std::vector<Tensor> leaving_, arriving_;
  std::unique_ptr<Transfer> transfer_;
};

// The sum over all ranks, in their order and in double, on every rank; of a tensor that may be empty().
Tensor added_over_ranks(const Ranks& ranks, const Tensor& x);

}  // namespace fovea
