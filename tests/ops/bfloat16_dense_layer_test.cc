// Dense layers with precision bfloat16, against double arithmetic on inputs and weights that are rounded
// first.
#include "kernels/bfloat16_dense_layer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/half.h"
#include "fovea/instruction_set.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "ops/dense_layer.h"
#include "support/amx_emulator.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

PackedWeights in_pairs(const Tensor& w) {
  return PackedWeights(w, FloatType::bfloat16, Precision::bfloat16);
}

double rounded(float x) { return static_cast<double>(bfloat16_to_float(float_to_bfloat16(x))); }

std::vector<double> all_rounded(const Tensor& t) {
  std::vector<double> result;
  for (Index i = 0; i < t.shape().elements(); ++i) result.push_back(rounded(t.data()[i]));
  return result;
}

// The bound of the header: (E + 4) · 2⁻²⁴ of the sum of magnitudes.
void expect_rounded_product(const Tensor& x, const Tensor& w, const Tensor& got) {
  const Index inputs = x.shape()[1];
  const std::vector<double> all_x = all_rounded(x), all_w = all_rounded(w);
  for (Index r = 0; r < x.shape()[0]; ++r) {
    for (Index f = 0; f < w.shape()[0]; ++f) {
      double want = 0, size = 0;
      for (Index t = 0; t < inputs; ++t) {
        const double term = all_x[static_cast<std::size_t>(r * inputs + t)] *
                            all_w[static_cast<std::size_t>(f * inputs + t)];
        want += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(static_cast<double>(got(r, f)), want, size * static_cast<double>(inputs + 4) / (1 << 24))
          << "row " << r << " of " << x.shape()[0] << ", output " << f << " of " << w.shape()[0] << ", "
          << inputs << " inputs";
    }
  }
}

TEST(Bfloat16DenseLayer, every_shape_against_double) {
  on_every_instruction_set([] {
    Random random(1);
    for (const Index inputs : {0, 1, 31, 33, 200, 513, 1100}) {
      for (const Index outputs : {1, 32, 33, 97}) {
        const Tensor w = random.normal({outputs, inputs});
        const PackedWeights packed = in_pairs(w);
        for (const Index rows : {1, 2, 12, 13, 32, 33, 129}) {
          if ((rows > 33 || inputs > 200) && outputs != 33) continue;  // a second per set is enough
          const Tensor x = random.normal({rows, inputs});
          Tensor out = Tensor({rows, outputs});
          dense_layer(x, packed, {}, out.view());
          expect_rounded_product(x, w, out);
        }
      }
    }
  });
}

// On numbers that bfloat16 keeps, everything but the order of the sums is that of the float32 layer.
TEST(Bfloat16DenseLayer, bias_activation_and_end_are_those_of_float32) {
  on_every_instruction_set([] {
    Random random(2);
    const auto kept = [&](const Shape& shape) {
      Tensor t = random.normal(shape);
      for (Index i = 0; i < t.shape().elements(); ++i)
        t.data()[i] = static_cast<float>(rounded(t.data()[i]));
      return t;
    };
    const Tensor w = kept({53, 37}), bias = random.normal({53});
    const PackedWeights narrow = in_pairs(w), wide(w);
    for (const Index rows : {1, 6, 40}) {
      const Tensor x = kept({rows, 37});
      for (const Activation activation : {Activation::none, Activation::relu, Activation::silu,
                                          Activation::gelu, Activation::gelu_tanh}) {
        for (const DenseEnd end : {DenseEnd::store, DenseEnd::add, DenseEnd::multiply}) {
          for (const float* b : {bias.data(), static_cast<const float*>(nullptr)}) {
            Tensor got = Random(7).normal({rows, 53}), want = got;
            dense_layer(x, narrow, {b, activation, end}, got.view());
            dense_layer(x, wide, {b, activation, end}, want.view());
            for (Index i = 0; i < got.shape().elements(); ++i) {
              ASSERT_NEAR(got.data()[i], want.data()[i], 2e-5f)
                  << rows << " rows, activation " << static_cast<int>(activation) << ", end "
                  << static_cast<int>(end) << ", element " << i;
            }
          }
        }
      }
    }
  });
}

TEST(Bfloat16DenseLayer, heads_apart_are_the_same_numbers_elsewhere) {
  on_every_instruction_set([] {
    Random random(6);
    for (const Index width : {1, 5, 20, 32, 64}) {
      for (const Index tokens : {1, 3, 70}) {
        const Index batch = 3, heads = width == 1 ? 50 : 8, outputs = heads * width;
        const Tensor x = random.normal({batch, tokens, 100}), bias = random.normal({outputs});
        const PackedWeights packed = in_pairs(random.normal({outputs, 100}));
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

TEST(Bfloat16DenseLayer, error_is_what_the_header_says) {
  on_every_instruction_set([] {
    Random random(3);
    for (const Index inputs : {32, 512, 4096}) {
      for (const Index rows : {1, 19}) {
        const Tensor w = random.normal({70, inputs}), x = random.normal({rows, inputs});
        Tensor got({rows, 70}), want({rows, 70});
        dense_layer(x, in_pairs(w), {}, got.view());
        dense_layer(x, PackedWeights(w), {}, want.view());
        double error = 0, norm = 0;
        for (Index i = 0; i < got.shape().elements(); ++i) {
          error += std::pow(static_cast<double>(got.data()[i] - want.data()[i]), 2);
          norm += std::pow(static_cast<double>(want.data()[i]), 2);
        }
        EXPECT_LE(std::sqrt(error / norm), 3e-3) << inputs << " inputs";
        EXPECT_GE(std::sqrt(error / norm), 1e-3) << "this is not bfloat16";
      }
    }
  });
}

// The rows of a batch, cut anywhere, and packed by any number of threads.
TEST(Bfloat16DenseLayer, the_same_bits_for_any_threads_and_any_number_of_rows) {
  Random random(4);
  const Tensor x = random.normal({300, 700}), w = random.normal({331, 700}), bias = random.normal({331});
  const DenseOptions options = {bias.data(), Activation::gelu, DenseEnd::store};
  const int threads = thread_count();
  set_thread_count(1);
  Tensor one({300, 331});
  const PackedWeights packed = in_pairs(w);
  dense_layer(x, packed, options, one.view());
  for (const int count : {2, 3}) {
    set_thread_count(count);
    Tensor again({300, 331}), by_rows({300, 331});
    dense_layer(x, in_pairs(w), options, again.view());
    EXPECT_EQ(std::memcmp(one.data(), again.data(), 4 * 300 * 331), 0) << count << " threads";
    if (bfloat16_arithmetic() != "portable") continue;  // AMX has an order of its own
    Index row = 0;
    for (const Index rows : {1, 2, 12, 13, 31, 33, 64, 128, 16}) {
      dense_layer(x.view().slice(0, row, row + rows), packed, options,
                  by_rows.view().slice(0, row, row + rows));
      row += rows;
    }
    ASSERT_EQ(row, 300);
    EXPECT_EQ(std::memcmp(one.data(), by_rows.data(), 4 * 300 * 331), 0) << "by rows";
  }
  set_thread_count(threads);
}

TEST(Bfloat16DenseLayer, numbers_that_are_not_finite_stay_in_their_rows_and_outputs) {
  on_every_instruction_set([] {
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::bit_cast<float>(0x7FFFFFFFu);  // careless rounding would make −0 of it
    for (const Index rows : {4, 40}) {
      const Index inputs = 20;  // a vector, and some more
      Tensor x({rows, inputs}), w({3, inputs}), y({rows, 3});
      for (Index r = 0; r < rows; ++r) x(r, 0) = x(r, 1) = x(r, 2) = 1;
      for (Index i = 0; i < w.shape().elements(); ++i) w.data()[i] = 1;
      x(0, 1) = nan;
      x(2, 0) = infinity;
      w(1, 2) = nan;
      dense_layer(x, in_pairs(w), {}, y.view());
      EXPECT_TRUE(std::isnan(y(0, 0)) && std::isnan(y(0, 1)) && std::isnan(y(0, 2)));
      EXPECT_TRUE(y(1, 0) == 3 && std::isnan(y(1, 1)) && y(1, 2) == 3);
      EXPECT_TRUE(y(2, 0) == infinity && std::isnan(y(2, 1)) && y(2, 2) == infinity);
      EXPECT_TRUE(y(3, 0) == 3 && std::isnan(y(3, 1)) && y(3, 2) == 3);
    }
  });
}

TEST(Bfloat16DenseLayer, rows_and_columns_come_back_rounded) {
  on_every_instruction_set([] {
    const Tensor w = Random(5).normal({61, 201});
    PackedWeights packed(61, 201, FloatType::bfloat16, Precision::bfloat16);
    const Tensor across = Tensor::copy_of(w.view().slice(0, 30, 61).transpose(0, 1));
    packed.set(30, 0, across.view().transpose(0, 1));
    packed.set(0, 0, w.view().slice(0, 0, 30).slice(1, 0, 71));  // an odd number: pairs are cut
    packed.set(0, 71, w.view().slice(0, 0, 30).slice(1, 71, 201));
    std::vector<float> row(201);
    const Tensor columns = packed.columns(25, 47);
    ASSERT_EQ(columns.shape(), Shape({201, 22}));
    for (Index f = 0; f < 61; ++f) {
      packed.copy_row(f, row.data());
      for (Index t = 0; t < 201; ++t) {
        ASSERT_EQ(static_cast<double>(row[static_cast<std::size_t>(t)]), rounded(w(f, t))) << f << " " << t;
        if (f < 25 || f >= 47) continue;
        ASSERT_EQ(static_cast<double>(columns(t, f - 25)), rounded(w(f, t)));
      }
    }
  });
}

// Panels do not depend on the instruction set: what was packed for one serves all.
TEST(Bfloat16DenseLayer, weights_serve_every_instruction_set) {
  if (std::getenv("FOVEA_ISA") != nullptr) GTEST_SKIP() << "needs more than one instruction set";
  const Tensor w = Random(8).normal({50, 40}), x = Random(9).normal({7, 40});
  force_instruction_set(available_instruction_sets().front());
  const PackedWeights packed = in_pairs(w);
  on_every_instruction_set([&] {
    Tensor out({7, 50});
    dense_layer(x, packed, {}, out.view());
    expect_rounded_product(x, w, out);
  });
}

#if defined(__x86_64__) && defined(__linux__)

// The whole layer above AMX's machine code, carried out by software where the processor has none.
TEST(Bfloat16DenseLayer, by_the_machine_code_for_amx) {
  const int threads = thread_count();
  set_thread_count(1);  // whose state can be looked at
  const testing::AmxEmulator emulator;
  testing::AmxState& state = testing::amx_state();
  state = {};
  const Tensor w = Random(8).normal({70, 600}), x = Random(9).normal({40, 600});
  const PackedWeights packed = in_pairs(w);
  Tensor amx({40, 70});
  kernels::bfloat16_dense_layer({x.data(), 40, packed, nullptr, {amx.data()}}, kernels::amx_tile_unit());
  set_thread_count(threads);
  expect_rounded_product(x, w, amx);
  if (kernels::amx_is_there()) return;  // the processor did it all
  EXPECT_EQ(state.mistakes, 0);
  EXPECT_FALSE(state.configured);
  // 4 products a block: 2 blocks of rows × 3 of outputs × 19 of inputs.
  EXPECT_EQ(state.products, 4 * 2 * 3 * 19);
}

#endif

}  // namespace
}  // namespace fovea
