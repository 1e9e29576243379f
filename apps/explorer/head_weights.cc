#include "head_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fovea/safetensors.h"
#include "limits.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr Index kBandRows = 256;

CapturedHead chosen_head(const Capture& capture, const HeadChoice& choice, Index head) {
  CapturedHead one = capture.head(choice.kind, choice.layer, head);
  if (!choice.mask.is_none()) one.options.mask = one.options.mask & choice.mask;
  return one;
}

struct Sizes {
  Index heads, queries, keys;
};
Sizes sizes_of(const Capture& capture, const HeadChoice& choice) {
  const CapturedAttention& call = capture.at(choice.kind, choice.layer);
  return {call.q.shape()[1], call.q.shape()[2], call.k.shape()[2]};
}

// Calls take(first row, weights [rows, M]) for bands of rows, from the top.
template <typename Take>
void for_each_band(const Capture& capture, const HeadChoice& choice, Take take) {
  const Sizes sizes = sizes_of(capture, choice);
  for (Index row = 0; row < sizes.queries; row += kBandRows) {
    take(row, weights_of(capture, choice, {row, std::min(sizes.queries, row + kBandRows), 0, sizes.keys}));
  }
}

// Cells as attention_statistics makes them: weight (i, j) belongs to cell (⌊i·R/N⌋, ⌊j·C/M⌋).
AttentionStatistics mean_cells(const Capture& capture, const HeadChoice& choice, Index size) {
  const Sizes sizes = sizes_of(capture, choice);
  const Index rows = std::min(size, sizes.queries), columns = std::min(size, sizes.keys);
  AttentionStatistics cells;
  cells.thumbnail = Tensor({rows, columns});
  cells.thumbnail_max = Tensor({rows, columns});
  Tensor counts({rows, columns});
  for_each_band(capture, choice, [&](Index first, const Tensor& weights) {
    for (Index i = 0; i < weights.shape()[0]; ++i) {
      const Index r = (first + i) * rows / sizes.queries;
      for (Index j = 0; j < sizes.keys; ++j) {
        const Index c = j * columns / sizes.keys;
        cells.thumbnail(r, c) += weights(i, j);
        cells.thumbnail_max(r, c) = std::max(cells.thumbnail_max(r, c), weights(i, j));
        counts(r, c) += 1;
      }
    }
  });
  for (Index i = 0; i < rows * columns; ++i) cells.thumbnail.data()[i] /= counts.data()[i];
  return cells;
}

std::string cells_bytes(const Capture& capture, const HeadChoice& choice, Index size) {
  AttentionStatistics cells;
  if (choice.head) {
    StatisticsOptions wanted;
    wanted.rows = wanted.received = false;
    wanted.thumbnail = size;
    const CapturedHead one = chosen_head(capture, choice, *choice.head);
    cells = attention_statistics(one.q, one.k, one.options, wanted);
  } else {
    cells = mean_cells(capture, choice, size);
  }
  NamedArrays arrays("[weights]");
  arrays.add("mean", std::move(cells.thumbnail));
  arrays.add("max", std::move(cells.thumbnail_max));
  return safetensors_bytes(arrays);
}

// Of the mean of the heads; a key is visible if the first head sees it, as in all models.
AttentionStatistics mean_rows(const Capture& capture, const HeadChoice& choice) {
  const Sizes sizes = sizes_of(capture, choice);
  const CapturedHead first_head = chosen_head(capture, choice, 0);
  StatisticsOptions wanted;
  wanted.received = false;
  wanted.thumbnail = 0;
  AttentionStatistics rows = attention_statistics(first_head.q, first_head.k, first_head.options, wanted);
  std::vector<double> received(static_cast<std::size_t>(sizes.keys), 0);
  for_each_band(capture, choice, [&](Index first, const Tensor& weights) {
    for (Index i = 0; i < weights.shape()[0]; ++i) {
      double entropy = 0;
      Index best = -1;
      for (Index j = 0; j < sizes.keys; ++j) {
        const double weight = static_cast<double>(weights(i, j));
        if (weight > 0) entropy -= weight * std::log(weight);
        if (weight > 0 && (best < 0 || weights(i, j) > weights(i, best))) best = j;
        received[static_cast<std::size_t>(j)] += weight;
      }
      rows.entropy(first + i) = static_cast<float>(entropy);
      rows.maximum(first + i) = best < 0 ? 0 : weights(i, best);
      rows.position(first + i) = best;
    }
  });
  rows.received = Tensor({sizes.keys});
  for (Index j = 0; j < sizes.keys; ++j) {
    rows.received(j) = static_cast<float>(received[static_cast<std::size_t>(j)]);
  }
  return rows;
}

}  // namespace

Tensor weights_of(const Capture& capture, const HeadChoice& choice, const Crop& crop) {
  const auto of_head = [&](Index head) {
    const CapturedHead one = chosen_head(capture, choice, head);
    return attention_crop(one.q, one.k, one.options, crop);
  };
  if (choice.head) return of_head(*choice.head);
  const Index heads = sizes_of(capture, choice).heads;
  Tensor mean = of_head(0);
  for (Index head = 1; head < heads; ++head) {
    const Tensor other = of_head(head);
    for (Index i = 0; i < mean.shape().elements(); ++i) mean.data()[i] += other.data()[i];
  }
  for (Index i = 0; i < mean.shape().elements(); ++i) mean.data()[i] /= static_cast<float>(heads);
  return mean;
}

std::string weights_bytes(const Capture& capture, const Parameters& parameters) {
  const HeadChoice choice = head_parameters(parameters, capture);
  const std::optional<Index> cells = integer_parameter(parameters, "cells", 1, 2048);
  if (cells) return cells_bytes(capture, choice, *cells);
  const Sizes sizes = sizes_of(capture, choice);
  const Crop crop = crop_parameters(parameters, sizes.queries, sizes.keys, sizes.queries, sizes.keys);
  const Index count = (crop.row_end - crop.row_begin) * (crop.key_end - crop.key_begin);
  if (count > kMostCells) {
    throw RequestError(413,
                       fmt::format("{} weights were asked for, at most {} are given at once: ask for a "
                                   "crop (rows=a:b, keys=c:d) or for cells (cells=512)",
                                   count, kMostCells));
  }
  NamedArrays arrays("[weights]");
  arrays.add("weights", weights_of(capture, choice, crop));
  return safetensors_bytes(arrays);
}

std::string rows_bytes(const Capture& capture, const Parameters& parameters) {
  const HeadChoice choice = head_parameters(parameters, capture);
  AttentionStatistics rows;
  if (choice.head) {
    StatisticsOptions wanted;
    wanted.thumbnail = 0;
    const CapturedHead one = chosen_head(capture, choice, *choice.head);
    rows = attention_statistics(one.q, one.k, one.options, wanted);
  } else {
    rows = mean_rows(capture, choice);
  }
  NamedArrays arrays("[rows]");
  arrays.add("entropy", std::move(rows.entropy));
  arrays.add("maximum", std::move(rows.maximum));
  arrays.add("position", std::move(rows.position));
  arrays.add("received", std::move(rows.received));
  arrays.add("visible", std::move(rows.visible));
  return safetensors_bytes(arrays);
}

}  // namespace fovea::explorer
