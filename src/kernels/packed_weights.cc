#include <algorithm>

#include "core/parallel.h"
#include "kernels/attention.h"
#include "kernels/dense_layer.h"
#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/packed_weights.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/pack_panel-inl.h"

#if HWY_ONCE
namespace fovea {
namespace kernels {
HWY_EXPORT(PackColumns);
}

PackedWeights::PackedWeights(Index outputs, Index inputs)
    : outputs_(outputs),
      inputs_(inputs),
      panel_outputs_(std::max<Index>(24, kernels::strip_width())),
      panels_(Tensor::uninitialized({panels(), inputs, panel_outputs_})) {
  const Index used = outputs % panel_outputs_;
  if (used == 0) return;
  float* last = panels_.data() + (panels() - 1) * inputs * panel_outputs_;
  for (Index t = 0; t < inputs; ++t)
    std::fill(last + t * panel_outputs_ + used, last + (t + 1) * panel_outputs_, 0.0f);
}

PackedWeights::PackedWeights(ConstView w) : PackedWeights(w.shape()[0], w.shape()[1]) { set(0, 0, w); }

void PackedWeights::set(Index first_output, Index first_input, ConstView block) {
  const Index outputs = block.shape()[0], inputs = block.shape()[1];
  if (outputs == 0 || inputs == 0) return;
  kernels::apply_forced_instruction_set();
  Tensor copy;
  if (block.stride(0) != 1 && block.stride(1) != 1) block = copy = Tensor::copy_of(block);
  const Index first_panel = first_output / panel_outputs_;
  const Index last_panel = (first_output + outputs - 1) / panel_outputs_;
  parallel_for(last_panel - first_panel + 1, [&](Index i) {
    const Index panel = first_panel + i;
    const Index begin = std::max(first_output, panel * panel_outputs_);
    const Index end = std::min(first_output + outputs, (panel + 1) * panel_outputs_);
    float* to = panels_.data() + (panel * inputs_ + first_input) * panel_outputs_ + begin % panel_outputs_;
    const kernels::MatrixFactor from = {block.data() + (begin - first_output) * block.stride(0),
                                        block.stride(1), block.stride(0)};
    using namespace kernels;  // where the dispatch table is
    HWY_DYNAMIC_DISPATCH(PackColumns)(from, inputs, end - begin, to, panel_outputs_);
  });
}

void PackedWeights::copy_row(Index output, float* to) const {
  const float* from = panel(output / panel_outputs_) + output % panel_outputs_;
  for (Index t = 0; t < inputs_; ++t) to[t] = from[t * panel_outputs_];
}

Tensor PackedWeights::columns(Index begin, Index end) const {
  Tensor result = Tensor::uninitialized({inputs_, end - begin});
  for (Index f = begin; f < end; ++f) {
    const float* from = panel(f / panel_outputs_) + f % panel_outputs_;
    for (Index t = 0; t < inputs_; ++t) result(t, f - begin) = from[t * panel_outputs_];
  }
  return result;
}

}  // namespace fovea
#endif  // HWY_ONCE
