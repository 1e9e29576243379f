#include "kernels/linear_attention.h"

#include <algorithm>

#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear_attention.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// y [length] += a · x [length]
HWY_INLINE void AddScaled(float a, const float* HWY_RESTRICT x, Index length, float* HWY_RESTRICT y) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const FloatVector factor = hn::Set(d, a);
  Index i = 0;
  for (; i + lanes <= length; i += lanes) {
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  }
  for (; i < length; ++i) y[i] += a * x[i];
}

void LinearAccumulate(const LinearRows& keys, const LinearRows& values, Index depth, Index value_width,
                      float* state) {
  const Index width = value_width + 1;
  for (Index j = 0; j < keys.count; ++j) {
    const float* key = keys.rows + j * keys.stride;
    const float* value = values.rows + j * values.stride;
    for (Index i = 0; i < depth; ++i) {
      float* row = state + i * width;
      AddScaled(key[i], value, value_width, row);
      row[value_width] += key[i];
    }
  }
}

void LinearApply(const LinearRows& queries, Index depth, Index value_width, const float* state,
                 float epsilon, float* out) {
  const Index width = value_width + 1;
  for (Index r = 0; r < queries.count; ++r, out += value_width) {
    const float* query = queries.rows + r * queries.stride;
    std::fill_n(out, value_width, 0.0f);
    float norm = 0;
    for (Index i = 0; i < depth; ++i) {
      AddScaled(query[i], state + i * width, value_width, out);
      norm += query[i] * state[i * width + value_width];
    }
    for (Index c = 0; c < value_width; ++c) out[c] /= norm + epsilon;
  }
}

// ELU + 1 as x ≥ 0 ? x + 1 : exp(x): exp(x) − 1 + 1 would lose small values.
void EluPlusOne(const float* x, Index elements, float* out) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto map = [&](FloatVector v) HWY_ATTR {
    const FloatVector low = hn::Exp(d, hn::Min(v, hn::Zero(d)));
    const FloatVector mapped = hn::IfThenElse(hn::Ge(v, hn::Zero(d)), hn::Add(v, hn::Set(d, 1.0f)), low);
    return hn::IfThenElse(hn::IsNaN(v), v, mapped);
  };
  Index i = 0;
  for (; i + lanes <= elements; i += lanes) hn::StoreU(map(hn::LoadU(d, x + i)), d, out + i);
  for (; i < elements; ++i) out[i] = hn::GetLane(map(hn::Set(d, x[i])));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(LinearAccumulate);
HWY_EXPORT(LinearApply);
HWY_EXPORT(EluPlusOne);

Index linear_state_size(Index depth, Index value_width) { return depth * (value_width + 1); }

void linear_accumulate(const LinearRows& keys, const LinearRows& values, Index depth, Index value_width,
                       float* state) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(LinearAccumulate)(keys, values, depth, value_width, state);
}

void linear_apply(const LinearRows& queries, Index depth, Index value_width, const float* state,
                  float epsilon, float* out) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(LinearApply)(queries, depth, value_width, state, epsilon, out);
}

void apply_feature_map(const FeatureMap& map, const float* x, Index elements, float* out) {
  apply_forced_instruction_set();
  if (map.kind() == FeatureMap::Kind::elu_plus_one) {
    HWY_DYNAMIC_DISPATCH(EluPlusOne)(x, elements, out);
  } else {
    for (Index i = 0; i < elements; ++i) out[i] = map(x[i]);
  }
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
