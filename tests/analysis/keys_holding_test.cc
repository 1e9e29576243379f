// The fewest keys that hold a share, against sorting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis/row_measures.h"
#include "fovea/random.h"

namespace fovea {
namespace {

Index keys_of(std::initializer_list<double> row, std::vector<double>& scratch) {
  return keys_holding(0.9, std::vector<double>(row), scratch);
}

Index keys_of(const std::vector<float>& row) {
  Index keys = -1;
  keys_holding(kHeldShare, row.data(), static_cast<Index>(row.size()), {&keys, 1});
  return keys;
}

Index by_sorting(double share, std::vector<double> row) {
  std::sort(row.begin(), row.end(), std::greater<>());
  const double target = share * (1 - kHeldTolerance) * std::accumulate(row.begin(), row.end(), 0.0);
  double held = 0;
  Index keys = 0;
  while (keys < static_cast<Index>(row.size()) && held < target)
    held += row[static_cast<std::size_t>(keys++)];
  return keys;
}

TEST(KeysHolding, as_many_as_sorting_finds) {
  Random random(7);
  std::vector<double> scratch;
  for (int trial = 0; trial < 3000; ++trial) {
    const double sharpness = 12 * random.uniform();  // from alike to one key alone
    std::vector<double> row(static_cast<std::size_t>(1 + random.below(200)));
    for (double& weight : row) weight = random.uniform() < 0.1 ? 0 : std::exp(sharpness * random.normal());
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (trial % 2 == 0 && sum > 0) std::for_each(row.begin(), row.end(), [&](double& w) { w /= sum; });
    EXPECT_EQ(keys_holding(kHeldShare, row, scratch), by_sorting(kHeldShare, row)) << "trial " << trial;
  }
}

// Of float32, where the search is another one, and where a bound may fall on the target itself.
TEST(KeysHolding, of_float_rows_as_many_as_of_double_ones) {
  Random random(8);
  for (int trial = 0; trial < 5000; ++trial) {
    const double sharpness = 12 * random.uniform();
    std::vector<float> row(static_cast<std::size_t>(1 + random.below(200)));
    for (float& weight : row) {
      weight = random.uniform() < 0.1 ? 0 : static_cast<float>(std::exp(sharpness * random.normal()));
    }
    if (trial % 10 == 0) std::fill(row.begin(), row.end(), row.front());
    const std::vector<double> same(row.begin(), row.end());
    EXPECT_EQ(keys_of(row), by_sorting(kHeldShare, same)) << "trial " << trial;
  }
}

// Among the smallest floats no bound lies between: the search gives up, the answer does not.
TEST(KeysHolding, of_the_smallest_floats) {
  std::vector<float> row(20, 1e-45f);
  row[3] = 4e-45f;
  EXPECT_EQ(keys_of(row), by_sorting(0.9, std::vector<double>(row.begin(), row.end())));
}

TEST(KeysHolding, ties_zeros_and_the_smallest) {
  std::vector<double> scratch;
  EXPECT_EQ(keys_of({}, scratch), 0);
  EXPECT_EQ(keys_of({0, 0}, scratch), 0);
  EXPECT_EQ(keys_holding(0.9, std::vector<double>(10, 0.1), scratch), 9);
  EXPECT_EQ(keys_of({1e-300, 1e-310, 0}, scratch), 1);
  EXPECT_EQ(keys_of({3, 1e-40, 1}, scratch), 2);
}

}  // namespace
}  // namespace fovea
