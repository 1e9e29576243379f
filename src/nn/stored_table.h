// A table of vectors, kept in a type of fewer bits.
#pragma once

#include "fovea/api.h"
#include "fovea/float_type.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

// [V, E] rows side by side; of int8, with a scale per row. Rounded as store_row (core/stored_row.h) does.
class FOVEA_PRIVATE_API StoredTable {
 public:
  StoredTable(Index rows, Index width, FloatType type);  // to be filled

  Index rows() const { return rows_; }
  Index width() const { return width_; }

  void set(Index first_row, const Tensor& block);  // [n, E]
  void copy_row(Index row, float* to) const;       // [E], widened

 private:
  Index row_bytes() const;

  Index rows_, width_;
  FloatType type_;
  Tensor memory_;  // in whole floats
  Tensor scales_;  // [V] of int8
};

}  // namespace internal
}  // namespace fovea
