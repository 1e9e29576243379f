#include "kernels/key_order.h"

#include <gtest/gtest.h>

namespace fovea::kernels {
namespace {

TEST(KeyOrder, is_that_of_memory_on_a_zen_5_and_later) {
  EXPECT_EQ(key_order_of("AuthenticAMD", 26), KeyOrder::memory);
  EXPECT_EQ(key_order_of("AuthenticAMD", 27), KeyOrder::memory);
}

TEST(KeyOrder, is_streams_on_every_other_processor) {
  EXPECT_EQ(key_order_of("AuthenticAMD", 25), KeyOrder::streams);
  EXPECT_EQ(key_order_of("GenuineIntel", 6), KeyOrder::streams);
  EXPECT_EQ(key_order_of("GenuineIntel", 26), KeyOrder::streams);
  EXPECT_EQ(key_order_of("", 0), KeyOrder::streams);
}

}  // namespace
}  // namespace fovea::kernels
