#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fovea/instruction_set.h"
#include "fovea/linear_attention.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/linear_attention.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;
using testing::on_every_instruction_set;

struct Inputs {
  Tensor q, k, v;
  Inputs(Random& random, Index heads, Index kv_heads, Index tokens, Index d, Index dv)
      : q(random.normal({heads, tokens, d})),
        k(random.normal({kv_heads, tokens, d})),
        v(random.normal({kv_heads, tokens, dv})) {}
};

// Feeds all tokens, `step` at a time, and compares each output row with the reference.
void expect_stream(LinearAttentionStream& stream, const Inputs& in, Index step,
                   const LinearAttentionOptions& options = {}) {
  LinearAttentionOptions causal = options;
  causal.causal = true;
  const Index heads = in.q.shape()[0], tokens = in.q.shape()[1], d = in.q.shape()[2], dv = in.v.shape()[2];
  const auto batch = [](const Tensor& x) {
    return reference::DoubleArray(ConstView(x.view().insert_axis(0)));
  };
  const reference::DoubleArray want =
      reference::linear_attention(batch(in.q), batch(in.k), batch(in.v), causal);
  double largest = 0;
  for (const double value : reference::DoubleArray(in.v).values)
    largest = std::max(largest, std::abs(value));
  const double tolerance = 6e-8 * (8 + std::sqrt(static_cast<double>(tokens + d))) * largest;
  for (Index at = 0; at < tokens; at += step) {
    const Index end = std::min(tokens, at + step);
    const Tensor got = stream.append(in.q.view().slice(1, at, end), in.k.view().slice(1, at, end),
                                     in.v.view().slice(1, at, end));
    ASSERT_EQ(got.shape(), Shape({heads, end - at, dv}));
    ASSERT_EQ(stream.tokens(), end);
    for (Index h = 0; h < heads; ++h) {
      for (Index t = at; t < end; ++t) {
        for (Index c = 0; c < dv; ++c) {
          ASSERT_NEAR(static_cast<double>(got(h, t - at, c)), want.row(h * tokens + t)[c], tolerance)
              << "head " << h << " token " << t << " column " << c;
        }
      }
    }
  }
}

TEST(LinearAttentionStream, equals_the_causal_form_for_any_step) {
  on_every_instruction_set([] {
    Random random(1);
    const Inputs in(random, 4, 2, 300, 9, 11);
    for (const Index step : {1, 3, 64, 100, 300}) {
      SCOPED_TRACE("step " + std::to_string(step));
      LinearAttentionStream stream({.heads = 4, .kv_heads = 2, .d_k = 9, .d_v = 11});
      expect_stream(stream, in, step);
    }
  });
}

TEST(LinearAttentionStream, every_feature_map) {
  Random random(2);
  const Inputs in(random, 1, 1, 20, 4, 4);
  for (const FeatureMap& map :
       {FeatureMap::relu(), FeatureMap::exp(), FeatureMap::custom([](float x) { return x * x + 0.5f; })}) {
    LinearAttentionStream stream({.d_k = 4}, {.feature_map = map});
    expect_stream(stream, in, 1, {.feature_map = map});
  }
}

TEST(LinearAttentionStream, reset_begins_anew) {
  Random random(3);
  const Inputs in(random, 2, 1, 10, 5, 5);
  LinearAttentionStream stream({.heads = 2, .kv_heads = 1, .d_k = 5});
  expect_stream(stream, in, 4);
  stream.reset();
  EXPECT_EQ(stream.tokens(), 0);
  expect_stream(stream, in, 3);
}

TEST(LinearAttentionStream, one_token_without_its_axis) {
  Random random(4);
  const Inputs in(random, 2, 1, 1, 5, 3);
  LinearAttentionStream a({.heads = 2, .kv_heads = 1, .d_k = 5, .d_v = 3}), b = a;
  const Tensor with = a.append(in.q, in.k, in.v);
  const Tensor without =
      b.append(in.q.view().select(1, 0), in.k.view().select(1, 0), in.v.view().select(1, 0));
  ASSERT_EQ(without.shape(), Shape({2, 3}));
  EXPECT_EQ(std::memcmp(with.data(), without.data(), sizeof(float) * 6), 0);
}

TEST(LinearAttentionStream, copies_go_separate_ways) {
  Random random(5);
  const Inputs in(random, 1, 1, 2, 4, 4);
  LinearAttentionStream stream({.d_k = 4});
  stream.append(in.q, in.k, in.v);
  LinearAttentionStream copy = stream;
  copy.append(in.q, in.k, in.v);
  EXPECT_EQ(stream.tokens(), 2);
  EXPECT_EQ(copy.tokens(), 4);
}

TEST(LinearAttentionStream, blocks_of_64_have_the_bits_of_the_causal_form) {
  const int before = thread_count();
  Random random(6);
  const Inputs in(random, 3, 3, 640, 16, 16);
  const Tensor whole = linear_attention(in.q.view().insert_axis(0), in.k.view().insert_axis(0),
                                        in.v.view().insert_axis(0), {.causal = true});
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    LinearAttentionStream stream({.heads = 3, .d_k = 16});
    for (Index at = 0; at < 640; at += 128) {
      const Tensor part =
          stream.append(in.q.view().slice(1, at, at + 128), in.k.view().slice(1, at, at + 128),
                        in.v.view().slice(1, at, at + 128));
      for (Index h = 0; h < 3; ++h) {
        EXPECT_EQ(std::memcmp(&part.data()[h * 128 * 16], &whole.data()[(h * 640 + at) * 16],
                              sizeof(float) * 128 * 16),
                  0);
      }
    }
  }
  set_thread_count(before);
}

TEST(LinearAttentionStream, errors_leave_the_state) {
  Random random(7);
  const Inputs in(random, 2, 1, 3, 4, 4);
  LinearAttentionStream stream({.heads = 2, .kv_heads = 1, .d_k = 4});
  EXPECT_EQ(
      message_of([&] { stream.append(in.q, in.q, in.v); }),
      "[LinearAttentionStream] keys have shape [2, 3, 4], expected [1, T, 4] or, of one token, [1, 4]");
  EXPECT_THROW(stream.append(in.q, in.k, in.v.view().slice(1, 0, 2)), Error);
  EXPECT_EQ(stream.append(Tensor({2, 0, 4}), Tensor({1, 0, 4}), Tensor({1, 0, 4})).shape(),
            Shape({2, 0, 4}));
  EXPECT_EQ(stream.tokens(), 0);
  expect_stream(stream, in, 1);
  EXPECT_THROW(LinearAttentionStream({.heads = 3, .kv_heads = 2, .d_k = 4}), Error);
  EXPECT_THROW(LinearAttentionStream({.heads = 3}), Error);
  EXPECT_THROW(LinearAttentionStream({.d_k = 4}, {.epsilon = -1}), Error);
}

TEST(LinearAttentionStream, another_instruction_set_is_noticed) {
  const std::string other = available_instruction_sets().back();
  if (std::getenv("FOVEA_ISA") != nullptr || instruction_set() == other) return;
  LinearAttentionStream stream({.d_k = 3});  // rows are padded to whole vectors
  const Tensor token({1, 3});
  force_instruction_set(other);
  const std::string message = message_of([&] { stream.append(token, token, token); });
  force_instruction_set("auto");
  EXPECT_NE(message.find("the instruction set was changed"), std::string::npos) << message;
  EXPECT_EQ(stream.append(token, token, token).shape(), Shape({1, 3}));
}

}  // namespace
}  // namespace fovea
