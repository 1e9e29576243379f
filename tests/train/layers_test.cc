// Linear layers, embeddings, norms in a residual stream and feed-forward layers against differences.
#include <gtest/gtest.h>

#include "fovea/threads.h"
#include "reference/attention.h"
#include "reference/layers.h"
#include "support/finite_differences.h"
#include "support/instruction_sets.h"
#include "train/embedding.h"
#include "train/feed_forward.h"
#include "train/linear.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::drawn;
using testing::expect_close;
using testing::numeric_gradient;
using testing::on_every_instruction_set;
using testing::weighted;

// A layer on tensors of its own.
struct OwnLinear {
  OwnLinear(Random& random, Index outputs, Index inputs)
      : weight(drawn(random, {outputs, inputs})),
        bias(drawn(random, {outputs})),
        dweight(weight.shape()),
        dbias(bias.shape()) {}

  LinearLayer layer() {
    return {ConstView(weight).transpose(0, 1), dweight.view().transpose(0, 1), bias.data(), dbias.data()};
  }
  Tensor weight, bias, dweight, dbias;
};

TEST(TrainLinear, against_differences_in_both_layouts) {
  Random random(1);
  const Index rows = 11, inputs = 7, outputs = 5;
  OwnLinear own(random, outputs, inputs);
  const Tensor x = drawn(random, {rows, inputs}), dy = drawn(random, {rows, outputs});
  const auto loss = [&](const DoubleArray& at_x, const DoubleArray& w, const DoubleArray& b) {
    return weighted(reference::linear(at_x, w, b), dy);
  };
  const auto want_dx =
      numeric_gradient(x, [&](const DoubleArray& at) { return loss(at, own.weight, own.bias); });
  const auto want_dw =
      numeric_gradient(own.weight, [&](const DoubleArray& w) { return loss(x, w, own.bias); });
  const auto want_db =
      numeric_gradient(own.bias, [&](const DoubleArray& b) { return loss(x, own.weight, b); });

  // As GPT-2's files have it: [E, F].
  const Tensor other_weight = Tensor::copy_of(ConstView(own.weight).transpose(0, 1));
  on_every_instruction_set([&] {
    for (const bool transposed : {false, true}) {
      LinearLayer layer = own.layer();
      Tensor other_dweight(other_weight.shape());
      own.dweight = Tensor(own.weight.shape());
      own.dbias = Tensor(own.bias.shape());
      layer = own.layer();
      if (transposed) layer.weight = other_weight, layer.dweight = other_dweight.view();
      Tensor y({rows, outputs}), dx({rows, inputs});
      layer.forward(x, y.view());
      expect_close("y", y, reference::linear(x, own.weight, own.bias), 1e-6);
      layer.backward(x, dy, dx.view());
      expect_close("dx", dx, want_dx);
      expect_close("dbias", own.dbias, want_db);
      expect_close("dweight",
                   transposed ? ConstView(other_dweight).transpose(0, 1) : ConstView(own.dweight), want_dw);
      // Once more: parameters' gradients add up, dx is added to where asked for.
      layer.backward(x, dy, dx.view(), 1);
      DoubleArray twice = want_dx;
      for (double& value : twice.values) value *= 2;
      expect_close("dx twice", dx, twice);
      twice = want_dw;
      for (double& value : twice.values) value *= 2;
      expect_close("dweight twice",
                   transposed ? ConstView(other_dweight).transpose(0, 1) : ConstView(own.dweight), twice);
    }
  });
}

TEST(TrainEmbedding, rows_that_are_used_twice_get_both_gradients) {
  Random random(2);
  const std::vector<Index> ids = {3, 0, 3, 1, 3, 2};
  for (const Index width : {1, 5, 100}) {
    const Tensor table = drawn(random, {5, width}), dx = drawn(random, {6, width});
    Tensor drows({5, width}), x({6, width});
    const EmbeddingTable embedding = {table, drows.view()};
    embedding.forward(ids, x.view());
    for (Index i = 0; i < 6; ++i) {
      for (Index c = 0; c < width; ++c) ASSERT_EQ(x(i, c), table(ids[static_cast<std::size_t>(i)], c));
    }
    embedding.add_forward(ids, x.view());
    EXPECT_EQ(x(1, 0), 2 * table(0, 0));
    const DoubleArray want = numeric_gradient(table, [&](const DoubleArray& at) {
      DoubleArray looked_up({6, width});
      for (Index i = 0; i < 6; ++i) {
        std::copy_n(at.row(ids[static_cast<std::size_t>(i)]), width, looked_up.row(i));
      }
      return weighted(looked_up, dx);
    });
    embedding.backward(ids, dx);
    expect_close("drows", drows, want);
  }
}

void expect_feed_forward(bool gated, Activation activation) {
  Random random(3);
  const Index rows = 9, width = 6, inner = 10;
  OwnLinear up(random, gated ? 2 * inner : inner, width), down(random, width, inner);
  const Tensor x = drawn(random, {rows, width}), dy = drawn(random, {rows, width});
  const auto loss = [&](const DoubleArray& at_x, const DoubleArray& up_weight) {
    const DoubleArray h = reference::linear(at_x, up_weight, up.bias);
    const DoubleArray a =
        gated ? reference::activate_gated(activation, h) : reference::activate(activation, h);
    return weighted(reference::linear(a, down.weight, down.bias), dy);
  };
  const auto want_dx = numeric_gradient(x, [&](const DoubleArray& at) { return loss(at, up.weight); });
  const auto want_dup = numeric_gradient(up.weight, [&](const DoubleArray& w) { return loss(x, w); });
  const FeedForwardLayer layer = {up.layer(), down.layer(), activation, gated};
  FeedForwardState state;
  Buffer scratch;
  Tensor y({rows, width}), in_place = dy;
  layer.forward(x, state, y.view());
  layer.backward(x, state, in_place, scratch, in_place.view(), 0);  // dx in the place of dy
  expect_close("dx", in_place, want_dx);
  expect_close("dup", up.dweight, want_dup);
}

TEST(TrainFeedForward, plain_against_differences) {
  expect_feed_forward(false, Activation::gelu);
  expect_feed_forward(false, Activation::gelu_tanh);
  expect_feed_forward(false, Activation::relu);
}

TEST(TrainFeedForward, gated_against_differences) { expect_feed_forward(true, Activation::silu); }

}  // namespace
}  // namespace fovea
