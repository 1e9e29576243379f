#include "nn/stored_table.h"

#include "core/stored_row.h"

namespace fovea {
inline namespace internal {

StoredTable::StoredTable(Index rows, Index width, FloatType type)
    : rows_(rows),
      width_(width),
      type_(type),
      memory_(Tensor::uninitialized({(rows * width * bytes_of(type) + 3) / 4})) {
  if (type == FloatType::int8) scales_ = Tensor::uninitialized({rows});
}

Index StoredTable::row_bytes() const { return width_ * bytes_of(type_); }

void StoredTable::set(Index first_row, const Tensor& block) {
  auto* to = reinterpret_cast<char*>(memory_.data()) + first_row * row_bytes();
  for (Index i = 0; i < block.shape()[0]; ++i, to += row_bytes()) {
    const float scale = store_row(type_, block.data() + i * width_, width_, to);
    if (type_ == FloatType::int8) scales_(first_row + i) = scale;
  }
}

void StoredTable::copy_row(Index row, float* to) const {
  const auto* from = reinterpret_cast<const char*>(memory_.data()) + row * row_bytes();
  load_row(type_, from, type_ == FloatType::int8 ? scales_(row) : 1.0f, width_, to);
}

}  // namespace internal
}  // namespace fovea
