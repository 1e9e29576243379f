// Row-major doubles with a shape: what the reference computes on.
#pragma once

#include <vector>

#include "fovea/tensor.h"

namespace fovea::reference {

struct DoubleArray {
  Shape shape;
  std::vector<double> values;

  DoubleArray() = default;
  explicit DoubleArray(const Shape& s) : shape(s), values(static_cast<std::size_t>(s.elements()), 0.0) {}
  DoubleArray(const Shape& s, std::vector<double> v) : shape(s), values(std::move(v)) {}
  DoubleArray(ConstView view) : shape(view.shape()) {  // NOLINT: implicit on purpose
    const Tensor copy = Tensor::copy_of(view);
    values.assign(copy.data(), copy.data() + shape.elements());
  }
  DoubleArray(const Tensor& tensor) : DoubleArray(static_cast<ConstView>(tensor)) {}  // NOLINT

  double* row(Index i) { return values.data() + i * shape.back(); }
  const double* row(Index i) const { return values.data() + i * shape.back(); }
};

}  // namespace fovea::reference
