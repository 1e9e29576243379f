// Attention with precision bfloat16 against double arithmetic.
//
// Two references: that of exact inputs, for the promise of the header; and that of inputs rounded to
// bfloat16, from which only the rounding of the exponentials is left, so that masks and options are
// compared within 2⁻⁸.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/half.h"
#include "fovea/attention.h"
#include "fovea/attention_path.h"
#include "fovea/attention_statistics.h"
#include "fovea/instruction_set.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/attention.h"
#include "support/attention_case.h"
#include "support/expect_attention.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using reference::DoubleArray;
using testing::AttentionCase;
using testing::message_of;
using testing::on_every_instruction_set;

constexpr float kInfinite = std::numeric_limits<float>::infinity();
// The NaN that careless rounding to bfloat16 would turn into −0.
constexpr float kNotANumber = std::bit_cast<float>(0x7FFFFFFFu);

struct Qkv {
  Tensor q, k, v;
};

Qkv normal_qkv(Index heads, Index key_heads, Index n, Index m, Index d, Index dv) {
  return {Random(1).normal({1, heads, n, d}), Random(2).normal({1, key_heads, m, d}),
          Random(3).normal({1, key_heads, m, dv})};
}

AttentionOptions in_bfloat16(AttentionOptions options = {}) {
  options.precision = Precision::bfloat16;
  return options;
}

Tensor rounded(const ConstView& x) {
  Tensor result = Tensor::copy_of(x);
  for (Index i = 0; i < result.shape().elements(); ++i) {
    result.data()[i] = bfloat16_to_float(float_to_bfloat16(result.data()[i]));
  }
  return result;
}

double relative_error(const Tensor& got, const DoubleArray& want) {
  double error = 0, size = 0;
  for (Index i = 0; i < got.shape().elements(); ++i) {
    const double truth = want.values[static_cast<std::size_t>(i)];
    error += std::pow(static_cast<double>(got.data()[i]) - truth, 2);
    size += truth * truth;
  }
  return std::sqrt(error / size);
}

// q, k, v and the exponentials rounded once each, all else in double: one head for each key head.
DoubleArray rounded_once(const Qkv& in) {
  const DoubleArray q(rounded(in.q)), k(rounded(in.k)), v(rounded(in.v));
  const Index heads = in.q.shape()[1], n = in.q.shape()[2], m = in.k.shape()[2], d = in.q.shape()[3],
              dv = in.v.shape()[3];
  DoubleArray out(Tensor({1, heads, n, dv}));
  std::vector<double> p(static_cast<std::size_t>(m));
  for (Index row = 0; row < heads * n; ++row) {
    double max = -INFINITY, sum = 0;
    for (Index j = 0; j < m; ++j) {
      double score = 0;
      for (Index c = 0; c < d; ++c) score += q.row(row)[c] * k.row(row / n * m + j)[c];
      p[static_cast<std::size_t>(j)] = score / std::sqrt(static_cast<double>(d));
      max = std::max(max, p[static_cast<std::size_t>(j)]);
    }
    for (double& x : p) {
      x = static_cast<double>(bfloat16_to_float(float_to_bfloat16(static_cast<float>(std::exp(x - max)))));
      sum += x;
    }
    for (Index c = 0; c < dv; ++c) {
      double value = 0;
      for (Index j = 0; j < m; ++j) value += p[static_cast<std::size_t>(j)] * v.row(row / n * m + j)[c];
      out.values[static_cast<std::size_t>(row * dv + c)] = value / sum;
    }
  }
  return out;
}

TEST(Bfloat16Attention, error_is_what_the_header_says) {
  on_every_instruction_set([] {
    for (const Index d : {64, 128}) {
      const Qkv in = normal_qkv(1, 1, 70, 1030, d, d);
      const Tensor got = attention(in.q, in.k, in.v, in_bfloat16()).output;
      const DoubleArray truth =
          reference::attention(DoubleArray(in.q), DoubleArray(in.k), DoubleArray(in.v)).output;
      const double error = relative_error(got, truth);
      EXPECT_LE(error, 4e-3) << "D = " << d;
      EXPECT_GE(error, 1e-4) << "this is not bfloat16";
      // And no more than rounding every factor once costs.
      const DoubleArray once = rounded_once(in);
      Tensor once_float(got.shape());
      for (Index i = 0; i < got.shape().elements(); ++i) {
        once_float.data()[i] = static_cast<float>(once.values[static_cast<std::size_t>(i)]);
      }
      EXPECT_LE(error, 1.05 * relative_error(once_float, truth));
    }
  });
}

TEST(Bfloat16Attention, the_default_stays_float32) {
  const Qkv in = normal_qkv(1, 1, 40, 200, 64, 64);
  const DoubleArray truth =
      reference::attention(DoubleArray(in.q), DoubleArray(in.k), DoubleArray(in.v)).output;
  EXPECT_LE(relative_error(attention(in.q, in.k, in.v).output, truth), 1e-6);
}

// One step of keys, so that the maximum is that of the whole row: then every rounding is known.
TEST(Bfloat16Attention, rounds_queries_keys_values_and_exponentials_and_nothing_else) {
  on_every_instruction_set([] {
    for (const Index m : {1, 31, 32, 33, 100, 128}) {
      const Qkv in = normal_qkv(2, 2, 37, m, 48, 20);
      // Now and then an exponential lies on a tie but for its last bit.
      EXPECT_LE(relative_error(attention(in.q, in.k, in.v, in_bfloat16()).output, rounded_once(in)), 2e-4)
          << m << " keys";
    }
  });
}

// Against the reference of rounded inputs: each exponential, and their sum, is 2⁻⁹ off at most.
void expect_bfloat16(ConstView q, ConstView k, ConstView v, AttentionOptions options) {
  options.logsumexp = true;
  const Tensor rq = rounded(q), rk = rounded(k), rv = rounded(v);
  const reference::AttentionResult want =
      reference::attention(DoubleArray(rq), DoubleArray(rk), DoubleArray(rv), options);
  const AttentionResult got = attention(q, k, v, in_bfloat16(options));
  ASSERT_EQ(got.output.shape(), want.output.shape);
  const Index n = q.shape().back(1), m = k.shape().back(1), width = v.shape().back();
  const Index heads = q.shape().back(2), key_heads = k.shape().back(2);
  const DoubleArray values(rv);
  testing::WorstError output, logsumexp;
  for (Index row = 0; row < want.logsumexp.shape.elements(); ++row) {
    const Index head = row / n, key_head = head / heads * key_heads + head % heads / (heads / key_heads);
    logsumexp.compare("logsumexp", row, static_cast<double>(got.logsumexp.data()[row]),
                      want.logsumexp.values[static_cast<std::size_t>(row)], 1.0 / 500);
    for (Index c = 0; c < width; ++c) {
      double size = 0;
      for (Index j = 0; j < m; ++j) {
        const double weight = want.weights.row(row)[j];
        if (weight > 0) size += weight * std::abs(values.row(key_head * m + j)[c]);
      }
      output.compare("output", row * width + c, static_cast<double>(got.output.data()[row * width + c]),
                     want.output.row(row)[c], size / 250 + 1e-30);
    }
  }
  output.expect_none();
  logsumexp.expect_none();
}

void expect_case(const AttentionCase& c) {
  const testing::Input q = testing::queries_of(c), k = testing::keys_of(c), v = testing::values_of(c);
  expect_bfloat16(q.view, k.view, v.view, c.options);
}

TEST(Bfloat16Attention, every_mask) {
  const testing::OneThread one_thread;
  on_every_instruction_set([] {
    for (const testing::Feature<AttentionCase>& mask : testing::mask_features()) {
      for (const auto& [n, m] : {std::pair<Index, Index>{13, 21}, {70, 300}, {33, 129}}) {
        SCOPED_TRACE(std::string(mask.name) + ", " + std::to_string(n) + " × " + std::to_string(m));
        AttentionCase c;
        c.key_heads = 2, c.n = n, c.m = m;
        mask.apply(c);
        expect_case(c);
        testing::hide(c, Mask::causal());
        c.options.bias = Bias::alibi({0.5f, 0.25f, 0.125f, 0.1f});
        c.transposed_strides = true;
        expect_case(c);
      }
    }
  });
}

TEST(Bfloat16Attention, every_option) {
  const testing::OneThread one_thread;
  on_every_instruction_set([] {
    const std::vector<testing::Feature<AttentionCase>> features = {
        {"plain", [](AttentionCase&) {}},
        {"scale", [](AttentionCase& c) { c.options.scale = 0.3f; }},
        {"negative scale", [](AttentionCase& c) { c.options.scale = -0.2f; }},
        {"softcap", [](AttentionCase& c) { c.options.softcap = 2; }},
        {"dense bias",
         [](AttentionCase& c) {
           c.options.bias = Bias::dense(Random(8).normal({1, c.heads, c.n, c.m}));
         }},
        {"relative bias",
         [](AttentionCase& c) {
           c.options.bias = Bias::relative(Random(8).normal({21, c.heads}));
         }},
        {"one key head", [](AttentionCase& c) { c.key_heads = 1; }},
        {"strides", [](AttentionCase& c) { c.transposed_strides = true; }},
        {"one query", [](AttentionCase& c) { c.n = 1; }},
        {"wide", [](AttentionCase& c) { c.d = 70, c.dv = 100; }},
        {"no width", [](AttentionCase& c) { c.d = 0; }},
    };
    for (const testing::Feature<AttentionCase>& feature : features) {
      for (const Index m : {1, 32, 127, 260}) {
        SCOPED_TRACE(std::string(feature.name) + ", " + std::to_string(m) + " keys");
        AttentionCase c;
        c.n = 45, c.m = m;
        feature.apply(c);
        expect_case(c);
      }
    }
  });
}

TEST(Bfloat16Attention, empty_shapes) {
  const Qkv no_keys = normal_qkv(2, 1, 5, 0, 8, 4);
  const AttentionResult result =
      attention(no_keys.q, no_keys.k, no_keys.v, in_bfloat16({.logsumexp = true}));
  for (Index i = 0; i < 40; ++i) EXPECT_EQ(result.output.data()[i], 0);
  for (Index i = 0; i < 10; ++i) EXPECT_EQ(result.logsumexp.data()[i], -kInfinite);
  const Qkv no_queries = normal_qkv(2, 1, 0, 5, 8, 4), no_values = normal_qkv(1, 1, 3, 5, 8, 0);
  EXPECT_EQ(attention(no_queries.q, no_queries.k, no_queries.v, in_bfloat16()).output.shape(),
            Shape({1, 2, 0, 4}));
  EXPECT_EQ(attention(no_values.q, no_values.k, no_values.v, in_bfloat16()).output.shape(),
            Shape({1, 1, 3, 0}));
}

TEST(Bfloat16Attention, hidden_keys_and_values_have_no_effect) {
  on_every_instruction_set([] {
    const Qkv in = normal_qkv(1, 1, 100, 200, 16, 8);
    Flags real = Flags::filled({1, 200}, 1);
    for (const Index j : {0, 40, 63, 64, 199}) real(0, j) = 0;
    const AttentionOptions options = in_bfloat16({.mask = Mask::padding(real), .logsumexp = true});
    const AttentionResult want = attention(in.q, in.k, in.v, options);
    for (const float poison : {kNotANumber, kInfinite, -kInfinite}) {
      Qkv bad = {Tensor::copy_of(in.q), Tensor::copy_of(in.k), Tensor::copy_of(in.v)};
      for (const Index j : {0, 40, 63, 64, 199}) {
        for (Index c = 0; c < 16; ++c) bad.k(0, 0, j, c) = poison;
        for (Index c = 0; c < 8; ++c) bad.v(0, 0, j, c) = poison;
      }
      const AttentionResult got = attention(bad.q, bad.k, bad.v, options);
      for (Index i = 0; i < 800; ++i) {  // pair by pair, so in another order
        ASSERT_NEAR(got.output.data()[i], want.output.data()[i], 1e-5) << i;
      }
      for (Index i = 0; i < 100; ++i) ASSERT_EQ(got.logsumexp.data()[i], want.logsumexp.data()[i]);
    }
  });
}

TEST(Bfloat16Attention, a_row_that_sees_nothing_is_zero) {
  on_every_instruction_set([] {
    const Qkv in = normal_qkv(1, 1, 70, 40, 16, 8);  // causal: the first 30 queries see nothing
    const AttentionResult got =
        attention(in.q, in.k, in.v, in_bfloat16({.mask = Mask::causal(), .logsumexp = true}));
    for (Index i = 0; i < 30 * 8; ++i) ASSERT_EQ(got.output.data()[i], 0) << i;
    for (Index i = 0; i < 30; ++i) ASSERT_EQ(got.logsumexp.data()[i], -kInfinite) << i;
    EXPECT_NE(got.output(0, 0, 30, 0), 0);
  });
}

TEST(Bfloat16Attention, a_visible_nan_makes_its_rows_nan_and_no_others) {
  on_every_instruction_set([] {
    Qkv in = normal_qkv(1, 1, 60, 60, 16, 8);
    in.k(0, 0, 40, 3) = kNotANumber;
    const Tensor got = attention(in.q, in.k, in.v, in_bfloat16({.mask = Mask::causal()})).output;
    for (Index i = 0; i < 60; ++i) EXPECT_EQ(std::isnan(got(0, 0, i, 0)), i >= 40) << i;
  });
}

TEST(Bfloat16Attention, a_mask_of_minus_1e9_pushes_keys_away) {
  on_every_instruction_set([] {
    const Qkv in = normal_qkv(1, 1, 40, 140, 16, 8);
    Tensor values({40, 140});
    for (Index i = 0; i < 40; ++i) {
      for (Index j = i + 1; j < 140; ++j)
        values(i, j) = j % 2 == 0 ? -1e9f : -std::numeric_limits<float>::max();
    }
    expect_bfloat16(in.q, in.k, in.v, {.mask = Mask::additive(values)});
  });
}

TEST(Bfloat16Attention, only_minus_infinity_hides) {
  const Qkv in = normal_qkv(1, 1, 3, 40, 16, 8);
  Tensor lowest({3, 40});
  for (Index i = 0; i < 120; ++i) lowest.data()[i] = -std::numeric_limits<float>::max();
  const Tensor got = attention(in.q, in.k, in.v, in_bfloat16({.mask = Mask::additive(lowest)})).output;
  const Tensor v = rounded(in.v);
  for (Index c = 0; c < 8; ++c) {
    double mean = 0;
    for (Index j = 0; j < 40; ++j) mean += static_cast<double>(v(0, 0, j, c)) / 40;
    EXPECT_NEAR(static_cast<double>(got(0, 0, 2, c)), mean, 1e-5);
  }
}

TEST(Bfloat16Attention, means_of_values_near_the_end_of_float32) {
  Qkv in = normal_qkv(1, 1, 3, 300, 16, 8);
  for (Index i = 0; i < 300 * 8; ++i) in.v.data()[i] = 1e37f;
  const Tensor got = attention(in.q, in.k, in.v, in_bfloat16()).output;
  for (Index i = 0; i < 24; ++i) EXPECT_NEAR(got.data()[i] / 1e37f, 1, 4e-3);
}

TEST(Bfloat16Attention, bits_do_not_depend_on_the_number_of_threads) {
  const Qkv in = normal_qkv(4, 2, 333, 500, 40, 24);
  const int before = thread_count();
  const auto bits = [&](int threads) {
    set_thread_count(threads);
    const AttentionResult result =
        attention(in.q, in.k, in.v, in_bfloat16({.mask = Mask::causal(), .logsumexp = true}));
    std::vector<float> all(result.output.data(), result.output.data() + result.output.shape().elements());
    all.insert(all.end(), result.logsumexp.data(),
               result.logsumexp.data() + result.logsumexp.shape().elements());
    return all;
  };
  const std::vector<float> one = bits(1);
  EXPECT_EQ(bits(2), one);
  EXPECT_EQ(bits(5), one);
  set_thread_count(before);
}

TEST(Bfloat16Attention, stored_types_give_the_bits_of_those_converted_before) {
  const Shape shape = {1, 2, 150, 32};
  const Qkv in = normal_qkv(2, 2, 7, 150, 32, 32);
  std::vector<std::uint16_t> half, brain;
  std::vector<std::int8_t> whole;
  std::vector<float> scales(300);
  for (Index i = 0; i < shape.elements(); ++i) {
    half.push_back(float_to_half(in.k.data()[i]));
    brain.push_back(float_to_bfloat16(in.v.data()[i]));
    whole.push_back(static_cast<std::int8_t>(std::clamp(in.k.data()[i] * 30, -127.0f, 127.0f)));
  }
  for (std::size_t r = 0; r < scales.size(); ++r) scales[r] = 0.02f + 0.0001f * static_cast<float>(r);
  const TypedView values = TypedView::bfloat16(brain.data(), shape);
  for (const TypedView& keys :
       {TypedView::float16(half.data(), shape), TypedView::int8(whole.data(), scales.data(), shape)}) {
    const Tensor k = to_float32(keys), v = to_float32(values);
    const Tensor got =
        attention(ConstView(in.q), keys, values, in_bfloat16()).output;  // 7 queries: as they are
    const Tensor want = attention(in.q, k, v, in_bfloat16()).output;
    for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_EQ(got.data()[i], want.data()[i]) << i;
  }
}

TEST(Bfloat16Attention, what_it_does_not_compute_is_said) {
  const Qkv in = normal_qkv(1, 1, 4, 4, 8, 8);
  const std::string begin = " precision bfloat16 computes the output and log-sum-exp of attention; ";
  EXPECT_EQ(message_of([&] { attention(in.q, in.k, in.v, in_bfloat16({.weights = true})); }),
            "[attention]" + begin + "weights need float32");
  EXPECT_EQ(message_of([&] { attention(in.q, in.k, in.v, in_bfloat16({.dropout = 0.1f})); }),
            "[attention]" + begin + "dropout needs float32");
  EXPECT_EQ(message_of([&] { attention_statistics(in.q, in.k, in_bfloat16()); }),
            "[attention_statistics]" + begin + "this needs float32");
  const AttentionResult forward = attention(in.q, in.k, in.v, in_bfloat16({.logsumexp = true}));
  EXPECT_EQ(message_of([&] { attention_backward(in.q, in.k, in.v, forward, in.v, in_bfloat16()); }),
            "[attention_backward]" + begin + "this needs float32");
}

TEST(Bfloat16Attention, the_path_is_told) {
  const Qkv in = normal_qkv(1, 1, 100, 300, 8, 8);
  AttentionPath seen;
  observe_attention([&seen](const AttentionPath& path) { seen = path; });
  attention(in.q, in.k, in.v, in_bfloat16({.mask = Mask::causal()}));
  observe_attention({});
  EXPECT_EQ(seen.mode, "bfloat16 " + bfloat16_arithmetic());
  EXPECT_EQ(seen.strip_queries, 32);
  EXPECT_EQ(seen.step_keys, 128);
  // Query i sees keys up to 200 + i: of 4 strips × 3 steps the first strip does not see the last step.
  EXPECT_EQ(seen.hidden, 1);
  EXPECT_EQ(seen.full, 6);
  EXPECT_EQ(seen.partial, 5);
}

}  // namespace
}  // namespace fovea
