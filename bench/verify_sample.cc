#include "verify_sample.h"

#include <algorithm>
#include <numeric>

#include "mask/bias_node.h"
#include "mask/mask_node.h"

namespace fovea::bench {

std::vector<Index> spread(Index n, Index count) {
  std::vector<Index> chosen;
  count = std::clamp<Index>(count, std::min<Index>(n, 2), n);
  for (Index i = 0; i < count; ++i) chosen.push_back(count == 1 ? n - 1 : i * (n - 1) / (count - 1));
  return chosen;
}

std::vector<Index> range(Index begin, Index end) {
  std::vector<Index> all(static_cast<std::size_t>(end - begin));
  std::iota(all.begin(), all.end(), begin);
  return all;
}

ConstView head_of(const Tensor& tensor, Index batch, Index head) {
  return tensor.view().select(0, batch).select(0, head);
}

reference::DoubleArray key_head_of(const Tensor& tensor, const Problem& problem, const Sample& sample) {
  return {head_of(tensor, sample.batch, sample.head / (problem.spec.heads / problem.spec.hkv()))};
}

reference::DoubleArray rows_of(const Tensor& tensor, const Sample& sample) {
  const Index width = tensor.shape().back();
  reference::DoubleArray chosen({static_cast<Index>(sample.rows.size()), width});
  for (std::size_t r = 0; r < sample.rows.size(); ++r) {
    for (Index c = 0; c < width; ++c) {
      chosen.row(static_cast<Index>(r))[c] =
          static_cast<double>(tensor(sample.batch, sample.head, sample.rows[r], c));
    }
  }
  return chosen;
}

AttentionOptions options_of(const Problem& problem, const Sample& sample) {
  const Index n = problem.spec.queries, m = problem.spec.m(), rows = static_cast<Index>(sample.rows.size());
  AttentionOptions options;
  const bool has_mask = !problem.options.mask.is_none(), has_bias = !problem.options.bias.is_none();
  Flags visible = Flags::filled({has_mask ? rows : 0, m}, 0);
  Tensor bias({has_bias ? rows : 0, m});
  for (Index r = 0; r < rows; ++r) {
    const Row row{sample.batch, sample.head, sample.rows[static_cast<std::size_t>(r)], n, m};
    Intervals intervals;
    if (has_mask) problem.options.mask.node()->visible_keys(row, intervals);
    for (const Interval& interval : intervals) {
      for (Index j = interval.begin; j < interval.end; ++j) visible(r, j) = 1;
    }
    if (has_bias) problem.options.bias.node()->add_values(row, 0, m, &bias(r, 0));
  }
  if (has_mask) options.mask = Mask::dense(visible);
  if (has_bias) options.bias = Bias::dense(bias);
  return options;
}

std::vector<Sample> samples_of(const Case& c) {
  const Index heads = c.batch * c.heads;
  const bool whole_heads =
      c.operation == Operation::linear && c.causal;  // a running sum has no single rows
  const Index rows = whole_heads ? c.queries : std::clamp<Index>(kPairs / c.m() / heads, 1, c.queries);
  const Index most = std::max<Index>(2, kPairs / (c.m() * rows));
  std::vector<Sample> samples;
  for (const Index h : spread(heads, most))
    samples.push_back({h / c.heads, h % c.heads, spread(c.queries, rows)});
  return samples;
}

}  // namespace fovea::bench
