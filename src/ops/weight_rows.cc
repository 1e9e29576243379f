#include "ops/weight_rows.h"

namespace fovea {
inline namespace internal {

static_assert(kRowMultiple == kernels::kRowPadding);

void fewest_holding(const float* rows, Index m, double share, std::span<Index> keys) {
  kernels::keys_holding(rows, static_cast<Index>(keys.size()), m, share, keys.data());
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

void add_marked(std::int64_t* rows, Index width, std::span<const MarkedAmount> amounts) {
  kernels::add_marked(rows, width, amounts.data(), static_cast<Index>(amounts.size()));
}

}  // namespace internal
}  // namespace fovea
