#include "fovea/head_similarity.h"

#include <algorithm>
#include <cmath>

#include "analysis/run_part.h"
#include "core/at.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "run/band.h"
#include "run/row_facts.h"
#include "run/weights.h"

namespace fovea {
namespace {

double entropy_of_mean(const std::vector<double>& a, const std::vector<double>& b) {
  double entropy = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double mean = 0.5 * (a[j] + b[j]);
    if (mean > 0) entropy -= mean * std::log(mean);
  }
  return entropy;
}

// Sums of divergences over rows, for all pairs of heads.
class Divergences {
 public:
  Divergences(Index heads, Index m)
      : rows_(at(heads), std::vector<double>(at(m))),
        facts_(at(heads)),
        sums_(heads, heads),
        counts_(at(heads * heads), 0) {}

  // One row of every head: weights [A, B, H, rows, M], row `r`.
  void add_row(ConstView w, Index r) {
    const ScoreExtents extents = extents_of(w);
    parallel_for(extents.batch * extents.heads, [&](Index head) {
      std::vector<double>& row = rows_[at(head)];
      read_row(w, head / extents.heads, head % extents.heads, r, row);
      const double sum = facts_of(row, 0).sum;
      if (sum > 0) {
        for (double& weight : row) weight /= sum;
      }
      facts_[at(head)] = facts_of(row, 0);
    });
    // Long lists first: head a is compared with all heads before it.
    const auto heads = static_cast<Index>(rows_.size());
    parallel_for(heads, [&](Index task) {
      const Index a = heads - 1 - task;
      for (Index b = 0; b < a; ++b) compare(a, b);
    });
  }

  Matrix means() const {
    Matrix result(sums_.rows(), sums_.rows());
    for (Index a = 0; a < sums_.rows(); ++a) {
      for (Index b = 0; b < a; ++b) {
        const Index count = counts_[at(a * sums_.rows() + b)];
        result(a, b) = result(b, a) = count == 0 ? 0 : sums_(a, b) / static_cast<double>(count);
      }
    }
    return result;
  }

 private:
  void compare(Index a, Index b) {
    const bool sees_a = facts_[at(a)].sum > 0, sees_b = facts_[at(b)].sum > 0;
    if (!sees_a && !sees_b) return;
    double divergence = std::log(2.0);
    if (sees_a && sees_b) {
      const double apart = 0.5 * (facts_[at(a)].entropy + facts_[at(b)].entropy);
      divergence = std::clamp(entropy_of_mean(rows_[at(a)], rows_[at(b)]) - apart, 0.0, divergence);
    }
    sums_(a, b) += divergence;
    ++counts_[at(a * sums_.rows() + b)];
  }

  std::vector<std::vector<double>> rows_;  // per head, summing to 1
  std::vector<RowFacts> facts_;
  Matrix sums_;  // [a, b], b < a
  std::vector<Index> counts_;
};

HeadSimilarity similarity_of(Matrix divergence) {
  HeadSimilarity result;
  result.layout = classical_scaling(divergence);
  result.order = clustering_order(divergence);
  result.divergence = std::move(divergence);
  return result;
}

// The rows to compare, ascending.
std::vector<Index> chosen_rows(const HeadSimilarityOptions& options, Index n) {
  if (options.rows < 0) fail("[head_similarity] rows is {}, expected ≥ 0", options.rows);
  const Index count = options.rows == 0 ? n : std::min(options.rows, n);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back((2 * i + 1) * n / (2 * count));
  return rows;
}

// `band(begin, end)`: those rows of all heads, [heads, rows, M]. Rows that lie side by side come together.
template <typename Band>
HeadSimilarity similarity_of_bands(Index heads, Index n, Index m, const HeadSimilarityOptions& options,
                                   const Band& band) {
  Divergences divergences(heads, m);
  const std::vector<Index> rows = chosen_rows(options, n);
  const auto most = static_cast<std::size_t>(band_rows(heads * m));
  for (std::size_t next = 0; next < rows.size();) {
    check_stop(options.stop, "head_similarity");
    std::size_t end = next + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1 && end - next < most) ++end;
    const Tensor all = band(rows[next], rows[end - 1] + 1);
    check_weights("head_similarity", all);
    for (std::size_t r = 0; r < end - next; ++r) {
      check_stop(options.stop, "head_similarity");
      divergences.add_row(weights_as_rank_5("head_similarity", all), static_cast<Index>(r));
    }
    next = end;
    if (options.progress) options.progress(static_cast<double>(next) / static_cast<double>(rows.size()));
  }
  return similarity_of(divergences.means());
}

HeadSimilarity similarity_of_choices(const Run& run, const HeadSimilarityOptions& options) {
  const std::vector<HeadChoice>& choices = options.heads;
  const LayerView& first = run.layer(choices.front().kind, choices.front().layer);
  const auto heads = static_cast<Index>(choices.size());
  return similarity_of_bands(heads, first.queries(), first.keys(), options, [&](Index begin, Index end) {
    Tensor band = Tensor::uninitialized({heads, end - begin, first.keys()});
    float* to = band.data();
    for (const HeadChoice& choice : choices) {
      const Tensor rows = run.weights(choice, {begin, end, 0, first.keys()}, options.stop);
      to = std::copy_n(rows.data(), rows.shape().elements(), to);
    }
    return band;
  });
}

}  // namespace

HeadSimilarity head_similarity(ConstView weights, const HeadSimilarityOptions& options) {
  check_weights("head_similarity", weights);
  const ConstView w = weights_as_rank_5("head_similarity", weights);
  const ScoreExtents extents = extents_of(w);
  Divergences divergences(extents.batch * extents.heads, extents.m);
  for (const Index row : chosen_rows(options, extents.n)) {
    check_stop(options.stop, "head_similarity");
    divergences.add_row(w, row);
  }
  return similarity_of(divergences.means());
}

HeadSimilarity head_similarity(const Run& run, const HeadSimilarityOptions& options) {
  if (!options.heads.empty()) return similarity_of_choices(run, options);
  const RunPart part = only_part("head_similarity", run);
  const LayerView& first = run.layer(part.kind, 0);
  Index heads = 0;
  for (Index l = 0; l < part.layers; ++l) heads += run.layer(part.kind, l).heads();
  return similarity_of_bands(heads, first.queries(), first.keys(), options, [&](Index begin, Index end) {
    Tensor band = Tensor::uninitialized({heads, end - begin, first.keys()});
    float* to = band.data();
    for (Index l = 0; l < part.layers; ++l) {
      const Tensor rows = run.layer(part.kind, l).crop({begin, end, 0, first.keys()});
      to = std::copy_n(rows.data(), rows.shape().elements(), to);
    }
    return band;
  });
}

}  // namespace fovea
