#include "kernels/column_sums.h"

#include <algorithm>

#include "core/parallel.h"
#include "fovea/tensor.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/column_sums.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// out = Σ, or += Σ; four vectors of columns at a time stay in registers.
void SumColumns(const float* HWY_RESTRICT x, Index rows, Index width, Index stride, bool add,
                float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index c = 0;
  for (; c + 4 * lanes <= width; c += 4 * lanes) {
    auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
    for (Index r = 0; r < rows; ++r) {
      const float* row = x + r * stride + c;
      s0 = hn::Add(s0, hn::LoadU(d, row));
      s1 = hn::Add(s1, hn::LoadU(d, row + lanes));
      s2 = hn::Add(s2, hn::LoadU(d, row + 2 * lanes));
      s3 = hn::Add(s3, hn::LoadU(d, row + 3 * lanes));
    }
    if (add) {
      s0 = hn::Add(s0, hn::LoadU(d, out + c));
      s1 = hn::Add(s1, hn::LoadU(d, out + c + lanes));
      s2 = hn::Add(s2, hn::LoadU(d, out + c + 2 * lanes));
      s3 = hn::Add(s3, hn::LoadU(d, out + c + 3 * lanes));
    }
    hn::StoreU(s0, d, out + c);
    hn::StoreU(s1, d, out + c + lanes);
    hn::StoreU(s2, d, out + c + 2 * lanes);
    hn::StoreU(s3, d, out + c + 3 * lanes);
  }
  for (; c + lanes <= width; c += lanes) {
    auto sum = hn::Zero(d);
    for (Index r = 0; r < rows; ++r) sum = hn::Add(sum, hn::LoadU(d, x + r * stride + c));
    if (add) sum = hn::Add(sum, hn::LoadU(d, out + c));
    hn::StoreU(sum, d, out + c);
  }
  for (; c < width; ++c) {
    float sum = 0;
    for (Index r = 0; r < rows; ++r) sum += x[r * stride + c];
    out[c] = add ? sum + out[c] : sum;
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(SumColumns);

void add_partial_sums(const float* sums, Index count, Index width, Index stride, float* out) {
  HWY_DYNAMIC_DISPATCH(SumColumns)(sums, count, width, stride, true, out);
}

void add_column_sums(const float* x, Index rows, Index width, Index stride, float* out) {
  constexpr Index kRows = 128;  // in a block: it decides where sums start, and so the bits
  apply_forced_instruction_set();
  const Index blocks = (rows + kRows - 1) / kRows;
  if (blocks <= 1) return HWY_DYNAMIC_DISPATCH(SumColumns)(x, rows, width, stride, true, out);
  Tensor sums = Tensor::uninitialized({blocks, width});
  parallel_for(blocks, [&](Index block) {
    const Index first = block * kRows;
    HWY_DYNAMIC_DISPATCH(SumColumns)
    (x + first * stride, std::min(kRows, rows - first), width, stride, false, sums.data() + block * width);
  });
  add_partial_sums(sums.data(), blocks, width, width, out);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
