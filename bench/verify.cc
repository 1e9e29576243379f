#include "verify.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "mask/bias_node.h"
#include "mask/mask_node.h"
#include "reference/attention.h"
#include "reference/linear_attention.h"

namespace fovea::bench {
namespace {

constexpr Index kPairs = Index{1} << 23;  // of q·k in double: about a second on one core at D = 64

// Up to `count` of 0 .. n − 1, spread evenly, both ends among them.
std::vector<Index> spread(Index n, Index count) {
  std::vector<Index> chosen;
  count = std::clamp<Index>(count, std::min<Index>(n, 2), n);
  for (Index i = 0; i < count; ++i) chosen.push_back(count == 1 ? n - 1 : i * (n - 1) / (count - 1));
  return chosen;
}

ConstView head_of(const Tensor& tensor, Index batch, Index head) {
  return tensor.view().select(0, batch).select(0, head);
}

// Some rows of one head as a problem of their own: their mask and bias become dense, because a mask goes by
// position.
struct Sample {
  Index batch, head;
  std::vector<Index> rows;
};

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

// The first rows of every head: dropout goes by row, so that they must keep their numbers.
Expected expected_dropout(const Problem& problem) {
  const Case& c = problem.spec;
  const Index rows = std::clamp<Index>(kPairs / 2 / (c.batch * c.heads * c.m()), 1, c.queries);
  const auto want = reference::attention(ConstView(problem.q().view().slice(2, 0, rows)), problem.k(),
                                         problem.v(), problem.options);
  ExpectedValues values;
  for (Index h = 0; h < c.batch * c.heads; ++h) {
    for (Index i = 0; i < rows * c.dv(); ++i) {
      values.at.push_back(h * c.queries * c.dv() + i);
      values.values.push_back(want.output.values[static_cast<std::size_t>(h * rows * c.dv() + i)]);
    }
  }
  return {values};
}

reference::DoubleArray output_of(const Problem& problem, const Sample& sample) {
  const Case& c = problem.spec;
  const Index key_head = sample.head / (c.heads / c.hkv());
  const reference::DoubleArray q = rows_of(problem.q(), sample),
                               k(head_of(problem.k(), sample.batch, key_head)),
                               v(head_of(problem.v(), sample.batch, key_head));
  if (c.operation == Operation::linear) {
    if (!c.causal) return reference::linear_attention(q, k, v);
    return reference::linear_attention(head_of(problem.q(), sample.batch, sample.head), k, v,
                                       {.causal = true});
  }
  return reference::attention(q, k, v, options_of(problem, sample)).output;
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

Expected expected_output(const Problem& problem) {
  const Case& c = problem.spec;
  const std::vector<Sample> samples = samples_of(c);
  std::vector<ExpectedValues> parts(samples.size());
  parallel_for(static_cast<Index>(samples.size()), [&](Index s) {
    const Sample& sample = samples[static_cast<std::size_t>(s)];
    ExpectedValues& part = parts[static_cast<std::size_t>(s)];
    part.values = output_of(problem, sample).values;
    for (const Index i : sample.rows) {
      const Index first = ((sample.batch * c.heads + sample.head) * c.queries + i) * c.dv();
      for (Index column = 0; column < c.dv(); ++column) part.at.push_back(first + column);
    }
  });
  ExpectedValues all;
  for (const ExpectedValues& part : parts) {
    all.at.insert(all.at.end(), part.at.begin(), part.at.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
  }
  return {all};
}

}  // namespace

Expected expected_of(const Problem& problem) {
  switch (problem.spec.operation) {
    case Operation::forward:
    case Operation::linear:
      return problem.spec.dropout > 0 ? expected_dropout(problem) : expected_output(problem);
    default:
      return {};
  }
}

Errors errors_of(const Expected& expected, const std::vector<Tensor>& results) {
  Errors errors;
  const double infinite = std::numeric_limits<double>::infinity();
  if (results.size() < expected.size()) return {infinite, infinite};
  for (std::size_t t = 0; t < expected.size(); ++t) {
    double squares = 0, wanted = 0;
    const ExpectedValues& want = expected[t];
    for (std::size_t i = 0; i < want.at.size(); ++i) {
      if (want.at[i] >= results[t].shape().elements()) return {infinite, infinite};
      const double error = std::abs(static_cast<double>(results[t].data()[want.at[i]]) - want.values[i]);
      if (!std::isfinite(error)) return {infinite, infinite};
      errors.max = std::max(errors.max, error);
      squares += error * error, wanted += want.values[i] * want.values[i];
    }
    errors.relative_l2 = std::max(errors.relative_l2, std::sqrt(squares / std::max(wanted, 1e-300)));
  }
  return errors;
}

bool acceptable(const Errors& errors, const Expected& expected) {
  double largest = 1;
  for (const ExpectedValues& want : expected) {
    for (const double value : want.values) largest = std::max(largest, std::abs(value));
  }
  return errors.max <= 2e-5 * largest && errors.relative_l2 <= 1e-5;
}

}  // namespace fovea::bench
