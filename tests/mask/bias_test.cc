#include "fovea/bias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "mask/bias_node.h"
#include "mask/t5_buckets.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

// A table [rows, heads] in which every entry is different.
Tensor numbered(Index rows, Index heads) {
  Tensor table({rows, heads});
  for (Index k = 0; k < rows * heads; ++k) table.data()[k] = static_cast<float>(k) + 0.5f;
  return table;
}

const std::pair<Index, Index> kSizes[] = {{0, 0}, {0, 4}, {4, 0}, {1, 1}, {1, 9}, {7, 7}, {3, 12}, {12, 3}};

TEST(Bias, relative_is_the_clamped_row_of_the_table) {
  for (const Index max : {0, 1, 2, 5, 32}) {
    const Tensor table = numbered(2 * max + 1, 3);
    for (const auto& [n, m] : kSizes) {
      const Tensor values = Bias::relative(table).to_dense(3, n, m);
      ASSERT_EQ(values.shape(), (Shape{3, n, m}));
      for (Index h = 0; h < 3; ++h) {
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < m; ++j) {
            const Index row = std::clamp<Index>(j - (i + m - n), -max, max) + max;
            EXPECT_EQ(values(h, i, j), table(row, h))
                << "max " << max << " at " << h << ", " << i << ", " << j;
          }
        }
      }
    }
  }
}

// Where the bucket changes, from Hugging Face's T5 formula evaluated by NumPy in float32 over −2000..2000.
struct BucketRun {
  Index from, bucket;
};
const std::vector<BucketRun> kBidirectional = {
    {-2000, 15}, {-90, 14}, {-63, 13}, {-45, 12}, {-31, 11}, {-22, 10}, {-15, 9}, {-11, 8},
    {-7, 7},     {-6, 6},   {-5, 5},   {-4, 4},   {-3, 3},   {-2, 2},   {-1, 1},  {0, 0},
    {1, 17},     {2, 18},   {3, 19},   {4, 20},   {5, 21},   {6, 22},   {7, 23},  {8, 24},
    {12, 25},    {16, 26},  {23, 27},  {32, 28},  {46, 29},  {64, 30},  {91, 31}};
const std::vector<BucketRun> kOneDirection = {
    {-2000, 31}, {-112, 30}, {-98, 29}, {-86, 28}, {-76, 27}, {-66, 26}, {-58, 25}, {-51, 24},
    {-45, 23},   {-39, 22},  {-34, 21}, {-30, 20}, {-26, 19}, {-23, 18}, {-20, 17}, {-18, 16},
    {-15, 15},   {-14, 14},  {-13, 13}, {-12, 12}, {-11, 11}, {-10, 10}, {-9, 9},   {-8, 8},
    {-7, 7},     {-6, 6},    {-5, 5},   {-4, 4},   {-3, 3},   {-2, 2},   {-1, 1},   {0, 0}};
// 16 buckets to distance 100, one direction: boundaries that are no powers of two.
const std::vector<BucketRun> kUneven = {{-2000, 15}, {-72, 14}, {-53, 13}, {-38, 12}, {-28, 11}, {-20, 10},
                                        {-15, 9},    {-10, 8},  {-7, 7},   {-6, 6},   {-5, 5},   {-4, 4},
                                        {-3, 3},     {-2, 2},   {-1, 1},   {0, 0}};

void expect_buckets(const T5Buckets& to_bucket, const std::vector<BucketRun>& runs) {
  std::size_t run = 0;
  for (Index r = -2000; r <= 2000; ++r) {
    while (run + 1 < runs.size() && runs[run + 1].from <= r) ++run;
    ASSERT_EQ(to_bucket(r), runs[run].bucket) << "relative position " << r;
  }
}

TEST(Bias, t5_buckets_are_those_of_the_reference) {
  expect_buckets(T5Buckets(32, 128, true), kBidirectional);
  expect_buckets(T5Buckets(32, 128, false), kOneDirection);
  expect_buckets(T5Buckets(16, 100, false), kUneven);
}

TEST(Bias, t5_takes_the_bucket_of_key_minus_query) {
  const Tensor table = numbered(32, 2);
  for (const bool bidirectional : {true, false}) {
    const T5Buckets to_bucket(32, 128, bidirectional);
    const Bias bias = Bias::t5(table, 32, 128, bidirectional);
    const Index n = 3, m = 300;
    const Tensor values = bias.to_dense(2, n, m);
    for (Index h = 0; h < 2; ++h) {
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < m; ++j) {
          ASSERT_EQ(values(h, i, j), table(to_bucket(j - (i + m - n)), h)) << h << ", " << i << ", " << j;
        }
      }
    }
  }
}

TEST(Bias, alibi_is_the_slope_times_the_distance) {
  const std::vector<float> slopes = {0.5f, 0.25f};
  for (const auto& [n, m] : kSizes) {
    const Tensor values = Bias::alibi(slopes).to_dense(2, n, m);
    for (Index h = 0; h < 2; ++h) {
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < m; ++j) {
          const auto distance = static_cast<float>(std::abs(j - (i + m - n)));
          EXPECT_EQ(values(h, i, j), -slopes[static_cast<std::size_t>(h)] * distance);
        }
      }
    }
  }
}

TEST(Bias, alibi_slopes_of_the_paper) {
  using Slopes = std::vector<float>;
  EXPECT_EQ(alibi_slopes(1), (Slopes{0.00390625f}));
  EXPECT_EQ(alibi_slopes(2), (Slopes{0.0625f, 0.00390625f}));
  EXPECT_EQ(alibi_slopes(3), (Slopes{0.0625f, 0.00390625f, 0.25f}));
  EXPECT_EQ(alibi_slopes(6), (Slopes{0.25f, 0.0625f, 0.015625f, 0.00390625f, 0.5f, 0.125f}));
  EXPECT_EQ(alibi_slopes(8),
            (Slopes{0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f, 0.015625f, 0.0078125f, 0.00390625f}));
  const Slopes twelve = alibi_slopes(12);
  ASSERT_EQ(twelve.size(), 12u);
  EXPECT_FLOAT_EQ(twelve[8], 0.707106781f);
  EXPECT_FLOAT_EQ(twelve[9], 0.353553391f);
  EXPECT_FLOAT_EQ(twelve[11], 0.0883883476f);
  EXPECT_THROW(alibi_slopes(0), Error);
}

TEST(Bias, dense_broadcasts_and_owns_its_values) {
  Tensor values = Tensor::from({{{1, 2, 3}}, {{4, 5, 6}}});  // [2, 1, 3]: per batch entry, for every query
  const Bias bias = Bias::dense(values);
  values(0, 0, 0) = 100;
  const Tensor all = bias.to_dense(2, 4, 3);
  ASSERT_EQ(all.shape(), (Shape{2, 2, 4, 3}));
  EXPECT_EQ(all(0, 1, 3, 0), 1.0f);
  EXPECT_EQ(all(1, 0, 2, 2), 6.0f);
  const Bias heads = Bias::dense(Tensor::from({{{{1}}, {{2}}}}));  // [1, 2, 1, 1]: one number per head
  ASSERT_EQ(heads.to_dense(2, 2, 5).shape(), (Shape{2, 2, 5}));
  EXPECT_EQ(heads.to_dense(2, 2, 5)(1, 1, 4), 2.0f);
}

TEST(Bias, one_head_has_the_values_it_has_among_all) {
  const Tensor dense =
      Tensor::from({{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, {{{9, 10}, {11, 12}}, {{13, 14}, {15, 16}}}});
  const Bias biases[] = {Bias::relative(numbered(5, 2)), Bias::t5(numbered(32, 2)),
                         Bias::alibi({0.5f, 0.25f}), Bias::dense(dense)};
  for (const Bias& bias : biases) {
    const Tensor all = bias.to_dense(2, 2, 2);
    const bool batched = all.shape().rank() == 4;
    for (Index batch = 0; batch < 2; ++batch) {
      for (Index head = 0; head < 2; ++head) {
        const Tensor one = bias.select(batch, head).to_dense(1, 2, 2);
        ASSERT_EQ(one.shape(), (Shape{1, 2, 2}));
        for (Index i = 0; i < 2; ++i) {
          for (Index j = 0; j < 2; ++j) {
            EXPECT_EQ(one(0, i, j), batched ? all(batch, head, i, j) : all(head, i, j)) << bias.describe();
          }
        }
      }
    }
    EXPECT_THROW(bias.select(0, 2), Error);
    EXPECT_THROW(bias.select(0, -1), Error);
  }
  EXPECT_TRUE(Bias::none().select(3, 4).is_none());
}

TEST(Bias, adds_to_what_is_there_for_a_part_of_the_keys) {
  const Tensor table = numbered(5, 1);
  const Bias biases[] = {Bias::relative(table), Bias::t5(numbered(32, 1)), Bias::alibi({0.5f}),
                         Bias::dense(numbered(4, 9))};
  for (const Bias& bias : biases) {
    const Tensor all = bias.to_dense(1, 4, 9);
    for (Index begin = 0; begin <= 9; ++begin) {
      for (Index end = begin; end <= 9; ++end) {
        std::vector<float> out(10, 1000.0f);
        bias.node()->add_values({.batch = 0, .head = 0, .query = 2, .n = 4, .m = 9}, begin, end,
                                out.data());
        for (Index k = 0; k < 10; ++k) {
          const float expected = k < end - begin ? 1000.0f + all(0, 2, begin + k) : 1000.0f;
          EXPECT_EQ(out[static_cast<std::size_t>(k)], expected)
              << bias.describe() << " " << begin << ".." << end;
        }
      }
    }
  }
}

TEST(Bias, one_column_serves_every_head) {
  const Tensor values = Bias::relative(numbered(3, 1)).to_dense(4, 2, 2);
  EXPECT_EQ(values(3, 0, 1), values(0, 0, 1));
  EXPECT_EQ(Bias::alibi({0.5f}).to_dense(3, 1, 2)(2, 0, 0), -0.5f);
}

TEST(Bias, messages_name_both_extents) {
  const Bias relative = Bias::relative(numbered(3, 8));
  EXPECT_EQ(message_of([&] { relative.to_dense(4, 2, 2); }),
            "[bias] relative, max 1 is for 8 heads, the call has 4");
  EXPECT_EQ(message_of([] { Bias::dense(numbered(4, 5)).to_dense(2, 4, 6); }),
            "[bias] dense is for 5 keys, the call has 6");
  EXPECT_EQ(message_of([] { Bias::dense(numbered(4, 5)).to_dense(2, 3, 5); }),
            "[bias] dense is for 4 queries, the call has 3");
  EXPECT_EQ(message_of([] {
              Bias::alibi({1, 2}).to_dense(3, 3, 5);
            }),
            "[bias] ALiBi is for 2 heads, the call has 3");
  EXPECT_EQ(message_of([] { Bias::relative(numbered(4, 2)); }),
            "[bias] relative has a table of 4 rows, expected an odd number, 2·max+1");
  EXPECT_EQ(message_of([] { Bias::t5(numbered(16, 2)); }),
            "[bias] T5 has a table of 16 rows, expected one per bucket, 32");
}

TEST(Bias, bad_arguments_throw) {
  EXPECT_THROW(Bias::relative(Tensor({3})), Error);
  EXPECT_THROW(Bias::relative(Tensor({3, 0})), Error);
  EXPECT_THROW(Bias::t5(numbered(2, 1), 2, 128, true), Error);
  EXPECT_THROW(Bias::t5(numbered(32, 1), 32, 8, true), Error);
  EXPECT_THROW(Bias::t5(numbered(32, 1), 32, Index{1} << 40, true), Error);
  EXPECT_THROW(Bias::alibi({}), Error);
  EXPECT_THROW(Bias::dense(Tensor({4})), Error);
  EXPECT_THROW(Bias::none().to_dense(-1, 2, 2), Error);
}

TEST(Bias, none_adds_nothing) {
  EXPECT_TRUE(Bias::none().is_none());
  EXPECT_EQ(Bias::none().describe(), "none");
  const Tensor values = Bias::none().to_dense(2, 1, 3);
  EXPECT_EQ(values.shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(values(1, 0, 2), 0.0f);
  EXPECT_EQ(Bias::t5(numbered(32, 2)).describe(), "T5, 32 buckets to distance 128");
}

}  // namespace
}  // namespace fovea
