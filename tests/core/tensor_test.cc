#include "fovea/tensor.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Tensor, from_nested_list) {
  const Tensor t = Tensor::from({{1, 0.5}, {0, 1}, {2, 3}});
  EXPECT_EQ(t.shape(), (Shape{3, 2}));
  EXPECT_EQ(t(0, 1), 0.5f);
  EXPECT_EQ(t(2, 1), 3.0f);
}

TEST(Tensor, ragged_list_throws) {
  EXPECT_THROW(Tensor::from({{1, 2}, {3}}), Error);
  EXPECT_THROW(Tensor::from({{1, 2}, 3}), Error);
  EXPECT_THROW(Tensor::from({1, {2, 3}}), Error);
}

}  // namespace
}  // namespace fovea
