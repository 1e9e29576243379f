#include "explain/score_terms.h"

#include <algorithm>
#include <limits>

#include "core/fail.h"
#include "mask/mask_node.h"

namespace fovea {
namespace {

// values [N, M], [B, N or 1, M] or [B, H, N, M], broadcast to one matrix per head.
std::vector<Matrix> per_head(const char* what, const Tensor& values, bool rank3_is_heads, Index heads,
                             Index n, Index m) {
  ConstView view = values;
  if (view.shape().rank() == 2) view = view.insert_axis(0);
  if (view.shape().rank() == 3) view = rank3_is_heads ? view.insert_axis(0) : view.insert_axis(1);
  const Shape& shape = view.shape();  // [B, H, N, M]
  const auto fits = [](Index extent, Index wanted) { return extent == wanted || extent == 1; };
  if (shape[0] != 1) fail("[explain] the {} has {} batch entries, expected one", what, shape[0]);
  if (!fits(shape[1], heads) || !fits(shape[2], n) || !fits(shape[3], m)) {
    fail("[explain] the {} is {}, the scores are {}", what, values.shape().to_string(),
         Shape{heads, n, m}.to_string());
  }
  std::vector<Matrix> matrices;
  for (Index h = 0; h < heads; ++h) {
    Matrix matrix(n, m);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        matrix(i, j) = static_cast<double>(
            view(0, shape[1] == 1 ? 0 : h, shape[2] == 1 ? 0 : i, shape[3] == 1 ? 0 : j));
      }
    }
    matrices.push_back(std::move(matrix));
  }
  return matrices;
}

// A predicate may differ from head to head without saying so: every head is asked, as attention() asks it.
void ask_every_head(const MaskNode& mask, Index n, Index m, std::vector<Matrix>& matrices) {
  Intervals visible;
  std::vector<float> values(static_cast<std::size_t>(m));
  for (Index h = 0; h < static_cast<Index>(matrices.size()); ++h) {
    Matrix& matrix = matrices[static_cast<std::size_t>(h)];
    for (Index i = 0; i < n; ++i) {
      const Row row{0, h, i, n, m};
      mask.visible_keys(row, visible);
      std::fill(values.begin(), values.end(), 0.0f);
      mask.add_values(row, 0, m, values.data());
      for (Index j = 0; j < m; ++j) matrix(i, j) = -std::numeric_limits<double>::infinity();
      for (const Interval& keys : visible) {
        for (Index j = keys.begin; j < keys.end; ++j) {
          matrix(i, j) = static_cast<double>(values[static_cast<std::size_t>(j)]);
        }
      }
    }
  }
}

}  // namespace

ScoreTerms score_terms(const Bias& bias, const Mask& mask, Index heads, Index n, Index m) {
  ScoreTerms terms;
  if (!bias.is_none()) terms.bias = per_head("bias", bias.to_dense(heads, n, m), true, heads, n, m);
  if (!mask.is_none()) {
    terms.mask = per_head("mask", mask.to_additive(n, m), false, heads, n, m);
    ask_every_head(*mask.node(), n, m, terms.mask);
  }
  return terms;
}

}  // namespace fovea
