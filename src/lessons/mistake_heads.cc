#include "lessons/mistake_heads.h"

#include "explain/arithmetic.h"

namespace fovea {
namespace {

// What reshape(H, N, D) makes of [N, H·D]: the numbers as they lie in memory, cut into H runs.
std::vector<Matrix> cut_in_runs(const Matrix& wide, Index heads) {
  const Index width = wide.columns() / heads, each = wide.rows() * width;
  std::vector<Matrix> parts;
  for (Index h = 0; h < heads; ++h) {
    const auto begin = wide.values().begin() + h * each;
    parts.emplace_back(wide.rows(), width, std::vector<double>(begin, begin + each));
  }
  return parts;
}

// What reshape(N, H·D) makes of [H, N, D].
Matrix runs_in_a_row(const std::vector<Matrix>& parts) {
  std::vector<double> values;
  for (const Matrix& part : parts) {
    values.insert(values.end(), part.values().begin(), part.values().end());
  }
  const Index rows = parts.front().rows();
  return {rows, static_cast<Index>(values.size()) / rows, values};
}

}  // namespace

std::vector<Matrix> split_heads(const Matrix& wide, Index heads, const Slips& slips) {
  if (slips.has(Slip::heads_not_split)) return {wide};
  // Forms: 0 both ways by reshape, 1 only when splitting, 2 only when joining.
  if (slips.is(Slip::heads_split_by_rows, 0) || slips.is(Slip::heads_split_by_rows, 1)) {
    return cut_in_runs(wide, heads);
  }
  const Index width = wide.columns() / heads;
  std::vector<Matrix> parts;
  for (Index h = 0; h < heads; ++h) parts.push_back(wide.columns_between(h * width, (h + 1) * width));
  return parts;
}

Matrix join_heads(const std::vector<Matrix>& outputs, const Slips& slips) {
  if (slips.is(Slip::heads_split_by_rows, 0) || slips.is(Slip::heads_split_by_rows, 2)) {
    return runs_in_a_row(outputs);
  }
  if (slips.is(Slip::heads_averaged, 0)) return mean_of(outputs);
  return side_by_side(outputs);
}

Matrix mean_of(const std::vector<Matrix>& matrices) {
  Matrix total = matrices.front();
  for (std::size_t i = 1; i < matrices.size(); ++i) total = sum(total, matrices[i]);
  return scaled_by(total, 1.0 / static_cast<double>(matrices.size()));
}

}  // namespace fovea
