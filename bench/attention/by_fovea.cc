#include "attention/competitors.h"

namespace fovea::bench {

Tensor attention_by_fovea(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  return attention(q, k, v, {.mask = causal ? Mask::causal() : Mask::none()}).output;
}

}  // namespace fovea::bench
