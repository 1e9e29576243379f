// The inside of a Bias: rows of values, added to the scores.
#pragma once

#include <string>

#include "fovea/api.h"
#include "fovea/bias.h"
#include "mask/mask_node.h"

namespace fovea {
inline namespace internal {

class FOVEA_PRIVATE_API BiasNode {
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

  // The gradient has the shape of the data the bias was made of: [rows, H], [H], or the dense values.
  virtual Shape data_shape() const = 0;
  virtual Index heads() const = 0;  // in the data; 1 serves every head

  // A relative bias: score gradients are summed along the diagonals of a head, and this adds the sums to
  // the head's column of the gradient, [rows]: sums[u] stands at the relative position last − u.
  virtual void add_position_gradient(Index last, Index count, const float* sums, double* column) const;

  // Other biases: a tile of score gradients is added to the whole gradient: queries first.query .. + rows,
  // keys [key_begin, key_end), (query r, key j) at tile[(j − key_begin) · stride + r]. Calls that meet in a
  // value must not run at the same time: those of the same batch entry (modulo batch()) and head, and,
  // unless depends_on_key(), of all keys.
  virtual void add_tile_gradient(const Row& first, Index rows, Index key_begin, Index key_end,
                                 const float* tile, Index stride, float* gradient) const;
  virtual bool depends_on_key() const { return true; }
};

}  // namespace internal
}  // namespace fovea
