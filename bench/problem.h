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
  // Decoding reads k and v once per call. Copies of them, used in turn, keep the last cache from serving
  // the second call what the first one has left there.
  std::vector<Tensor> more_k, more_v;
};

// How many copies of so many bytes are used in turn: as many as twice the last cache cannot hold; 1, and
// the cache serves them, if that would take too many or too much memory.
Index copies_to_read(double bytes, Index last_cache, double most_bytes);

// Does a call do little more than to read k and v?
inline bool is_reading(const Case& c) { return c.queries * 32 <= c.m(); }

struct Problem {
  Case spec;
  CaseInfo info;
  AttentionOptions options;  // mask, bias, dropout
  std::shared_ptr<const Inputs> inputs;

  const Tensor& q() const { return inputs->q; }
  const Tensor& k() const { return inputs->k; }
  const Tensor& v() const { return inputs->v; }
  const Tensor& doutput() const { return inputs->doutput; }
  // The type in which k and v are stored, of those who have them as fovea does.
  FloatType stored() const { return spec.cache.value_or(FloatType::float32); }
  // Those of a call: `turn` counts the calls from 0.
  const Tensor& k(Index turn) const { return in_turn(inputs->k, inputs->more_k, turn); }
  const Tensor& v(Index turn) const { return in_turn(inputs->v, inputs->more_v, turn); }

 private:
  static const Tensor& in_turn(const Tensor& first, const std::vector<Tensor>& more, Index turn) {
    const Index which = turn % (static_cast<Index>(more.size()) + 1);
    return which == 0 ? first : more[static_cast<std::size_t>(which - 1)];
  }
};

// The problems of one scenario.
std::vector<Problem> problems_of(const Scenario& scenario);

}  // namespace fovea::bench
