#include <algorithm>
#include <limits>

#include "core/fail.h"
#include "fovea/head_similarity.h"

namespace fovea {
namespace {

using Leaves = std::vector<Index>;

// a and b side by side, each turned so that the ends that meet are nearest.
Leaves joined(Leaves a, Leaves b, const Matrix& distances) {
  const double meet[] = {distances(a.back(), b.front()), distances(a.back(), b.back()),
                         distances(a.front(), b.front()), distances(a.front(), b.back())};
  const auto best = std::min_element(std::begin(meet), std::end(meet)) - std::begin(meet);
  if (best >= 2) std::reverse(a.begin(), a.end());
  if (best % 2 == 1) std::reverse(b.begin(), b.end());
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::vector<Index> clustering_order(const Matrix& distances) {
  if (distances.rows() != distances.columns()) {
    fail("[clustering_order] got {}, expected a square matrix", distances.shape_text());
  }
  std::vector<Leaves> clusters;
  for (Index i = 0; i < distances.rows(); ++i) clusters.push_back({i});
  Matrix between = distances;  // mean distance between clusters; rows of merged ones stay unused
  Leaves open(clusters.size());
  for (Index i = 0; i < distances.rows(); ++i) open[static_cast<std::size_t>(i)] = i;
  while (open.size() > 1) {
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t first = 0, second = 1;  // the first of equals
    for (std::size_t a = 0; a < open.size(); ++a) {
      for (std::size_t b = a + 1; b < open.size(); ++b) {
        if (between(open[a], open[b]) >= nearest) continue;
        nearest = between(open[a], open[b]);
        first = a, second = b;
      }
    }
    Leaves& a = clusters[static_cast<std::size_t>(open[first])];
    Leaves& b = clusters[static_cast<std::size_t>(open[second])];
    const auto size_a = static_cast<double>(a.size()), size_b = static_cast<double>(b.size());
    for (const Index c : open) {
      const double mean =
          (size_a * between(open[first], c) + size_b * between(open[second], c)) / (size_a + size_b);
      between(open[first], c) = between(c, open[first]) = mean;
    }
    a = joined(std::move(a), std::move(b), distances);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return clusters.empty() ? Leaves{} : clusters[static_cast<std::size_t>(open.front())];
}

}  // namespace fovea
