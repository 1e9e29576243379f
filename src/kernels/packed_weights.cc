#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/half.h"
#include "core/parallel.h"
#include "core/stored_row.h"
#include "kernels/attention.h"
#include "kernels/dense_layer.h"
#include "kernels/instruction_set.h"
#include "kernels/panel_blocks.h"
#include "kernels/stored.h"
#include "kernels/tile_unit.h"

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

namespace {

void store(float x, float, kernels::StoredFloat16& to) { to.bits = float_to_half(x); }
void store(float x, float, kernels::StoredBfloat16& to) { to.bits = float_to_bfloat16(x); }
void store(float x, float inverse, std::int8_t& to) {
  to = inverse == 0 ? std::int8_t{0} : static_cast<std::int8_t>(std::lrint(x * inverse));
}

template <typename Pointer>
using Pointed = std::remove_cv_t<std::remove_pointer_t<Pointer>>;

}  // namespace

PackedWeights::PackedWeights(Index outputs, Index inputs, FloatType type, Precision precision)
    : outputs_(outputs),
      inputs_(inputs),
      panel_outputs_(precision == Precision::bfloat16 ? kernels::kTileBlock
                                                      : std::max<Index>(24, kernels::strip_width())),
      panel_inputs_(precision == Precision::bfloat16 ? kernels::whole_tiles(inputs) : inputs),
      type_(type),
      precision_(precision) {
  HWY_DASSERT(!in_pairs() || type == FloatType::bfloat16);
  const Index panel_bytes = panel_inputs_ * panel_outputs_ * bytes_of(type), bytes = panels() * panel_bytes;
  memory_ = Tensor::uninitialized({(bytes + 3) / 4});
  if (type == FloatType::int8) scales_ = Tensor({panels() * panel_outputs_});
  if (bytes == 0) return;
  // What will not be filled: outputs past the last, inputs past the last of every panel.
  const Index zeros = panel_inputs_ > inputs_ ? bytes : outputs % panel_outputs_ > 0 ? panel_bytes : 0;
  std::memset(reinterpret_cast<char*>(memory_.data()) + bytes - zeros, 0, static_cast<std::size_t>(zeros));
}

PackedWeights::PackedWeights(ConstView w, FloatType type, Precision precision)
    : PackedWeights(w.shape()[0], w.shape()[1], type, precision) {
  set(0, 0, w);
}

// The outputs of a block that lie in this panel.
template <typename Stored>
void PackedWeights::set_panel(Index panel, Index first_output, Index first_input, ConstView block) {
  using namespace kernels;  // where the dispatch table is
  const Index begin = std::max(first_output, panel * panel_outputs_), inputs = block.shape()[1];
  const Index columns = std::min(first_output + block.shape()[0], (panel + 1) * panel_outputs_) - begin;
  MatrixFactor from = {block.data() + (begin - first_output) * block.stride(0), block.stride(1),
                       block.stride(0)};
  auto* to = reinterpret_cast<Stored*>(memory_.data()) + panel * panel_inputs_ * panel_outputs_;
  const Index first_column = begin % panel_outputs_;
  if constexpr (std::is_same_v<Stored, float>) {
    HWY_DYNAMIC_DISPATCH(PackColumns)
    (from, inputs, columns, to + place(first_input, first_column), panel_outputs_);
  } else {
    const Index step = in_pairs() ? 2 : 1;
    float inverses[kWidestPanel] = {};
    for (Index c = 0; c < columns && type_ == FloatType::int8; ++c) {
      const Int8Scale scale = int8_scale(from.data + c * from.column_stride, inputs, from.row_stride);
      scales_.data()[begin + c] = scale.scale;
      inverses[c] = scale.inverse;
    }
    HWY_ALIGN float wide[kDepthBlock * kWidestPanel];
    for (Index t = 0; t < inputs; t += kDepthBlock, from.data += kDepthBlock * from.row_stride) {
      const Index depth = std::min(kDepthBlock, inputs - t);
      HWY_DYNAMIC_DISPATCH(PackColumns)(from, depth, columns, wide, kWidestPanel);
      for (Index i = 0; i < depth; ++i) {
        auto* row = to + place(first_input + t + i, first_column);
        for (Index c = 0; c < columns; ++c, row += step)
          store(wide[i * kWidestPanel + c], inverses[c], *row);
      }
    }
  }
}

void PackedWeights::set(Index first_output, Index first_input, ConstView block) {
  const Index outputs = block.shape()[0], inputs = block.shape()[1];
  if (outputs == 0 || inputs == 0) return;
  HWY_DASSERT(type_ != FloatType::int8 || inputs == inputs_);
  kernels::apply_forced_instruction_set();
  Tensor copy;
  if (block.stride(0) != 1 && block.stride(1) != 1) block = copy = Tensor::copy_of(block);
  const Index first = first_output / panel_outputs_, last = (first_output + outputs - 1) / panel_outputs_;
  kernels::with_stored_type(type_, [&](auto* stored) {
    parallel_for(last - first + 1, [&](Index i) {
      set_panel<Pointed<decltype(stored)>>(first + i, first_output, first_input, block);
    });
  });
}

void PackedWeights::copy_row(Index output, float* to) const {
  const float scale = type_ == FloatType::int8 ? scales()[output] : 1.0f;
  kernels::with_stored_type(type_, [&](auto* stored) {
    const auto* from = panel<Pointed<decltype(stored)>>(output / panel_outputs_);
    const Index column = output % panel_outputs_;
    for (Index t = 0; t < inputs_; ++t) to[t] = kernels::widened(from[place(t, column)]) * scale;
  });
}

Tensor PackedWeights::columns(Index begin, Index end) const {
  Tensor result = Tensor::uninitialized({inputs_, end - begin});
  std::vector<float> row(static_cast<std::size_t>(inputs_));
  for (Index f = begin; f < end; ++f) {
    copy_row(f, row.data());
    for (Index t = 0; t < inputs_; ++t) result(t, f - begin) = row[static_cast<std::size_t>(t)];
  }
  return result;
}

}  // namespace fovea
#endif  // HWY_ONCE
