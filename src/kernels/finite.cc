#include "kernels/finite.h"

#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/finite.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/finite-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

bool AllFinite(const float* values, Index count) { return RowsAreFinite(values, count, 1, count); }

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(AllFinite);

bool all_finite(const float* values, Index count) {
  apply_forced_instruction_set();
  return HWY_DYNAMIC_DISPATCH(AllFinite)(values, count);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
