#include "run/weight_statistics.h"

#include <algorithm>
#include <numeric>

#include "core/fail.h"
#include "run/row_facts.h"

namespace fovea {
namespace {

Shape with_axes(std::vector<Index> leading, std::initializer_list<Index> tail) {
  leading.insert(leading.end(), tail);
  return leading.empty() ? Shape{1} : Shape(leading);
}

Index product(const std::vector<Index>& extents) {
  return std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
}

// How many of n rows (or keys) belong to cell c.
Index cell_extent(Index c, Index cells, Index n) {
  const auto begin = [&](Index cell) { return (cell * n + cells - 1) / cells; };
  return begin(c + 1) - begin(c);
}

}  // namespace

WeightStatistics::WeightStatistics(const std::vector<Index>& leading, Index n, Index m,
                                   const StatisticsOptions& options)
    : heads_(product(leading)),
      n_(n),
      m_(m),
      top_k_(std::min(options.top_k, m)),
      cell_rows_(std::min(options.thumbnail, n)),
      cell_columns_(std::min(options.thumbnail, m)),
      options_(options) {
  if (options.top_k < 0 || options.thumbnail < 0) {
    fail("[statistics] top_k is {} and thumbnail {}, expected ≥ 0", options.top_k, options.thumbnail);
  }
  if (options.rows) {
    const Shape shape = with_axes(leading, {n});
    for (Tensor* measure : {&result_.entropy, &result_.maximum, &result_.diagonal, &result_.distance}) {
      *measure = Tensor(shape);
    }
    result_.position = Ids::filled(shape, -1);
    result_.visible = Ids::filled(shape, 0);
    const Shape heads = with_axes(leading, {});
    result_.means = {Tensor(heads), Tensor(heads), Tensor(heads),
                     Tensor(heads), Tensor(heads), Ids::filled(heads, 0)};
  }
  if (top_k_ > 0) {
    result_.top_weights = Tensor(with_axes(leading, {n, top_k_}));
    result_.top_keys = Ids::filled(with_axes(leading, {n, top_k_}), -1);
  }
  if (options.received) {
    result_.received = Tensor(with_axes(leading, {m}));
    received_.assign(static_cast<std::size_t>(heads_ * m), 0.0);
  }
  if (options.thumbnail > 0) {
    result_.thumbnail = Tensor(with_axes(leading, {cell_rows_, cell_columns_}));
    result_.thumbnail_max = Tensor(with_axes(leading, {cell_rows_, cell_columns_}));
    cells_.assign(static_cast<std::size_t>(heads_ * cell_rows_ * cell_columns_), 0.0);
  }
}

void WeightStatistics::add_row(Index head, Index row, const std::vector<double>& weights, Index visible) {
  const Index at = head * n_ + row;
  if (options_.rows) add_facts(at, row, weights, visible);
  if (top_k_ > 0) add_largest(at, weights);
  for (std::size_t j = 0; options_.received && j < weights.size(); ++j) {
    received_[static_cast<std::size_t>(head * m_) + j] += weights[j];
  }
  if (options_.thumbnail > 0) add_cells(head, row, weights);
}

void WeightStatistics::add_facts(Index at, Index row, const std::vector<double>& weights, Index visible) {
  const RowFacts facts = facts_of(weights, row + m_ - n_);
  result_.entropy.data()[at] = static_cast<float>(facts.entropy);
  result_.maximum.data()[at] = static_cast<float>(facts.maximum);
  result_.diagonal.data()[at] = static_cast<float>(facts.diagonal);
  result_.distance.data()[at] = static_cast<float>(facts.distance);
  result_.visible.data()[at] = visible;
  if (!(facts.maximum > 0)) return;
  result_.position.data()[at] = std::max_element(weights.begin(), weights.end()) - weights.begin();
}

void WeightStatistics::add_largest(Index at, const std::vector<double>& weights) {
  std::vector<Index> order(weights.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto larger = [&](Index a, Index b) {
    const double left = weights[static_cast<std::size_t>(a)], right = weights[static_cast<std::size_t>(b)];
    return left > right || (left == right && a < b);
  };
  std::partial_sort(order.begin(), order.begin() + top_k_, order.end(), larger);
  for (Index i = 0; i < top_k_; ++i) {
    const Index key = order[static_cast<std::size_t>(i)];
    const double weight = weights[static_cast<std::size_t>(key)];
    if (!(weight > 0)) break;
    result_.top_weights.data()[at * top_k_ + i] = static_cast<float>(weight);
    result_.top_keys.data()[at * top_k_ + i] = key;
  }
}

void WeightStatistics::add_cells(Index head, Index row, const std::vector<double>& weights) {
  const Index first = (head * cell_rows_ + row * cell_rows_ / n_) * cell_columns_;
  for (Index j = 0; j < m_; ++j) {
    const Index cell = first + j * cell_columns_ / m_;
    const double weight = weights[static_cast<std::size_t>(j)];
    cells_[static_cast<std::size_t>(cell)] += weight;
    float& largest = result_.thumbnail_max.data()[cell];
    largest = std::max(largest, static_cast<float>(weight));
  }
}

// Over the rows of each head that see something.
void WeightStatistics::finish_means() {
  const auto mean = [&](const auto& values, Index head, Tensor& out) {
    double sum = 0;
    Index seeing = 0;
    for (Index at = head * n_; at < (head + 1) * n_; ++at) {
      if (!(result_.maximum.data()[at] > 0)) continue;
      sum += static_cast<double>(values.data()[at]);
      ++seeing;
    }
    out.data()[head] = static_cast<float>(sum / static_cast<double>(std::max<Index>(1, seeing)));
    result_.means.rows_seeing.data()[head] = seeing;
  };
  for (Index head = 0; head < heads_; ++head) {
    mean(result_.entropy, head, result_.means.entropy);
    mean(result_.maximum, head, result_.means.maximum);
    mean(result_.diagonal, head, result_.means.diagonal);
    mean(result_.distance, head, result_.means.distance);
    mean(result_.visible, head, result_.means.visible);
  }
}

void WeightStatistics::finish_cells() {
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    const auto cell = static_cast<Index>(at);
    const Index row = cell / cell_columns_ % cell_rows_, column = cell % cell_columns_;
    const Index count = cell_extent(row, cell_rows_, n_) * cell_extent(column, cell_columns_, m_);
    result_.thumbnail.data()[cell] = static_cast<float>(cells_[at] / static_cast<double>(count));
  }
}

AttentionStatistics WeightStatistics::finish() {
  if (options_.rows) finish_means();
  for (std::size_t at = 0; at < received_.size(); ++at) {
    result_.received.data()[at] = static_cast<float>(received_[at]);
  }
  finish_cells();
  return std::move(result_);
}

}  // namespace fovea
