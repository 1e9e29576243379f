#include "nn/stored_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/half.h"
#include "fovea/random.h"
#include "nn/embedding.h"
#include "support/message_of.h"

namespace fovea {
namespace {

constexpr Index kRows = 11, kWidth = 7;  // odd: rows of int8 and of 16 bits end between whole floats

float kept(const Tensor& table, Index row, Index column, FloatType type) {
  const float x = table(row, column);
  if (type == FloatType::float16) return half_to_float(float_to_half(x));
  if (type == FloatType::bfloat16) return bfloat16_to_float(float_to_bfloat16(x));
  if (type == FloatType::float32) return x;
  float largest = 0;
  for (Index i = 0; i < kWidth; ++i) largest = std::max(largest, std::abs(table(row, i)));
  const float scale = largest / 127;
  return std::nearbyint(x * (1 / scale)) * scale;
}

TEST(StoredTable, an_embedding_gives_the_rounded_rows) {
  const Tensor table = Random(1).normal({kRows, kWidth});
  const Ids ids({1, 3}, {10, 0, 4});
  for (const FloatType type :
       {FloatType::float32, FloatType::float16, FloatType::bfloat16, FloatType::int8}) {
    StoredTable stored(kRows, kWidth, type);
    stored.set(6, Tensor::copy_of(table.view().slice(0, 6, 11)));
    stored.set(0, Tensor::copy_of(table.view().slice(0, 0, 6)));
    const Embedding embedding(std::move(stored));
    EXPECT_EQ(embedding.rows(), kRows);
    EXPECT_EQ(embedding.width(), kWidth);
    Tensor x = embedding(ids, "model");
    for (Index n = 0; n < 3; ++n) {
      for (Index e = 0; e < kWidth; ++e) {
        ASSERT_EQ(x(0, n, e), kept(table, ids(0, n), e, type)) << to_string(type) << " " << n << " " << e;
      }
    }
    const float before = x(0, 1, 2);
    embedding.add_to(x, ids, "model");
    EXPECT_EQ(x(0, 1, 2), before + before);
    EXPECT_EQ(testing::message_of([&] {
                embedding(Ids({1, 1}, {11}), "model");
              }),
              "[model] token 0 of sequence 0 is 11, expected 0 to 10");
  }
}

}  // namespace
}  // namespace fovea
