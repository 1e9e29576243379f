// A case with its inputs: the same for everybody who solves it.
#pragma once

#include <memory>
#include <vector>

#include "fovea/attention.h"
#include "scenario.h"

namespace fovea::bench {

// q, k, v and the gradient of the output, N(0, 1), seeded; cases of the same shapes share them.
struct Inputs {
  Tensor q, k, v;  // [B, H, N, D], [B, Hkv, M, D], [B, Hkv, M, Dv]
  Tensor doutput;  // [B, H, N, Dv]; empty unless gradients are asked for
};

struct Problem {
  Case spec;
  CaseInfo info;
  AttentionOptions options;  // mask, bias, dropout
  std::shared_ptr<const Inputs> inputs;

  const Tensor& q() const { return inputs->q; }
  const Tensor& k() const { return inputs->k; }
  const Tensor& v() const { return inputs->v; }
  const Tensor& doutput() const { return inputs->doutput; }
};

// The problems of one scenario.
std::vector<Problem> problems_of(const Scenario& scenario);

}  // namespace fovea::bench
