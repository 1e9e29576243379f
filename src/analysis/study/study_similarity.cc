#include "analysis/study/study_similarity.h"

#include <algorithm>
#include <cmath>

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

// Σ x ln x over a row of two heads' sum. Most of the time of a comparison is spent here.
double sum_x_log_x(const double* a, const double* b, Index n) {
  double sum = 0;
  for (Index j = 0; j < n; ++j) {
    const double x = a[j] + b[j];
    if (x > 0) sum += x * std::log(x);
  }
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
  std::vector<double> halves(at(heads * n));  // p / 2 of each head
  std::vector<double> own(at(heads));         // Σ (p / 2) ln p of each head, i.e. −H / 2
  std::vector<bool> sees(at(heads));
  for (Index r = 0; r < rows; ++r) {
    for (Index h = 0; h < heads; ++h) {
      const float* row = weights.data() + (r * heads + h) * n;
      double sum = 0;
      for (Index j = 0; j < n; ++j) sum += static_cast<double>(row[j]);
      sees[at(h)] = sum > 0;
      own[at(h)] = 0;
      for (Index j = 0; j < n; ++j) {
        const double p = sum > 0 ? static_cast<double>(row[j]) / sum : 0;
        halves[at(h * n + j)] = p / 2;
        if (p > 0) own[at(h)] += p / 2 * std::log(p);
      }
    }
    std::size_t pair = 0;
    for (Index a = 0; a < heads; ++a) {
      for (Index b = a + 1; b < heads; ++b, ++pair) {
        if (sees[at(a)] != sees[at(b)]) {
          sums[pair] += kLn2;
        } else if (sees[at(a)]) {
          const double mean = sum_x_log_x(halves.data() + a * n, halves.data() + b * n, n);
          sums[pair] += std::max(0.0, own[at(a)] + own[at(b)] - mean);
        }
      }
    }
  }
  return sums;
}

}  // namespace fovea
