#include "train/linear.h"

#include "ops/column_sums.h"
#include "ops/matrix_product.h"

namespace fovea {

void LinearLayer::forward(ConstView x, View y) const {
  matrix_product("linear", x, weight, y, {.bias = bias});
}

void LinearLayer::backward(ConstView x, ConstView dy, View dx, float beta) const {
  matrix_product("linear", dy, weight.transpose(0, 1), dx, {.beta = beta});
  backward_parameters(x, dy);
}

void LinearLayer::backward_parameters(ConstView x, ConstView dy) const {
  matrix_product("linear", x.transpose(0, 1), dy, dweight, {.beta = 1});
  if (dbias != nullptr) add_column_sums(dy, View(dbias, {outputs()}));
}

}  // namespace fovea
