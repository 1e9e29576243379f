#include "fovea/key_value_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/attention.h"
#include "fovea/random.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

void expect_same(ConstView got, ConstView want) {
  ASSERT_EQ(got.shape(), want.shape());
  const Tensor a = Tensor::copy_of(got), b = Tensor::copy_of(want);
  for (Index i = 0; i < a.shape().elements(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]) << i;
}

TEST(KeyValueCache, holds_what_was_appended) {
  const Tensor k = Random(1).normal({2, 3, 50, 4}), v = Random(2).normal({2, 3, 50, 5});
  KeyValueCache cache({.batch = 2, .kv_heads = 3, .d_k = 4, .d_v = 5});
  EXPECT_EQ(cache.size(), 0);
  EXPECT_EQ(cache.keys().shape(), Shape({2, 3, 0, 4}));
  for (Index at = 0; at < 50;) {  // pieces of 0, 1, 2, .. tokens
    const Index end = std::min<Index>(50, at + at / 3 + 1);
    cache.append(k.view().slice(2, at, end), v.view().slice(2, at, end));
    cache.append(k.view().slice(2, 0, 0), v.view().slice(2, 0, 0));
    at = end;
    expect_same(cache.keys(), k.view().slice(2, 0, at));
    expect_same(cache.values(), v.view().slice(2, 0, at));
  }
  cache.truncate(20);
  expect_same(cache.keys(), k.view().slice(2, 0, 20));
  cache.append(k.view().slice(2, 40, 45), v.view().slice(2, 40, 45));
  EXPECT_EQ(cache.size(), 25);
  expect_same(cache.values().slice(2, 20, 25), v.view().slice(2, 40, 45));
  cache.clear();
  EXPECT_EQ(cache.size(), 0);
}

// Every way to choose 3 of 3 sequences, then batches that grow and shrink.
TEST(KeyValueCache, reordered_sequences_are_those_that_were_named) {
  const Tensor k = Random(1).normal({3, 2, 5, 4}), v = Random(2).normal({3, 2, 5, 3});
  const auto expect_reordered = [&](const std::vector<Index>& from) {
    KeyValueCache cache({.batch = 3, .kv_heads = 2, .d_k = 4, .d_v = 3});
    cache.append(k, v);
    cache.reorder(from);
    ASSERT_EQ(cache.config().batch, static_cast<Index>(from.size()));
    ASSERT_EQ(cache.size(), 5);
    for (std::size_t i = 0; i < from.size(); ++i) {
      expect_same(cache.keys().select(0, static_cast<Index>(i)), k.view().select(0, from[i]));
      expect_same(cache.values().select(0, static_cast<Index>(i)), v.view().select(0, from[i]));
    }
  };
  for (Index code = 0; code < 27; ++code) expect_reordered({code / 9, code / 3 % 3, code % 3});
  expect_reordered({2});
  expect_reordered({1, 1, 0, 2, 0, 1, 1});
}

TEST(KeyValueCache, sequences_that_stay_are_not_moved) {
  KeyValueCache cache({.batch = 3, .kv_heads = 2, .d_k = 4});
  const Tensor piece = Random(1).normal({3, 2, 5, 4});
  cache.append(piece, piece);
  const float* where = cache.keys().data();
  cache.reorder({0, 0, 2});
  EXPECT_EQ(cache.keys().data(), where);
  EXPECT_EQ(message_of([&] { cache.reorder({}); }),
            "[cache] got no sequences to keep, expected at least one");
  EXPECT_EQ(message_of([&] { cache.reorder({0, 3}); }), "[cache] got sequence 3, expected 0 to 2");
  EXPECT_EQ(message_of([&] { cache.reorder({-1}); }), "[cache] got sequence -1, expected 0 to 2");
}

TEST(KeyValueCache, reserved_room_is_not_moved) {
  KeyValueCache cache({.kv_heads = 2, .d_k = 3});
  cache.reserve(100);
  const float* where = cache.keys().data();
  const Tensor piece = Random(1).normal({2, 10, 3});
  for (int i = 0; i < 10; ++i) cache.append(piece, piece);
  EXPECT_EQ(cache.keys().data(), where);
  EXPECT_EQ(cache.capacity(), 100);
  cache.reserve(10);
  EXPECT_EQ(cache.capacity(), 100);
}

TEST(KeyValueCache, may_append_its_own_tokens) {
  KeyValueCache cache({.kv_heads = 1, .d_k = 2});
  const Tensor piece = Random(1).normal({1, 16, 2});
  cache.append(piece, piece);
  cache.append(cache.keys(), cache.values());  // has to grow meanwhile
  expect_same(cache.keys().slice(2, 16, 32), cache.keys().slice(2, 0, 16));
}

// Token by token through the cache is the causal attention of the whole.
TEST(KeyValueCache, decoding_equals_the_whole) {
  const Tensor q = Random(1).normal({1, 4, 40, 8}), k = Random(2).normal({1, 2, 40, 8}),
               v = Random(3).normal({1, 2, 40, 6});
  const AttentionOptions causal{.mask = Mask::causal()};
  const Tensor whole = attention(q, k, v, causal).output;
  KeyValueCache cache({.kv_heads = 2, .d_k = 8, .d_v = 6});
  for (Index at = 0; at < 40;) {
    const Index end = at == 0 ? 21 : at + 1;  // a prompt, then single tokens
    cache.append(k.view().slice(2, at, end), v.view().slice(2, at, end));
    const Tensor part = attention(q.view().slice(2, at, end), cache.keys(), cache.values(), causal).output;
    for (Index h = 0; h < 4; ++h) {
      for (Index i = at; i < end; ++i) {
        for (Index c = 0; c < 6; ++c) EXPECT_NEAR(part(0, h, i - at, c), whole(0, h, i, c), 1e-6);
      }
    }
    at = end;
  }
}

float largest_in_row(const Tensor& x, Index row) {
  const Index width = x.shape()[3];
  float largest = 0;
  for (Index i = 0; i < width; ++i) largest = std::max(largest, std::abs(x.data()[row * width + i]));
  return largest;
}

// Through appending, growing, cutting and reordering, every type keeps each number to half a step.
TEST(KeyValueCache, every_type_holds_what_was_appended) {
  const Tensor k = Random(1).normal({3, 2, 50, 5}), v = Random(2).normal({3, 2, 50, 7});
  for (const FloatType type : {FloatType::float16, FloatType::bfloat16, FloatType::int8}) {
    SCOPED_TRACE(to_string(type));
    KeyValueCache cache({.batch = 3, .kv_heads = 2, .d_k = 5, .d_v = 7, .type = type});
    for (Index at = 0; at < 50; at += 10) {
      cache.append(k.view().slice(2, at, at + 10), v.view().slice(2, at, at + 10));
    }
    cache.truncate(40);
    cache.append(k.view().slice(2, 40, 50), v.view().slice(2, 40, 50));
    cache.reorder({2, 0, 2});
    cache.reserve(200);
    const auto expect_near = [&](const TypedView& got, const Tensor& want) {
      EXPECT_EQ(got.type(), type);
      const Tensor floats = to_float32(got);
      ASSERT_EQ(floats.shape(), want.shape());
      const Index width = want.shape()[3];
      for (Index i = 0; i < floats.shape().elements(); ++i) {
        const float step = type == FloatType::float16    ? std::abs(want.data()[i]) * 0x1p-10f
                           : type == FloatType::bfloat16 ? std::abs(want.data()[i]) * 0x1p-7f
                                                         : largest_in_row(want, i / width) / 127;
        ASSERT_NEAR(floats.data()[i], want.data()[i], 0.501f * step) << i;
      }
    };
    Tensor want_k({3, 2, 50, 5}), want_v({3, 2, 50, 7});
    for (Index b = 0; b < 3; ++b) {
      const Index from = b == 1 ? 0 : 2;
      std::copy_n(k.data() + from * 500, 500, want_k.data() + b * 500);
      std::copy_n(v.data() + from * 700, 700, want_v.data() + b * 700);
    }
    expect_near(cache.stored_keys(), want_k);
    expect_near(cache.stored_values(), want_v);
    EXPECT_EQ(message_of([&] { static_cast<void>(cache.keys()); }),
              std::string("[cache] keys and values are stored as ") + to_string(type) +
                  ": stored_keys() and stored_values() give them");
  }
}

// Rows of zeros, and of numbers too small for a scale, are zeros; one that is not finite is NaN.
TEST(KeyValueCache, odd_rows_of_int8) {
  KeyValueCache cache({.d_k = 3, .type = FloatType::int8});
  Tensor rows({1, 4, 3});
  rows(0, 1, 0) = 1e-40f;
  rows(0, 2, 1) = INFINITY;
  rows(0, 3, 0) = -3, rows(0, 3, 1) = 1.5f, rows(0, 3, 2) = 3;
  cache.append(rows, rows);
  const Tensor got = to_float32(cache.stored_keys());
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(got.data()[i], 0) << i;
  for (Index i = 6; i < 9; ++i) EXPECT_TRUE(std::isnan(got.data()[i])) << i;
  EXPECT_NEAR(got.data()[9], -3, 1e-6);
  EXPECT_NEAR(got.data()[10], 64 * 3.0 / 127, 1e-6);
  EXPECT_NEAR(got.data()[11], 3, 1e-6);
}

TEST(KeyValueCache, wrong_shapes_are_named_and_change_nothing) {
  KeyValueCache cache({.batch = 2, .kv_heads = 3, .d_k = 4});
  const Tensor good({2, 3, 5, 4});
  EXPECT_EQ(message_of([&] {
              cache.append(Tensor({2, 3, 5, 3}), good);
            }),
            "[cache] keys have shape [2, 3, 5, 3], expected [2, 3, tokens, 4]");
  EXPECT_EQ(message_of([&] {
              cache.append(good, Tensor({2, 3, 6, 4}));
            }),
            "[cache] there are 5 keys, but 6 values");
  EXPECT_EQ(message_of([&] {
              cache.append(good, Tensor({3, 5, 4}));
            }),
            "[cache] values have shape [1, 3, 5, 4], expected [2, 3, tokens, 4]");
  EXPECT_EQ(message_of([&] { cache.truncate(1); }), "[cache] cannot keep 1 tokens, there are only 0");
  EXPECT_NE(message_of([] { KeyValueCache({.kv_heads = 0, .d_k = 4}); }), "");
  EXPECT_NE(message_of([&] { cache.reserve(-1); }), "");
  EXPECT_EQ(cache.size(), 0);
}

}  // namespace
}  // namespace fovea
