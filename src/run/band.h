// Matrices too large to be there at once, band by band.
#pragma once

#include <algorithm>

#include "fovea/shape.h"

namespace fovea {

inline constexpr Index kBandFloats = Index{1} << 25;  // 128 MB: of 100,000 keys and 12 heads, 27 rows
inline constexpr Index kBandRows = 256;               // enough for the products to be efficient

// Rows of a band, if one row holds so many numbers.
inline Index band_rows(Index numbers_per_row) {
  return std::clamp<Index>(kBandFloats / std::max<Index>(1, numbers_per_row), 1, kBandRows);
}

// Calls take(begin, end) for bands of the rows [begin, end), in order.
template <typename Take>
void for_each_row_band(Index begin, Index end, Index numbers_per_row, const Take& take) {
  const Index rows = band_rows(numbers_per_row);
  for (Index first = begin; first < end; first += rows) take(first, std::min(end, first + rows));
}

}  // namespace fovea
