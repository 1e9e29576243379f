// The inside of a Bias: rows of values, added to the scores.
#pragma once

#include <string>

#include "fovea/bias.h"
#include "mask/mask_node.h"

namespace fovea {

class BiasNode {
 public:
  virtual ~BiasNode() = default;

  // Adds the bias of keys [key_begin, key_end) to out[0..). Thread-safe.
  virtual void add_values(const Row& row, Index key_begin, Index key_end, float* out) const = 0;

  // Does the value depend on head and relative position j − p only?
  virtual bool is_relative() const { return false; }

  // Throws Error if the bias does not fit a call of these extents.
  virtual void check(const ScoreExtents& extents) const = 0;

  virtual Index batch() const { return 0; }  // 0: does not depend on the batch entry
  virtual std::string name() const = 0;
};

}  // namespace fovea
