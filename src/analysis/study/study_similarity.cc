#include "analysis/study/study_similarity.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/at.h"

namespace fovea {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15u;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
}

constexpr Index kLanes = 8;

// x ln x for 0 ≤ x ≤ 2, 0 for 0, within 1.5e-7. Without a branch, so that compilers make vectors of it: as
// std::log in double, the comparison of heads was a tenth of a study. The polynomial is that of Cephes'
// logf.
inline float x_log_x(float x) {
  constexpr std::uint32_t kRootHalf = 0x3F3504F3;
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t exponent = (bits - static_cast<std::int32_t>(kRootHalf)) >> 23;
  const float f = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1;  // √½ − 1 .. √2 − 1
  const auto e = static_cast<float>(exponent);
  float y = 7.0376836292e-2f * f - 1.1514610310e-1f;
  y = y * f + 1.1676998740e-1f;
  y = y * f - 1.2420140846e-1f;
  y = y * f + 1.4249322787e-1f;
  y = y * f - 1.6668057665e-1f;
  y = y * f + 2.0000714765e-1f;
  y = y * f - 2.4999993993e-1f;
  y = y * f + 3.3333331174e-1f;
  const float square = f * f;
  y = y * f * square - 2.12194440e-4f * e - 0.5f * square;
  return x * (f + y + 0.693359375f * e);
}

// Σ x ln x over the sum of two rows, of a multiple of kLanes numbers.
double sum_x_log_x(const float* a, const float* b, Index count) {
  std::array<float, kLanes> lanes = {};
  for (Index j = 0; j < count; j += kLanes) {
    for (Index l = 0; l < kLanes; ++l) lanes[at(l)] += x_log_x(a[j + l] + b[j + l]);
  }
  double sum = 0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

}  // namespace

std::vector<Index> compared_rows(std::uint64_t hash, Index n, Index rows) {
  std::vector<Index> chosen;
  for (Index r = 0; r < rows; ++r) {
    const auto row = static_cast<Index>(mixed(hash + static_cast<std::uint64_t>(r)) % at(n));
    if (std::find(chosen.begin(), chosen.end(), row) == chosen.end()) chosen.push_back(row);
  }
  return chosen;
}

std::vector<double> divergence_sums(const std::vector<float>& weights, Index rows, Index heads, Index n) {
  std::vector<double> sums(at(heads * (heads - 1) / 2), 0.0);
  const Index padded = (n + kLanes - 1) / kLanes * kLanes;
  std::vector<float> halves(at(heads * padded), 0.0f);  // p / 2 of each head, then zeros
  std::vector<double> own(at(heads));                   // Σ (p / 2) ln p of each head, i.e. −H / 2
  std::vector<bool> sees(at(heads));
  for (Index r = 0; r < rows; ++r) {
    for (Index h = 0; h < heads; ++h) {
      const float* row = weights.data() + (r * heads + h) * n;
      float* half = halves.data() + h * padded;
      double sum = 0;
      for (Index j = 0; j < n; ++j) sum += static_cast<double>(row[j]);
      sees[at(h)] = sum > 0;
      const double factor = sum > 0 ? 0.5 / sum : 0;
      for (Index j = 0; j < n; ++j) half[j] = static_cast<float>(static_cast<double>(row[j]) * factor);
      own[at(h)] = sum_x_log_x(half, half, padded) / 2;
    }
    std::size_t pair = 0;
    for (Index a = 0; a < heads; ++a) {
      for (Index b = a + 1; b < heads; ++b, ++pair) {
        if (sees[at(a)] != sees[at(b)]) {
          sums[pair] += kLn2;
        } else if (sees[at(a)]) {
          const double mean = sum_x_log_x(halves.data() + a * padded, halves.data() + b * padded, padded);
          sums[pair] += std::max(0.0, own[at(a)] + own[at(b)] - mean);
        }
      }
    }
  }
  return sums;
}

}  // namespace fovea
