#include "verify.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "reference/attention.h"
#include "reference/linear_attention.h"
#include "verify_sample.h"

namespace fovea::bench {
namespace {

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
  const reference::DoubleArray q = rows_of(problem.q(), sample),
                               k = key_head_of(problem.k(), problem, sample),
                               v = key_head_of(problem.v(), problem, sample);
  if (c.operation == Operation::linear) {
    if (!c.causal) return reference::linear_attention(q, k, v);
    return reference::linear_attention(head_of(problem.q(), sample.batch, sample.head), k, v,
                                       {.causal = true});
  }
  return reference::attention(q, k, v, options_of(problem, sample)).output;
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
      return problem.spec.dropout > 0 ? expected_dropout(problem) : expected_output(problem);
    case Operation::linear:
      return expected_output(problem);
    case Operation::backward:
    case Operation::forward_backward:
      return expected_gradients(problem);
    case Operation::statistics:
      return expected_statistics(problem);
    case Operation::model:
    case Operation::generation:
    case Operation::product:
    case Operation::multi_head:
    case Operation::training:
      break;
  }
  return {};
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

Tolerance tolerance_of(FloatType type) {
  switch (type) {
    case FloatType::float32:
      break;
    case FloatType::float16:
      return {1e-2, 2e-3};
    case FloatType::bfloat16:
      return {5e-2, 1e-2};
    case FloatType::int8:
      return {1e-1, 3e-2};
  }
  return {};
}

bool acceptable(const Errors& errors, const Expected& expected, const Tolerance& tolerance) {
  double largest = 1;
  for (const ExpectedValues& want : expected) {
    for (const double value : want.values) largest = std::max(largest, std::abs(value));
  }
  return errors.max <= tolerance.max * largest && errors.relative_l2 <= tolerance.relative_l2;
}

}  // namespace fovea::bench
