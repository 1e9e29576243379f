#include "ops/weight_rows.h"

#include "kernels/weight_rows.h"

namespace fovea {
inline namespace internal {

static_assert(kRowMultiple == kernels::kRowPadding);

Index fewest_holding(std::span<const float> row, double share) {
  return kernels::keys_holding(row.data(), static_cast<Index>(row.size()), share);
}

void add_row_to_sums(std::span<const float> row, double* sums) {
  kernels::add_row_to_sums(row.data(), static_cast<Index>(row.size()), sums);
}

LargestOfRow largest_of_row(std::span<const float> row, const float* factors) {
  const auto largest = kernels::largest_weight(row.data(), factors, static_cast<Index>(row.size()));
  return {largest.weight, largest.key};
}

double sum_x_log_x(std::span<const float> a, const float* b) {
  return kernels::sum_x_log_x(a.data(), b, static_cast<Index>(a.size()));
}

}  // namespace internal
}  // namespace fovea
