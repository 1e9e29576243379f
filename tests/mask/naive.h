// Masks from their definitions, pair by pair: what the intervals are compared with.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "fovea/mask.h"
#include "mask/mask_node.h"

namespace fovea::testing {

// One pair: query i of batch entry b and head h, and key j, of N queries and M keys.
struct Pair {
  Index b = 0, h = 0, i = 0, j = 0, n = 0, m = 0;
  Index p() const { return i + m - n; }
};
using Naive = std::function<bool(const Pair&)>;

inline Naive naive_none() {
  return [](const Pair&) { return true; };
}
inline Naive naive_causal() {
  return [](const Pair& x) { return x.j <= x.p(); };
}
inline Naive naive_causal_top_left() {
  return [](const Pair& x) { return x.j <= x.i; };
}
inline Naive naive_window(Index before, Index after) {
  return [=](const Pair& x) { return x.p() - before <= x.j && x.j <= x.p() + after; };
}
inline Naive naive_sparse(Index s) {
  return [=](const Pair& x) { return std::abs(x.p() - x.j) <= s || x.p() % s == 0 || x.j % s == 0; };
}
inline Naive naive_prefix(Index n) {
  return [=](const Pair& x) { return x.j < n || x.j <= x.p(); };
}
inline Naive naive_lengths(const std::vector<Index>& lengths) {
  return [=](const Pair& x) { return x.j < lengths[static_cast<std::size_t>(x.b) % lengths.size()]; };
}
// ids [batch, M]
inline Naive naive_padding(const std::vector<std::int64_t>& ids, Index batch, std::int64_t pad) {
  return [=](const Pair& x) { return ids[static_cast<std::size_t>(x.b % batch * x.m + x.j)] != pad; };
}
inline Naive naive_documents(const std::vector<std::int64_t>& ids, Index batch) {
  return [=](const Pair& x) {
    if (x.p() < 0 || x.p() >= x.m) return false;
    const Index sequence = x.b % batch * x.m;
    return ids[static_cast<std::size_t>(sequence + x.p())] == ids[static_cast<std::size_t>(sequence + x.j)];
  };
}
// Where the value of the pair stands in row-major [B, H, N, M] with extents of 1 repeated.
inline std::size_t broadcast_offset(const Pair& x, Index b, Index h, Index n, Index m) {
  return static_cast<std::size_t>((((x.b % b) * h + x.h % h) * n + x.i % n) * m + x.j % m);
}

// The value of an array in any of the shapes of to_bool.
template <typename ArrayType>
auto value_at(const ArrayType& values, const Pair& x) {
  const Shape& shape = values.shape();
  const Index h = shape.rank() == 4 ? shape[1] : 1;
  const Index b = shape.rank() >= 3 ? shape[0] : 1;
  return values.data()[broadcast_offset(x, b, h, shape.back(1), shape.back(0))];
}

// Calls visit(pair) for every pair of all batch entries and heads the mask knows.
template <typename Visit>
void for_each_pair(const Mask& mask, Index n, Index m, const Visit& visit) {
  for (Index b = 0; b < std::max<Index>(mask.batch(), 1); ++b) {
    for (Index h = 0; h < std::max<Index>(mask.heads(), 1); ++h) {
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < m; ++j) visit(Pair{b, h, i, j, n, m});
      }
    }
  }
}

inline std::string to_string(const Pair& x) {
  return fmt::format("batch {} head {} query {} key {} of {}x{}", x.b, x.h, x.i, x.j, x.n, x.m);
}

// Empty if to_bool and density agree with the definition; else what differs.
inline std::string difference(const Mask& mask, const Naive& naive, Index n, Index m) {
  const Flags visible = mask.to_bool(n, m);
  Index seen = 0, pairs = 0;
  std::string wrong;
  for_each_pair(mask, n, m, [&](const Pair& x) {
    const bool expected = naive(x);
    seen += expected ? 1 : 0;
    ++pairs;
    if (expected != (value_at(visible, x) != 0)) wrong = to_string(x);
  });
  const double density = pairs == 0 ? 1.0 : static_cast<double>(seen) / static_cast<double>(pairs);
  if (wrong.empty() && std::abs(density - mask.density(n, m)) > 1e-12) {
    wrong = fmt::format("density {}, expected {}", mask.density(n, m), density);
  }
  return wrong.empty() ? wrong : fmt::format("{}: {}", mask.describe(n, m), wrong);
}

}  // namespace fovea::testing
