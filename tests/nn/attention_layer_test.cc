#include "nn/attention_layer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "fovea/random.h"

namespace fovea {
namespace {

// The memory of one layer serves the next, unless a probe kept it.
TEST(ProjectedHeads, memory_is_used_again_unless_it_is_kept) {
  Random random(5);
  const Linear layer(random.normal({3 * 8, 6}));
  const Tensor x = random.normal({2, 5, 6}), y = random.normal({2, 5, 6});
  const HeadSizes heads = {2, 2, 4};
  ProjectedHeads projected;
  projected.project(x, layer, heads);
  const float* first = projected.q().data();
  projected.project(y, layer, heads);
  EXPECT_EQ(projected.q().data(), first);
  const std::shared_ptr<const Tensor> kept = projected.memory();
  const Tensor before = *kept;
  projected.project(x, layer, heads);
  EXPECT_NE(projected.q().data(), first);
  EXPECT_EQ(std::memcmp(before.data(), kept->data(), 4 * 2 * 5 * 24), 0);
  // q, k and v of a token are what the layer gives, side by side
  const Tensor rows = layer(x);
  for (Index b = 0; b < 2; ++b) {
    for (Index n = 0; n < 5; ++n) {
      for (Index c = 0; c < 8; ++c) {
        EXPECT_EQ(projected.q()(b, c / 4, n, c % 4), rows(b, n, c));
        EXPECT_EQ(projected.k()(b, c / 4, n, c % 4), rows(b, n, 8 + c));
        EXPECT_EQ(projected.v()(b, c / 4, n, c % 4), rows(b, n, 16 + c));
      }
    }
  }
}

}  // namespace
}  // namespace fovea
