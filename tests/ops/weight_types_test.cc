// Dense layers whose weights are kept in 16 or 8 bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/half.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "ops/dense_layer.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

constexpr FloatType kNarrow[] = {FloatType::float16, FloatType::bfloat16, FloatType::int8};

// What the header promises: relative L2 error of a layer's output for N(0, 1) inputs and weights.
double promised_error(FloatType type) {
  return type == FloatType::bfloat16 ? 2e-3 : type == FloatType::float16 ? 2.5e-4 : 1.2e-2;
}

// W as the type keeps it: rounded numbers, and of int8 whole numbers with a scale per row.
struct Kept {
  Tensor numbers;
  std::vector<float> scales;
};
Kept kept(const Tensor& w, FloatType type) {
  const Index outputs = w.shape()[0], inputs = w.shape()[1];
  Kept result{Tensor(w.shape()), std::vector<float>(static_cast<std::size_t>(outputs), 1.0f)};
  for (Index f = 0; f < outputs; ++f) {
    float largest = 0;
    for (Index t = 0; t < inputs; ++t) largest = std::max(largest, std::abs(w(f, t)));
    const float scale = largest / 127;
    if (type == FloatType::int8) result.scales[static_cast<std::size_t>(f)] = scale;
    for (Index t = 0; t < inputs; ++t) {
      const float x = w(f, t);
      result.numbers(f, t) = type == FloatType::float16    ? half_to_float(float_to_half(x))
                             : type == FloatType::bfloat16 ? bfloat16_to_float(float_to_bfloat16(x))
                                                           : std::nearbyint(x * (1 / scale));
    }
  }
  return result;
}

Tensor product(const Tensor& x, const PackedWeights& weights, const DenseOptions& options = {}) {
  Tensor out = Random(7).normal({x.shape()[0], weights.outputs()});  // what `add` and `multiply` find there
  dense_layer(x, weights, options, out.view());
  return out;
}

void expect_same_bits(const Tensor& got, const Tensor& want, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  for (Index i = 0; i < got.shape().elements(); ++i) {
    ASSERT_EQ(got.data()[i], want.data()[i]) << what << ", element " << i;
  }
}

TEST(WeightTypes, sixteen_bits_give_the_bits_of_rounded_weights_in_float32) {
  on_every_instruction_set([] {
    Random random(1);
    for (const FloatType type : {FloatType::float16, FloatType::bfloat16}) {
      for (const Index inputs : {0, 1, 193, 400}) {
        for (const Index outputs : {1, 23, 50, 97}) {
          const Tensor w = random.normal({outputs, inputs}), bias = random.normal({outputs});
          const PackedWeights narrow(w, type), wide(kept(w, type).numbers);
          for (const Index rows : {1, 2, 5, 67}) {
            const Tensor x = random.normal({rows, inputs});
            const std::string what = std::string(to_string(type)) + ", " + std::to_string(rows) +
                                     " rows, " + std::to_string(inputs) + " inputs, " +
                                     std::to_string(outputs) + " outputs";
            for (const DenseEnd end : {DenseEnd::store, DenseEnd::add, DenseEnd::multiply}) {
              if (end != DenseEnd::store && (rows > 5 || outputs != 50)) continue;
              const DenseOptions options = {bias.data(), Activation::gelu, end};
              expect_same_bits(product(x, narrow, options), product(x, wide, options), what);
            }
          }
        }
      }
    }
  });
}

TEST(WeightTypes, int8_scales_each_sum_of_whole_numbers_once) {
  on_every_instruction_set([] {
    Random random(2);
    for (const Index inputs : {1, 193, 400}) {
      for (const Index outputs : {1, 23, 50, 97}) {
        const Tensor w = random.normal({outputs, inputs}), bias = random.normal({outputs});
        const Kept numbers = kept(w, FloatType::int8);
        const PackedWeights narrow(w, FloatType::int8), whole(numbers.numbers);
        for (const Index rows : {1, 2, 67}) {
          const Tensor x = random.normal({rows, inputs});
          Tensor want = product(x, whole);
          for (Index r = 0; r < rows; ++r) {
            for (Index f = 0; f < outputs; ++f) want(r, f) *= numbers.scales[static_cast<std::size_t>(f)];
          }
          expect_same_bits(product(x, narrow), want, std::to_string(rows) + " rows");
          for (Index r = 0; r < rows; ++r) {
            for (Index f = 0; f < outputs; ++f) want(r, f) += bias(f);
          }
          expect_same_bits(product(x, narrow, {.bias = bias.data()}), want, "with a bias");
        }
      }
    }
  });
}

TEST(WeightTypes, errors_are_those_of_the_contract) {
  on_every_instruction_set([] {
    Random random(3);
    for (const Index inputs : {32, 512, 4096}) {
      const Tensor w = random.normal({70, inputs}), x = random.normal({9, inputs});
      const Tensor want = product(x, PackedWeights(w));
      for (const FloatType type : kNarrow) {
        const Tensor got = product(x, PackedWeights(w, type));
        double error = 0, norm = 0;
        for (Index i = 0; i < got.shape().elements(); ++i) {
          const double g = static_cast<double>(got.data()[i]), f = static_cast<double>(want.data()[i]);
          error += (g - f) * (g - f);
          norm += f * f;
        }
        const double relative = std::sqrt(error / norm);
        EXPECT_LE(relative, promised_error(type)) << to_string(type) << ", " << inputs << " inputs";
        EXPECT_GE(relative, promised_error(type) / 4) << "a contract that says too little";
      }
    }
  });
}

TEST(WeightTypes, the_same_bits_for_any_threads_and_any_number_of_rows) {
  Random random(4);
  const Tensor x = random.normal({70, 300}), w = random.normal({331, 300});
  const int threads = thread_count();
  for (const FloatType type : kNarrow) {
    const PackedWeights packed(w, type);
    set_thread_count(1);
    const Tensor one = product(x, packed);
    for (const int count : {2, 3}) {
      set_thread_count(count);
      expect_same_bits(product(x, packed), one, std::to_string(count) + " threads");
      Tensor by_row({70, 331});
      for (Index row = 0; row < 70; ++row) {
        dense_layer(x.view().slice(0, row, row + 1), packed, {}, by_row.view().slice(0, row, row + 1));
      }
      expect_same_bits(by_row, one, "row by row");
      // Packed by so many threads.
      expect_same_bits(product(x, PackedWeights(w, type)), one, "packed again");
    }
  }
  set_thread_count(threads);
}

TEST(WeightTypes, rows_and_columns_come_back_as_they_are_kept) {
  on_every_instruction_set([] {
    const Tensor w = Random(5).normal({61, 200});
    for (const FloatType type : kNarrow) {
      const Kept want = kept(w, type);
      PackedWeights packed(61, 200, type);  // int8 takes whole rows, in any strides
      const Tensor across = Tensor::copy_of(w.view().slice(0, 30, 61).transpose(0, 1));
      packed.set(30, 0, across.view().transpose(0, 1));
      if (type == FloatType::int8) {
        packed.set(0, 0, w.view().slice(0, 0, 30));
      } else {
        packed.set(0, 0, w.view().slice(0, 0, 30).slice(1, 0, 70));
        packed.set(0, 70, w.view().slice(0, 0, 30).slice(1, 70, 200));
      }
      std::vector<float> row(200);
      const Tensor columns = packed.columns(25, 47);
      ASSERT_EQ(columns.shape(), Shape({200, 22}));
      for (Index f = 0; f < 61; ++f) {
        packed.copy_row(f, row.data());
        for (Index t = 0; t < 200; ++t) {
          const float number = want.numbers(f, t) * want.scales[static_cast<std::size_t>(f)];
          ASSERT_EQ(row[static_cast<std::size_t>(t)], number) << to_string(type) << " " << f << " " << t;
          if (f >= 25 && f < 47) {
            ASSERT_EQ(columns(t, f - 25), number);
          }
        }
      }
    }
  });
}

TEST(WeightTypes, rows_of_zeros_and_rows_that_are_not_finite) {
  on_every_instruction_set([] {
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor x = Tensor::from({{1, 1}, {2, 3}});
    const Tensor w = Tensor::from({{0, 0}, {1e-40, 1e-40}, {infinity, 1}, {nan, 1}, {4, -2}});
    for (const Index rows : {1, 2}) {
      const ConstView some = x.view().slice(0, 0, rows);
      for (const FloatType type : kNarrow) {
        Tensor y({rows, 5});
        dense_layer(some, PackedWeights(w, type), {}, y.view());
        EXPECT_EQ(y(0, 0), 0) << to_string(type);
        EXPECT_NEAR(y(0, 1), 0, 1e-39) << to_string(type);
        EXPECT_FALSE(std::isfinite(y(0, 2))) << to_string(type);
        EXPECT_TRUE(std::isnan(y(0, 3))) << to_string(type);
        EXPECT_NEAR(y(0, 4), 2, 0.05) << to_string(type);  // ±127 and ∓64 of 127
      }
    }
  });
}

}  // namespace
}  // namespace fovea
