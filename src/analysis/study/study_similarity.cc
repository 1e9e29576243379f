#include "analysis/study/study_similarity.h"

#include <algorithm>
#include <cstdint>

#include "core/at.h"
#include "ops/weight_rows.h"

namespace fovea {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15u;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
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
  const Index padded = (n + kRowMultiple - 1) / kRowMultiple * kRowMultiple;
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
      own[at(h)] = sum_x_log_x({half, at(padded)}, half) / 2;
    }
    std::size_t pair = 0;
    for (Index a = 0; a < heads; ++a) {
      for (Index b = a + 1; b < heads; ++b, ++pair) {
        if (sees[at(a)] != sees[at(b)]) {
          sums[pair] += kLn2;
        } else if (sees[at(a)]) {
          const double mean =
              sum_x_log_x({halves.data() + a * padded, at(padded)}, halves.data() + b * padded);
          sums[pair] += std::max(0.0, own[at(a)] + own[at(b)] - mean);
        }
      }
    }
  }
  return sums;
}

}  // namespace fovea
