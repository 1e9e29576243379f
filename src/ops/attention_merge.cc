// Parts of attention put together: results weighted by their shares of the sum of exponentials.
#include "fovea/attention_merge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fail.h"
#include "core/parallel.h"
#include "mask/score_part.h"
#include "ops/joined.h"

namespace fovea {
namespace {

constexpr Index kMergedRows = 256;  // of one task
constexpr double kNothing = -std::numeric_limits<double>::infinity();

void check_mergeable(const AttentionResult& part, const AttentionResult& first) {
  if (part.logsumexp.empty() && part.output.shape().elements() > 0) {
    fail("[merge_attention] a part has no log-sum-exp: request it from attention() with {}",
         "{.logsumexp = true}");
  }
  if (!part.weights.empty()) fail("[merge_attention] a part has weights, which are not merged");
  if (part.output.shape() == first.output.shape() && part.logsumexp.shape() == first.logsumexp.shape()) {
    return;
  }
  fail("[merge_attention] a part has output {} and log-sum-exp {}, the first one {} and {}",
       part.output.shape().to_string(), part.logsumexp.shape().to_string(),
       first.output.shape().to_string(), first.logsumexp.shape().to_string());
}

// log Σ exp(x), and exp(x − that) in place of each x. All −inf: −inf and zeros. NaN stays NaN.
double log_sum_exp(double* x, std::size_t count) {
  const double largest = *std::max_element(x, x + count);
  if (largest == kNothing) {
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(x[i])) return std::fill_n(x, count, x[i]), x[i];
    }
    return std::fill_n(x, count, 0.0), kNothing;
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] = std::exp(x[i] - largest);
  for (std::size_t i = 0; i < count; ++i) x[i] /= sum;
  return largest + std::log(sum);
}

template <typename Body>
void for_each_row(Index rows, const Body& body) {
  parallel_for((rows + kMergedRows - 1) / kMergedRows, [&](Index task) {
    for (Index row = task * kMergedRows; row < std::min(rows, (task + 1) * kMergedRows); ++row) body(row);
  });
}

}  // namespace

AttentionOptions part_options(const AttentionOptions& options, const ScorePart& part) {
  if (options.dropout != 0) {
    fail("[part_options] dropout is {}, expected 0: parts of one attention cannot drop weights",
         options.dropout);
  }
  check_part("[part_options]", part);
  AttentionOptions of_part = options;
  of_part.mask = options.mask.part(part);
  of_part.bias = options.bias.part(part);
  return of_part;
}

AttentionResult merge_attention(const std::vector<AttentionResult>& parts) {
  if (parts.empty()) fail("[merge_attention] got no parts, expected at least one");
  for (const AttentionResult& part : parts) check_mergeable(part, parts.front());
  const Shape& shape = parts.front().output.shape();
  const Index rows = parts.front().logsumexp.shape().elements(), width = shape.back();
  AttentionResult all;
  all.output = Tensor::uninitialized(shape);
  all.logsumexp = Tensor::uninitialized(parts.front().logsumexp.shape());
  for_each_row(rows, [&](Index row) {
    std::vector<double> shares;
    for (const AttentionResult& part : parts) {
      shares.push_back(static_cast<double>(part.logsumexp.data()[row]));
    }
    all.logsumexp.data()[row] = static_cast<float>(log_sum_exp(shares.data(), shares.size()));
    for (Index c = 0; c < width; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        // A part that the row sees nothing of holds zeros.
        sum += shares[i] * static_cast<double>(parts[i].output.data()[row * width + c]);
      }
      all.output.data()[row * width + c] = static_cast<float>(sum);
    }
  });
  return all;
}

void merge_attention_into(AttentionResult& sum, const AttentionResult& more) {
  check_mergeable(sum, more);
  check_mergeable(more, sum);
  const Index rows = sum.logsumexp.shape().elements(), width = sum.output.shape().back();
  for_each_row(rows, [&](Index row) {
    float& before = sum.logsumexp.data()[row];
    const float added = more.logsumexp.data()[row];
    float* out = sum.output.data() + row * width;
    const float* in = more.output.data() + row * width;
    constexpr float kUnseen = -std::numeric_limits<float>::infinity();
    if (added == kUnseen) return;  // nothing is seen there
    if (before == kUnseen) {
      before = added;
      std::copy_n(in, width, out);
      return;
    }
    double shares[2] = {static_cast<double>(before), static_cast<double>(added)};
    before = static_cast<float>(log_sum_exp(shares, 2));
    for (Index c = 0; c < width; ++c) {
      out[c] = static_cast<float>(shares[0] * static_cast<double>(out[c]) +
                                  shares[1] * static_cast<double>(in[c]));
    }
  });
}

Tensor merge_logsumexp(const std::vector<Tensor>& parts) {
  if (parts.empty()) fail("[merge_logsumexp] got no parts, expected at least one");
  for (const Tensor& part : parts) {
    if (!(part.shape() == parts.front().shape())) {
      fail("[merge_logsumexp] a part has shape {}, the first one {}", part.shape().to_string(),
           parts.front().shape().to_string());
    }
  }
  Tensor all = Tensor::uninitialized(parts.front().shape());
  for_each_row(all.shape().elements(), [&](Index row) {
    std::vector<double> sums;
    for (const Tensor& part : parts) sums.push_back(static_cast<double>(part.data()[row]));
    all.data()[row] = static_cast<float>(log_sum_exp(sums.data(), sums.size()));
  });
  return all;
}

AttentionGradients merge_gradients(const std::vector<AttentionGradients>& parts) {
  if (parts.empty()) fail("[merge_gradients] got no parts, expected at least one");
  const auto all_of = [&](Tensor AttentionGradients::*member) {
    std::vector<const Tensor*> tensors;
    for (const AttentionGradients& part : parts) tensors.push_back(&(part.*member));
    return tensors;
  };
  AttentionGradients all;
  all.dq = added("[merge_gradients] dq", all_of(&AttentionGradients::dq));
  all.dk = joined("[merge_gradients] dk", all_of(&AttentionGradients::dk), 1);
  all.dv = joined("[merge_gradients] dv", all_of(&AttentionGradients::dv), 1);
  all.dbias = added("[merge_gradients] dbias", all_of(&AttentionGradients::dbias));
  return all;
}

}  // namespace fovea
