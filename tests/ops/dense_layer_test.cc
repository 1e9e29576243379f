#include "ops/dense_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/instruction_sets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

constexpr Activation kAll[] = {Activation::none, Activation::relu, Activation::silu, Activation::gelu,
                               Activation::gelu_tanh};
constexpr DenseEnd kEnds[] = {DenseEnd::store, DenseEnd::add, DenseEnd::multiply};

double activation_in_double(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  return 0;
}

double ended(DenseEnd end, double out, double y) {
  return end == DenseEnd::store ? y : end == DenseEnd::add ? out + y : out * y;
}

// A row of the product by a plain loop in double, and the sum of its magnitudes, of which rounding is a
// part.
struct Sum {
  double value, magnitude;
};
Sum product(const Tensor& x, const Tensor& w, Index row, Index output) {
  Sum sum{0, 0};
  for (Index t = 0; t < x.shape()[1]; ++t) {
    const double term = static_cast<double>(x(row, t)) * static_cast<double>(w(output, t));
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

void expect_layer(const Tensor& x, const Tensor& w, const Tensor& bias, const DenseOptions& options) {
  const Index rows = x.shape()[0], outputs = w.shape()[0];
  const PackedWeights packed(w);
  Tensor out = Random(7).normal({rows, outputs});
  const Tensor before = out;
  dense_layer(x, packed, options, out.view());
  const double epsilon = std::numeric_limits<float>::epsilon();
  for (Index r = 0; r < rows; ++r) {
    for (Index f = 0; f < outputs; ++f) {
      const Sum sum = product(x, w, r, f);
      const double in = sum.value + (options.bias == nullptr ? 0 : static_cast<double>(bias(f)));
      const double y = activation_in_double(options.activation, in);
      const double old = static_cast<double>(before(r, f)), want = ended(options.end, old, y);
      // Activations are no steeper than 1.13; sums of up to 200 terms round like their square root.
      const double error =
          8 * epsilon * (sum.magnitude + std::abs(in)) + 2.5e-7 * std::max(1.0, std::abs(in));
      const double scale = options.end == DenseEnd::multiply ? std::abs(old) : 1;
      ASSERT_NEAR(static_cast<double>(out(r, f)), want, scale * error + epsilon * std::abs(want))
          << "row " << r << " of " << rows << ", output " << f << " of " << outputs << ", " << x.shape()[1]
          << " inputs, activation " << static_cast<int>(options.activation) << ", end "
          << static_cast<int>(options.end);
    }
  }
}

TEST(DenseLayer, every_shape_against_double) {
  on_every_instruction_set([] {
    Random random(1);
    for (const Index inputs : {0, 1, 7, 191, 192, 193, 400}) {
      for (const Index outputs : {1, 3, 23, 24, 25, 47, 48, 50, 97}) {
        const Tensor w = random.normal({outputs, inputs}), bias = random.normal({outputs});
        for (const Index rows : {1, 2, 3, 4, 5, 63, 64, 67}) {
          if (rows > 5 && inputs > 1 && outputs % 24 > 1) continue;  // a second per set is enough
          const Tensor x = random.normal({rows, inputs});
          expect_layer(x, w, bias, {bias.data(), Activation::none, DenseEnd::store});
        }
      }
    }
  });
}

TEST(DenseLayer, every_activation_and_end) {
  on_every_instruction_set([] {
    Random random(2);
    const Tensor w = random.normal({53, 37}), bias = random.normal({53});
    for (const Index rows : {1, 6}) {
      const Tensor x = random.normal({rows, 37});
      for (const Activation activation : kAll) {
        for (const DenseEnd end : kEnds) {
          expect_layer(x, w, bias, {bias.data(), activation, end});
          expect_layer(x, w, bias, {nullptr, activation, end});
        }
      }
    }
  });
}

TEST(DenseLayer, activations_over_their_whole_range) {
  on_every_instruction_set([] {
    Tensor x({60001, 1});  // −30 to 30
    for (Index i = 0; i < 60001; ++i) x.data()[i] = static_cast<float>(i - 30000) * 1e-3f;
    const Tensor special = Tensor::from(
        {{1e-30}, {-1e-30}, {1e10}, {-1e10}, {1.41421354}, {-1.41421354}, {0}, {-0.0}, {100}, {-100}});
    const Tensor one = Tensor::from({{1}});
    for (const Activation activation : kAll) {
      expect_layer(x, one, {}, {nullptr, activation, DenseEnd::store});
      expect_layer(special, one, {}, {nullptr, activation, DenseEnd::store});
    }
  });
}

TEST(DenseLayer, infinities_and_nan) {
  on_every_instruction_set([] {
    const float infinity = std::numeric_limits<float>::infinity();
    const PackedWeights one(Tensor::from({{1}}));
    for (const Activation activation : kAll) {
      Tensor x({4, 1}), y({4, 1});
      x(0, 0) = std::numeric_limits<float>::quiet_NaN();
      x(1, 0) = infinity;
      x(2, 0) = 2;
      x(3, 0) = 0;
      dense_layer(x, one, {nullptr, activation, DenseEnd::store}, y.view());
      EXPECT_TRUE(std::isnan(y(0, 0))) << static_cast<int>(activation);
      EXPECT_EQ(y(1, 0), infinity) << static_cast<int>(activation);
      EXPECT_FALSE(std::isnan(y(2, 0))) << static_cast<int>(activation);
      EXPECT_EQ(y(3, 0), 0) << static_cast<int>(activation);
    }
  });
}

TEST(DenseLayer, the_same_bits_for_any_threads_and_any_number_of_rows) {
  Random random(3);
  const Tensor x = random.normal({150, 500}), w = random.normal({331, 500}), bias = random.normal({331});
  const PackedWeights packed(w);
  const DenseOptions options = {bias.data(), Activation::gelu, DenseEnd::store};
  const int threads = thread_count();
  Tensor one({150, 331}), four({150, 331}), by_row({150, 331});
  set_thread_count(1);
  dense_layer(x, packed, options, one.view());
  set_thread_count(4);
  dense_layer(x, packed, options, four.view());
  for (Index row = 0; row < 150; ++row) {
    dense_layer(x.view().slice(0, row, row + 1), packed, options, by_row.view().slice(0, row, row + 1));
  }
  set_thread_count(threads);
  EXPECT_EQ(std::memcmp(one.data(), four.data(), 4 * 150 * 331), 0);
  EXPECT_EQ(std::memcmp(one.data(), by_row.data(), 4 * 150 * 331), 0);
}

// Heads narrower and wider than a vector, and sequences that end in the middle of a block of rows.
TEST(DenseLayer, heads_apart_are_the_same_numbers_elsewhere) {
  on_every_instruction_set([] {
    Random random(6);
    for (const Index width : {1, 5, 8, 20, 32, 64}) {
      for (const Index tokens : {1, 3, 70}) {
        const Index batch = 3, heads = width == 1 ? 50 : 5, outputs = heads * width;
        const Tensor x = random.normal({batch, tokens, 200}), bias = random.normal({outputs});
        const PackedWeights packed(random.normal({outputs, 200}));
        Tensor rows({batch, tokens, outputs}), apart({batch, heads, tokens, width});
        dense_layer(x, packed, {.bias = bias.data()}, rows.view());
        dense_heads(x, packed, bias.data(), width, apart.view());
        for (Index b = 0; b < batch; ++b) {
          for (Index n = 0; n < tokens; ++n) {
            for (Index c = 0; c < outputs; ++c) {
              ASSERT_EQ(apart(b, c / width, n, c % width), rows(b, n, c))
                  << "heads of " << width << ", " << tokens << " tokens: " << b << " " << n << " " << c;
            }
          }
        }
      }
    }
  });
}

TEST(PackedWeights, rows_and_columns_come_back) {
  on_every_instruction_set([] {
    const Tensor w = Random(4).normal({61, 29});
    PackedWeights packed(61, 29);  // in five blocks, one of them transposed, one with gaps everywhere
    packed.set(0, 0, w.view().slice(0, 0, 30).slice(1, 0, 10));
    packed.set(0, 10, w.view().slice(0, 0, 30).slice(1, 10, 29));
    packed.set(
        30, 0,
        Tensor::copy_of(w.view().slice(0, 30, 61).slice(1, 0, 10).transpose(0, 1)).view().transpose(0, 1));
    packed.set(30, 10, w.view().slice(0, 30, 61).slice(1, 10, 29));
    Tensor gaps({122, 58});
    for (Index f = 0; f < 5; ++f)
      for (Index t = 0; t < 7; ++t) gaps(2 * f, 2 * t) = w(f, t);
    packed.set(0, 0, ConstView(gaps.view()).slice(0, 0, 10, 2).slice(1, 0, 14, 2));
    std::vector<float> row(29);
    const Tensor columns = packed.columns(30, 47);
    ASSERT_EQ(columns.shape(), Shape({29, 17}));
    for (Index f = 0; f < 61; ++f) {
      packed.copy_row(f, row.data());
      for (Index t = 0; t < 29; ++t) ASSERT_EQ(row[static_cast<std::size_t>(t)], w(f, t));
      for (Index t = 0; t < 29 && f >= 30 && f < 47; ++t) ASSERT_EQ(columns(t, f - 30), w(f, t));
    }
  });
}

TEST(DenseLayer, shapes_that_do_not_fit_are_an_error) {
  const PackedWeights packed(Tensor({5, 4}));
  Tensor out({2, 5});
  EXPECT_EQ(testing::message_of([&] {
              dense_layer(Tensor({2, 3}), packed, {}, out.view());
            }),
            "[linear] x is [2, 3], expected [.., 4]");
  EXPECT_EQ(testing::message_of([&] {
              dense_layer(Tensor({3, 4}), packed, {}, out.view());
            }),
            "[linear] the result is [2, 5], expected [3, 5], contiguous");
  Tensor heads({1, 2, 2, 2});
  EXPECT_EQ(testing::message_of([&] {
              dense_heads(Tensor({1, 2, 4}), packed, nullptr, 2, heads.view());
            }),
            "[linear] 5 outputs of x [1, 2, 4] do not make heads of width 2");
}

}  // namespace
}  // namespace fovea
