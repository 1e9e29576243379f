#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "fovea/head_similarity.h"

namespace fovea {
namespace {

using Vector = std::vector<double>;

// −½ J S J, J = I − 1/n: scalar products of the points around their centre.
Matrix centred_products(const Matrix& squared) {
  const Index n = squared.rows();
  const auto count = static_cast<double>(n);
  Vector means(static_cast<std::size_t>(n));
  double all = 0;
  for (Index a = 0; a < n; ++a) {
    for (Index b = 0; b < n; ++b) means[static_cast<std::size_t>(a)] += squared(a, b) / count;
    all += means[static_cast<std::size_t>(a)] / count;
  }
  Matrix products(n, n);
  for (Index a = 0; a < n; ++a) {
    for (Index b = 0; b < n; ++b) {
      products(a, b) = -0.5 * (squared(a, b) - means[static_cast<std::size_t>(a)] -
                               means[static_cast<std::size_t>(b)] + all);
    }
  }
  return products;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Length 1, or all zeros if there is nothing left but rounding.
void normalise(Vector& v, double negligible) {
  const double length = std::sqrt(dot(v, v));
  for (double& x : v) x = length > negligible ? x / length : 0;
}

Vector product(const Matrix& matrix, const Vector& v) {
  Vector result(v.size());
  for (Index a = 0; a < matrix.rows(); ++a) {
    double sum = 0;
    for (Index b = 0; b < matrix.columns(); ++b) sum += matrix(a, b) * v[static_cast<std::size_t>(b)];
    result[static_cast<std::size_t>(a)] = sum;
  }
  return result;
}

// The two largest eigenvalues of a matrix without negative ones, by iteration of a plane: u and v span it,
// and are turned to the axes of the 2×2 matrix between them at each step. √JS distances embed in a
// Euclidean space, so there are no negative eigenvalues but for rounding.
std::pair<Vector, Vector> leading_plane(const Matrix& matrix, double scale) {
  constexpr int kMaxSteps = 2000;
  constexpr double kTolerance = 1e-15;
  const auto n = static_cast<std::size_t>(matrix.rows());
  Vector u(n), v(n);
  for (std::size_t i = 0; i < n; ++i) {  // any start that is not orthogonal to the answer
    u[i] = std::sin(1.0 + static_cast<double>(i));
    v[i] = std::cos(2.0 * static_cast<double>(i) * static_cast<double>(i) + 0.5);
  }
  double before = -1;
  for (int step = 0; step < kMaxSteps; ++step) {
    u = product(matrix, u);
    v = product(matrix, v);
    normalise(u, 1e-14 * scale);
    const double along = dot(u, v);
    for (std::size_t i = 0; i < n; ++i) v[i] -= along * u[i];
    normalise(v, 1e-14 * scale);
    const Vector mu = product(matrix, u), mv = product(matrix, v);
    const double uu = dot(u, mu), uv = dot(u, mv), vv = dot(v, mv);
    const double angle = 0.5 * std::atan2(2 * uv, uu - vv), c = std::cos(angle), s = std::sin(angle);
    for (std::size_t i = 0; i < n; ++i) {
      const double turned = c * u[i] + s * v[i];
      v[i] = c * v[i] - s * u[i];
      u[i] = turned;
    }
    const double captured = uu + vv;
    if (std::abs(captured - before) <= kTolerance * scale && step > 50) break;
    before = captured;
  }
  return {u, v};
}

// Coordinates of one axis: the vector times √eigenvalue, its largest coordinate positive.
void set_axis(const Matrix& products, const Vector& axis, Index column, Matrix& layout) {
  const double length = std::sqrt(std::max(0.0, dot(axis, product(products, axis))));
  const auto largest = std::max_element(
      axis.begin(), axis.end(), [](double a, double b) { return std::abs(a) < std::abs(b) - 1e-9; });
  const double sign = largest != axis.end() && *largest < 0 ? -1 : 1;
  for (Index i = 0; i < layout.rows(); ++i)
    layout(i, column) = sign * length * axis[static_cast<std::size_t>(i)];
}

}  // namespace

Matrix classical_scaling(const Matrix& squared) {
  if (squared.rows() != squared.columns()) {
    fail("[classical_scaling] got {}, expected a square matrix", squared.shape_text());
  }
  const Matrix products = centred_products(squared);
  double scale = 0;
  for (const double value : products.values()) scale = std::max(scale, std::abs(value));
  const auto [u, v] = leading_plane(products, scale);
  Matrix layout(squared.rows(), 2);
  set_axis(products, u, 0, layout);
  set_axis(products, v, 1, layout);
  return layout;
}

}  // namespace fovea
