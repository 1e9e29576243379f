// Keys or values of one head as rows of float32, whatever they are stored as. Include inside
// foreach_target.
#if defined(FOVEA_KERNELS_KEY_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_KEY_ROWS_INL_H_
#undef FOVEA_KERNELS_KEY_ROWS_INL_H_
#else
#define FOVEA_KERNELS_KEY_ROWS_INL_H_
#endif

#include <algorithm>

#include "kernels/attention.h"
#include "kernels/register_tile-inl.h"
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

struct FloatRows {
  const float* data;
  Index stride;
};

// Rows of k or v of the head at work.
struct KeyRows {
  // From `begin` on: where they are, or widened.
  FloatRows Neighbours(Index begin, Index count) const {
    const Index stride = view.stride(3), width = view.shape()[4];
    if (is_float()) return {row(begin), stride};
    WidenRows(stored, offset, stride, begin, nullptr, count, width, room);
    return {room, width};
  }

  // Those with these numbers, side by side.
  FloatRows Gathered(const Index* numbers, Index count) const {
    const Index stride = view.stride(3), width = view.shape()[4];
    if (numbers[count - 1] - numbers[0] == count - 1) return Neighbours(numbers[0], count);
    if (!is_float()) {
      WidenRows(stored, offset, stride, 0, numbers, count, width, room);
    } else {
      for (Index g = 0; g < count; ++g) std::copy_n(row(numbers[g]), width, room + g * width);
    }
    return {room, width};
  }

  // Of any head. Rows to be widened are read in one go, which processors follow by themselves.
  void Fetch(Index head_offset, Index begin, Index count, FetchAhead& ahead) const {
    if (!is_float()) return;
    const Index stride = view.stride(3);
    ahead.Add(view.data() + head_offset + begin * stride, stride, count, view.shape()[4]);
  }

  bool is_float() const { return stored.type == FloatType::float32; }
  const float* row(Index r) const { return view.data() + offset + r * view.stride(3); }

  const ConstView& view;
  const StoredRows& stored;
  Index offset = 0;       // of the head, in elements
  float* room = nullptr;  // [kKeyBlock, width], for rows that are widened or copied
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_KEY_ROWS_INL_H_
