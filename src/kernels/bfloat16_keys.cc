#include "kernels/bfloat16_keys.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/instruction_set.h"
#include "kernels/stored.h"

#ifndef FOVEA_KERNELS_KEY_BLOCK_PART
#define FOVEA_KERNELS_KEY_BLOCK_PART
namespace fovea::kernels {

// Up to 32 rows of k or v, [count, width].
struct KeyBlockPart {
  StoredRows stored;
  const void* data;  // as stored.type says
  Index offset;      // of the first row, in elements from `data`
  Index stride, count, width;
};

}  // namespace fovea::kernels
#endif  // FOVEA_KERNELS_KEY_BLOCK_PART

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bfloat16_keys.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/bfloat16-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// rows [32, width rounded up] = the part as float32, and zeros.
inline void FloatRows(const KeyBlockPart& part, Index row_width, float* HWY_RESTRICT rows) {
  std::fill_n(rows, kTileBlock * row_width, 0.0f);
  with_stored_type(part.stored.type, [&](const auto* type) HWY_ATTR {
    const auto* from = static_cast<decltype(type)>(part.data) + part.offset;
    for (Index r = 0; r < part.count; ++r, from += part.stride) {
      const Index number = (part.offset + r * part.stride) / std::max<Index>(1, part.width);
      const float scale = part.stored.scales == nullptr ? 1.0f : part.stored.scales[number];
      for (Index i = 0; i < part.width; ++i) rows[r * row_width + i] = widened(from[i]) * scale;
    }
  });
}

// to [32, width rounded up]
void PackKeyRows(const KeyBlockPart& part, float* scratch, std::uint16_t* to) {
  const Index width = whole_tiles(part.width);
  FloatRows(part, width, scratch);
  RoundRow(scratch, kTileBlock * width, to);
}

// to [width rounded up, 32]; false if a value is not finite.
bool PackValueRows(const KeyBlockPart& part, float* scratch, std::uint16_t* to) {
  const Index width = whole_tiles(part.width);
  FloatRows(part, width, scratch);
  float* turned = scratch + kTileBlock * width;
  std::fill_n(turned, kTileBlock * width, 0.0f);
  TransposeIn(scratch, width, part.count, width, 1.0f, turned, kTileBlock);
  return RoundRow(turned, kTileBlock * width, to);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(PackKeyRows);
HWY_EXPORT(PackValueRows);

namespace {

constexpr Index kBlocksPerTask = 8;  // 256 keys

KeyBlockPart part_of(const ConstView& view, const StoredRows& stored, Index key_head, Index block) {
  const Index first = block * kTileBlock, stride = view.stride(3);
  return {stored,
          stored.at(view),
          ScoreProblem::offset(view, key_head) + first * stride,
          stride,
          std::min(kTileBlock, view.shape()[3] - first),
          view.shape()[4]};
}

}  // namespace

Bfloat16Keys::Bfloat16Keys(const AttentionProblem& problem)
    : keys_(whole_tiles(problem.keys())),
      depth_(whole_tiles(problem.depth())),
      value_width_(whole_tiles(problem.value_width())) {
  apply_forced_instruction_set();
  const Shape& shape = problem.k.shape();
  const Index key_heads = shape[0] * shape[1] * shape[2];
  memory_ = Tensor::uninitialized({key_heads * keys_ * (depth_ + value_width_) / 2});
  k_ = reinterpret_cast<std::uint16_t*>(memory_.data());
  v_ = k_ + key_heads * keys_ * depth_;
  finite_.resize(static_cast<std::size_t>(key_heads * blocks()));
  const Index tasks_per_head = (blocks() + kBlocksPerTask - 1) / kBlocksPerTask;
  parallel_for(key_heads * tasks_per_head, [&](Index task) {
    const Index key_head = task / tasks_per_head, first = task % tasks_per_head * kBlocksPerTask;
    Tensor scratch = Tensor::uninitialized({2 * kTileBlock * std::max(depth_, value_width_)});
    for (Index block = first; block < std::min(blocks(), first + kBlocksPerTask); ++block) {
      const Index at = key_head * blocks() + block;
      HWY_DYNAMIC_DISPATCH(PackKeyRows)
      (part_of(problem.k, problem.stored_k, key_head, block), scratch.data(),
       k_ + at * kTileBlock * depth_);
      finite_[static_cast<std::size_t>(at)] =
          HWY_DYNAMIC_DISPATCH(PackValueRows)(part_of(problem.v, problem.stored_v, key_head, block),
                                              scratch.data(), v_ + at * kTileBlock * value_width_);
    }
  });
}

TileRows Bfloat16Keys::keys(Index key_head, Index begin) const {
  return {k_ + (key_head * keys_ + begin) * depth_, depth_, kTileBlock};
}

TileRows Bfloat16Keys::values(Index key_head, Index begin) const {
  return {v_ + (key_head * keys_ + begin) * value_width_, kTileBlock, kTileBlock * value_width_};
}

bool Bfloat16Keys::finite(Index key_head, Index begin, Index end) const {
  const auto first = finite_.begin() + key_head * blocks();
  return std::all_of(first + begin / kTileBlock, first + (end + kTileBlock - 1) / kTileBlock,
                     [](std::uint8_t finite) { return finite != 0; });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
