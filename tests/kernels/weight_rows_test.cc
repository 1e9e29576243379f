// What a study asks of rows of weights, against plain loops in double, on every instruction set.
#include "kernels/weight_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "core/at.h"
#include "fovea/random.h"
#include "support/instruction_sets.h"

namespace fovea::kernels {
namespace {

Index keys_by_sorting(std::vector<float> row, double share) {
  std::sort(row.begin(), row.end(), std::greater<>());
  const double target = share * std::accumulate(row.begin(), row.end(), 0.0);
  double held = 0;
  Index keys = 0;
  while (keys < static_cast<Index>(row.size()) && held < target)
    held += static_cast<double>(row[at(keys++)]);
  return keys;
}

// From alike to one key alone, with zeros and ties; every length up to a few vectors.
std::vector<std::vector<float>> rows_of_weights() {
  Random random(11);
  std::vector<std::vector<float>> rows;
  for (Index trial = 0; trial < 1500; ++trial) {
    std::vector<float> row(at(1 + trial % 150));
    const double sharpness = 8 * random.uniform();
    for (float& weight : row) {
      const double drawn = std::exp(sharpness * random.normal());
      weight = random.uniform() < 0.1 ? 0.0f : static_cast<float>(drawn);
      if (trial % 5 == 0 && weight > 0) weight = std::exp2(std::round(std::log2(weight)));  // ties
    }
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (float& weight : row) weight = sum > 0 ? static_cast<float>(static_cast<double>(weight) / sum) : 0;
    rows.push_back(std::move(row));
  }
  return rows;
}

Index keys_of(const std::vector<float>& row, double share) {
  Index keys = -2;
  keys_holding(row.data(), 1, static_cast<Index>(row.size()), share, &keys);
  return keys;
}

TEST(WeightRows, keys_holding_as_many_as_sorting_finds) {
  const std::vector<std::vector<float>> rows = rows_of_weights();
  fovea::testing::on_every_instruction_set([&] {
    Index given_up = 0;
    for (const std::vector<float>& row : rows) {
      for (const double share : {0.9 * (1 - 1e-6), 0.5003}) {
        const Index keys = keys_of(row, share);
        if (keys < 0) {
          ++given_up;
        } else {
          ASSERT_EQ(keys, keys_by_sorting(row, share)) << row.size() << " weights, " << share;
        }
      }
    }
    EXPECT_LE(given_up, 3);
  });
}

// Searched together: each finds what it finds alone, however many there are and whatever the others need.
TEST(WeightRows, keys_holding_of_many_rows) {
  Random random(13);
  for (const Index count : {1, 3, 4, 5, 8, 11}) {
    for (const Index m : {1, 7, 16, 37, 128}) {
      std::vector<float> rows(at(count * m));
      for (Index i = 0; i < count; ++i) {
        const double sharpness = i % 3 == 1 ? 0 : 6 * random.uniform();  // alike, or not
        for (Index j = 0; j < m; ++j) {
          rows[at(i * m + j)] =
              i % 5 == 2 ? 0.0f : static_cast<float>(std::exp(sharpness * random.normal()));
        }
      }
      fovea::testing::on_every_instruction_set([&] {
        std::vector<Index> together(at(count), -2);
        keys_holding(rows.data(), count, m, 0.9, together.data());
        for (Index i = 0; i < count; ++i) {
          const std::vector<float> row(rows.begin() + i * m, rows.begin() + (i + 1) * m);
          EXPECT_EQ(together[at(i)], keys_by_sorting(row, 0.9))
              << "row " << i << " of " << count << ", " << m;
        }
      });
    }
  }
}

TEST(WeightRows, keys_holding_of_ties_and_zeros) {
  fovea::testing::on_every_instruction_set([] {
    const auto holding = [](const std::vector<float>& row) { return keys_of(row, 0.9 * (1 - 1e-6)); };
    EXPECT_EQ(holding({}), 0);
    EXPECT_EQ(holding({0, 0}), 0);
    EXPECT_EQ(holding(std::vector<float>(10, 0.1f)), 9);
    EXPECT_EQ(holding(std::vector<float>(100, 0.01f)), 90);
    EXPECT_EQ(holding(std::vector<float>(1000, 0.001f)), 900);
    std::vector<float> heavy(50, 0.0f);
    heavy[49] = 1;
    EXPECT_EQ(holding(heavy), 1);
    std::fill(heavy.begin(), heavy.begin() + 20, 0.05f);  // one, then twenty equal ones: 1 + 16 · 0.05
    EXPECT_EQ(holding(heavy), 17);
  });
}

TEST(WeightRows, rows_are_added_in_double) {
  fovea::testing::on_every_instruction_set([] {
    for (const std::vector<float>& row : rows_of_weights()) {
      std::vector<double> sums(row.size() + 1, 1.0 / 3);
      add_row_to_sums(row.data(), static_cast<Index>(row.size()), sums.data());
      for (std::size_t j = 0; j < row.size(); ++j) {
        ASSERT_EQ(sums[j], 1.0 / 3 + static_cast<double>(row[j])) << j << " of " << row.size();
      }
      ASSERT_EQ(sums.back(), 1.0 / 3);
    }
  });
}

TEST(WeightRows, the_largest_is_the_first_of_equals) {
  Random random(12);
  std::vector<std::vector<float>> rows = rows_of_weights();
  rows.push_back(std::vector<float>(37, 0.0f));
  std::vector<std::vector<float>> factors;
  for (const std::vector<float>& row : rows) {
    factors.emplace_back();
    for (std::size_t j = 0; j < row.size(); ++j) factors.back().push_back(random.uniform() < 0.3 ? 0 : 1);
  }
  fovea::testing::on_every_instruction_set([&] {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      LargestWeight want;
      for (std::size_t j = 0; j < rows[r].size(); ++j) {
        const float product = rows[r][j] * factors[r][j];
        if (product > want.weight) want = {product, static_cast<Index>(j)};
      }
      const LargestWeight got =
          largest_weight(rows[r].data(), factors[r].data(), static_cast<Index>(rows[r].size()));
      ASSERT_EQ(got.weight, want.weight) << "row " << r;
      ASSERT_EQ(got.key, want.key) << "row " << r;
    }
  });
}

TEST(WeightRows, x_log_x_within_what_the_header_says) {
  std::vector<float> a(at(kRowPadding), 0.0f);
  const std::vector<float> b(at(kRowPadding), 0.0f);
  fovea::testing::on_every_instruction_set([&] {
    EXPECT_EQ(sum_x_log_x(b.data(), b.data(), kRowPadding), 0);
    double worst = 0;
    for (int i = 0; i <= 20000; ++i) {
      const float x =
          i < 10000 ? static_cast<float>(i) / 5000 : std::exp2(-static_cast<float>(i - 10000) / 80);
      a[at(i % kRowPadding)] = x;
      const double want = x > 0 ? static_cast<double>(x) * std::log(static_cast<double>(x)) : 0;
      worst = std::max(worst, std::abs(sum_x_log_x(a.data(), b.data(), kRowPadding) - want));
      a[at(i % kRowPadding)] = 0;
    }
    EXPECT_LT(worst, 1.5e-7);
  });
  // Every place of both rows counts.
  Random random(13);
  std::vector<float> c(at(3 * kRowPadding)), d(c.size());
  for (float& x : c) x = static_cast<float>(random.uniform());
  for (float& x : d) x = static_cast<float>(random.uniform());
  double want = 0;
  for (std::size_t j = 0; j < c.size(); ++j) {
    const double x = static_cast<double>(c[j]) + static_cast<double>(d[j]);
    want += x * std::log(x);
  }
  fovea::testing::on_every_instruction_set(
      [&] { EXPECT_NEAR(sum_x_log_x(c.data(), d.data(), 3 * kRowPadding), want, 5e-6); });
}

TEST(WeightRows, x_log_x_of_a_long_row_is_not_rounded_to_its_sum) {
  constexpr Index kKeys = 256 * kRowPadding;
  Random random(14);
  std::vector<float> a(at(kKeys)), b(a.size(), 0.0f);
  for (float& weight : a) weight = static_cast<float>(random.uniform() * 2 / static_cast<double>(kKeys));
  double want = 0;
  for (const float weight : a) {
    if (weight > 0) want += static_cast<double>(weight) * std::log(static_cast<double>(weight));
  }
  fovea::testing::on_every_instruction_set(
      [&] { EXPECT_NEAR(sum_x_log_x(a.data(), b.data(), kKeys), want, 2e-7); });
}

TEST(WeightRows, amounts_go_to_the_marked_counters_and_nowhere_else) {
  Random random(21);
  for (const Index width : {1, 2, 7, 8, 9, 31, 33, 63, 64}) {
    const Index rows = 5;
    std::vector<MarkedAmount> amounts;
    for (Index i = 0; i < 40; ++i) {
      amounts.push_back({random.below(rows), random(), static_cast<std::int64_t>(random() >> 20)});
    }
    std::vector<std::int64_t> expected(at(rows * width), 5);
    for (const MarkedAmount& each : amounts) {
      for (Index i = 0; i < width; ++i) {
        if ((each.marks >> i & 1) != 0) expected[at(each.row * width + i)] += each.amount;
      }
    }
    fovea::testing::on_every_instruction_set([&] {
      std::vector<std::int64_t> counters(at(rows * width), 5);
      add_marked(counters.data(), width, amounts.data(), static_cast<Index>(amounts.size()));
      EXPECT_EQ(counters, expected) << width << " counters";
    });
  }
}

}  // namespace
}  // namespace fovea::kernels
