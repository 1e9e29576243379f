#include "nn/linear.h"

#include <gtest/gtest.h>

#include <memory>

#include "fovea/random.h"
#include "nn/embedding.h"
#include "nn/feed_forward.h"
#include "support/message_of.h"

namespace fovea {
namespace {

TEST(Linear, columns_are_outputs_unpacked) {
  const Tensor weight = Random(1).normal({50, 12}), bias = Random(2).normal({50});
  const Linear layer(weight, bias);
  const Tensor columns = layer.weight_columns(20, 33), biases = layer.bias_columns(20, 33);
  ASSERT_EQ(columns.shape(), Shape({12, 13}));
  ASSERT_EQ(biases.shape(), Shape({13}));
  for (Index f = 0; f < 13; ++f) {
    ASSERT_EQ(biases(f), bias(f + 20));
    for (Index t = 0; t < 12; ++t) ASSERT_EQ(columns(t, f), weight(f + 20, t));
  }
  EXPECT_TRUE(Linear(weight).bias_columns(0, 50).empty());
  EXPECT_EQ(testing::message_of([&] { layer.weight_columns(4, 51); }),
            "[linear] got outputs 4 to 51, there are only 50");
}

TEST(Linear, weights_and_biases_that_do_not_fit_are_an_error) {
  EXPECT_EQ(testing::message_of([] { Linear(Tensor({3})); }),
            "[linear] the weight is [3], expected [outputs, inputs]");
  EXPECT_EQ(testing::message_of([] {
              Linear(Tensor({3, 4}), Tensor({4}));
            }),
            "[linear] the bias is [4], expected [3]");
}

TEST(Embedding, a_tied_table_gives_the_same_rows) {
  const Tensor table = Random(2).normal({77, 30});
  const Embedding plain(table), tied(std::make_shared<const PackedWeights>(table));
  const Ids ids({1, 4}, {0, 76, 33, 50});
  const Tensor want = plain(ids, "test"), got = tied(ids, "test");
  ASSERT_EQ(got.shape(), want.shape());
  for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_EQ(got.data()[i], want.data()[i]);
  EXPECT_EQ(tied.rows(), 77);
  EXPECT_EQ(tied.width(), 30);
}

// More rows than are taken at a time, in place.
TEST(FeedForward, gated_in_place_for_many_rows) {
  Random random(3);
  FeedForward layer;
  layer.up = Linear(random.normal({20, 8}), random.normal({20}));
  layer.gate = Linear(random.normal({20, 8}));
  layer.down = Linear(random.normal({8, 20}));
  layer.activation = Activation::silu;
  const Tensor x = random.normal({2, 300, 8});
  const Tensor gate = layer.gate(x, Activation::silu), up = layer.up(x);
  Tensor product = gate;
  for (Index i = 0; i < product.shape().elements(); ++i) product.data()[i] *= up.data()[i];
  const Tensor down = layer.down(product);
  Tensor got = x, inner;
  layer.add(got, inner, got.view());
  for (Index i = 0; i < x.shape().elements(); ++i) {
    ASSERT_NEAR(got.data()[i], x.data()[i] + down.data()[i], 1e-4) << i;
  }
}

}  // namespace
}  // namespace fovea
