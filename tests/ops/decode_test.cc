// One or a few queries against many keys: every number of rows, every remainder of keys and columns, and
// keys and values in every type they can be stored in.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fovea/attention.h"
#include "fovea/key_value_cache.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/attention.h"
#include "support/expect_attention.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::expect_attention;
using testing::on_every_instruction_set;

constexpr FloatType kTypes[] = {FloatType::float32, FloatType::float16, FloatType::bfloat16,
                                FloatType::int8};

std::vector<float> values_of(const Tensor& x) { return {x.data(), x.data() + x.shape().elements()}; }

KeyValueCache cache_of(FloatType type, const Tensor& k, const Tensor& v) {
  const Shape& shape = k.shape();
  KeyValueCache cache({shape[0], shape[1], shape[3], v.shape()[3], type});
  cache.append(k, v);
  return cache;
}

double relative_l2(const Tensor& got, const Tensor& want) {
  double error = 0, norm = 0;
  for (Index i = 0; i < want.shape().elements(); ++i) {
    const double x = static_cast<double>(got.data()[i]), y = static_cast<double>(want.data()[i]);
    error += (x - y) * (x - y), norm += y * y;
  }
  return std::sqrt(error / norm);
}

// Tiles of 4, 3, 2 and 1 rows; streams of 4 and 8 keys and what is left of them; columns of whole tiles, of
// single vectors and of less.
TEST(Decode, every_number_of_rows_and_remainder_of_keys_and_columns) {
  on_every_instruction_set([] {
    for (Index rows = 1; rows <= 16; ++rows) {
      for (const Index m : {1, 2, 7, 8, 9, 31, 130, 1024}) {
        const Index d = m == 130 ? 32 : 24 + rows % 3, dv = 16 * (rows % 3) + 40 - rows;
        SCOPED_TRACE("rows " + std::to_string(rows) + " keys " + std::to_string(m));
        expect_attention(Random(1).normal({1, rows, 1, d}), Random(2).normal({1, 1, m, d}),
                         Random(3).normal({1, 1, m, dv}));
      }
    }
  });
}

// Widened in registers is converted before: the same bits, whatever the mask, and of few queries and many.
TEST(Decode, sixteen_bits_are_read_as_if_they_had_been_converted) {
  on_every_instruction_set([] {
    for (const FloatType type : {FloatType::float16, FloatType::bfloat16}) {
      for (const Index queries : {1, 3, 4, 5, 8}) {  // 2 heads share keys: up to 16 rows
        const Tensor q = Random(1).normal({2, 4, queries, 27});
        const KeyValueCache cache =
            cache_of(type, Random(2).normal({2, 2, 1130, 27}), Random(3).normal({2, 2, 1130, 43}));
        const Tensor k = to_float32(cache.stored_keys()), v = to_float32(cache.stored_values());
        for (const AttentionOptions& options :
             {AttentionOptions{}, AttentionOptions{.mask = Mask::causal(), .weights = true},
              AttentionOptions{.mask = Mask::sliding_window(70, 0), .softcap = 5},
              AttentionOptions{.mask = Mask::lengths({40, 1100}), .bias = Bias::alibi(alibi_slopes(4))}}) {
          SCOPED_TRACE(std::string(to_string(type)) + " queries " + std::to_string(queries));
          const AttentionResult got = attention(q, cache, options), want = attention(q, k, v, options);
          ASSERT_EQ(values_of(got.output), values_of(want.output));
          ASSERT_EQ(values_of(got.weights), values_of(want.weights));
        }
      }
    }
  });
}

// Rows of very different size: a scale of another row would show. Sums are those of the converted rows, but
// for the place where the scale is multiplied in.
TEST(Decode, int8_takes_the_scale_of_its_own_row) {
  on_every_instruction_set([] {
    for (const Index m : {1, 5, 13, 300, 1030}) {
      Tensor k = Random(2).normal({2, 2, m, 20}), v = Random(3).normal({2, 2, m, 21});
      for (Index i = 0; i < 4 * m; ++i) {
        for (Index c = 0; c < 20; ++c) k.data()[i * 20 + c] *= 0.25f + 0.125f * static_cast<float>(i % 9);
        for (Index c = 0; c < 21; ++c) v.data()[i * 21 + c] *= std::exp2(static_cast<float>(i % 7));
      }
      const KeyValueCache cache = cache_of(FloatType::int8, k, v);
      const Tensor q = Random(1).normal({2, 6, 1, 20});
      for (const AttentionOptions& options :
           {AttentionOptions{}, AttentionOptions{.mask = Mask::lengths({1, m}), .weights = true}}) {
        SCOPED_TRACE("keys " + std::to_string(m));
        const AttentionResult got = attention(q, cache, options);
        const Tensor kf = to_float32(cache.stored_keys()), vf = to_float32(cache.stored_values());
        const AttentionResult want = attention(q, kf, vf, options);
        EXPECT_LT(relative_l2(got.output, want.output), 1e-6);
        if (!options.weights) continue;
        EXPECT_LT(relative_l2(got.weights, want.weights), 1e-6);
      }
    }
  });
}

// The numbers in key_value_cache.h.
TEST(Decode, stored_types_keep_their_accuracy) {
  const Tensor q = Random(1).normal({1, 8, 1, 128}), k = Random(2).normal({1, 2, 4096, 128}),
               v = Random(3).normal({1, 2, 4096, 128});
  on_every_instruction_set([&] {
    const Tensor want = attention(q, k, v).output;
    const auto error = [&](FloatType type) {
      return relative_l2(attention(q, cache_of(type, k, v)).output, want);
    };
    EXPECT_EQ(error(FloatType::float32), 0);
    EXPECT_LE(error(FloatType::bfloat16), 3e-3);
    EXPECT_LE(error(FloatType::float16), 4e-4);
    EXPECT_LE(error(FloatType::int8), 1.5e-2);
    // And not better than the types can be: nothing is computed from another copy.
    EXPECT_GT(error(FloatType::bfloat16), 1e-3);
    EXPECT_GT(error(FloatType::float16), 1e-4);
    EXPECT_GT(error(FloatType::int8), 3e-3);
  });
}

TEST(Decode, bits_of_stored_types_do_not_depend_on_threads) {
  const Tensor q = Random(1).normal({1, 8, 2, 32}), k = Random(2).normal({1, 2, 5000, 32}),
               v = Random(3).normal({1, 2, 5000, 24});
  const int before = thread_count();
  for (const FloatType type : kTypes) {
    const KeyValueCache cache = cache_of(type, k, v);
    set_thread_count(1);
    const std::vector<float> one = values_of(attention(q, cache, {.mask = Mask::causal()}).output);
    for (const int threads : {2, 3, 8}) {
      set_thread_count(threads);
      EXPECT_EQ(values_of(attention(q, cache, {.mask = Mask::causal()}).output), one) << to_string(type);
    }
  }
  set_thread_count(before);
}

// 0 · NaN is NaN: what is hidden must not be met, in any type.
TEST(Decode, hidden_values_that_are_not_finite_have_no_effect) {
  on_every_instruction_set([] {
    Tensor k = Random(2).normal({1, 1, 90, 16}), v = Random(3).normal({1, 1, 90, 17});
    const Tensor q = Random(1).normal({1, 3, 1, 16});
    for (Index c = 0; c < 16; ++c) k(0, 0, 80, c) = std::nanf("");
    v(0, 0, 80, 3) = INFINITY;
    v(0, 0, 85, 4) = std::nanf("");
    for (const FloatType type : kTypes) {
      const KeyValueCache cache = cache_of(type, k, v);
      const Tensor hidden = attention(q, cache, {.mask = Mask::lengths({80})}).output;
      for (const float x : values_of(hidden)) EXPECT_TRUE(std::isfinite(x)) << to_string(type);
      const Tensor seen = attention(q, cache, {.mask = Mask::lengths({81})}).output;
      for (const float x : values_of(seen)) EXPECT_TRUE(std::isnan(x)) << to_string(type);
    }
  });
}

// The mean of values near the end of float32 is finite, though their sum is not.
TEST(Decode, large_values_of_bfloat16) {
  on_every_instruction_set([] {
    const Tensor k({1, 1, 40, 8}), v = Tensor::filled({1, 1, 40, 12}, 0x1p127f);
    const Tensor q = Random(1).normal({1, 2, 1, 8});
    const Tensor out = attention(q, cache_of(FloatType::bfloat16, k, v)).output;
    for (const float x : values_of(out)) EXPECT_NEAR(x / 0x1p127f, 1, 1e-6);
  });
}

// Infinity of float16 is infinity, not 65,536; the largest and smallest numbers come through.
TEST(Decode, special_numbers_of_float16) {
  on_every_instruction_set([] {
    Tensor k({1, 1, 8, 16}), v = Tensor::filled({1, 1, 8, 32}, 1);
    for (Index j = 0; j < 8; ++j) v(0, 0, j, 0) = INFINITY, v(0, 0, j, 1) = 65504, v(0, 0, j, 2) = 0x1p-24f;
    const Tensor q = Random(1).normal({1, 1, 1, 16});
    const Tensor out = attention(q, cache_of(FloatType::float16, k, v)).output;
    EXPECT_EQ(out.data()[0], INFINITY);
    EXPECT_EQ(out.data()[1], 65504);
    EXPECT_EQ(out.data()[2], 0x1p-24f);
  });
}

}  // namespace
}  // namespace fovea
