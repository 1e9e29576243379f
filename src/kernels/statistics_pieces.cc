#include "kernels/statistics_pieces.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace fovea::kernels {
namespace {

constexpr Index kPieces = 128;                      // of all heads together: work for that many threads
constexpr Index kProductFloats = Index{256} << 18;  // 256 MB for all parts of Pᵀ·u
constexpr Index kMergedKeys = 4096;                 // merged by one task

using Pieces = std::vector<StatisticsPiece>;

// The pieces of one head stand side by side.
struct HeadPieces {
  const StatisticsPiece* begin;
  const StatisticsPiece* end;
};

// Sums [m, width] over the pieces of a head into out [m, columns], for keys of one task.
template <typename Part>
void merge_keys(const HeadPieces& head, Index begin, Index end, Index width, Index columns, float* out,
                const Part& part) {
  std::vector<double> sums(static_cast<std::size_t>((end - begin) * width), 0.0);
  for (const StatisticsPiece* piece = head.begin; piece != head.end; ++piece) {
    if (part(*piece).empty()) continue;
    const float* values = part(*piece).data() + begin * width;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(values[i]);
  }
  for (Index j = begin; j < end; ++j) {
    const double* from = sums.data() + (j - begin) * width;
    for (Index c = 0; c < columns; ++c) out[j * columns + c] = static_cast<float>(from[c]);
  }
}

// What the keys from `begin` on, those of one task, receive.
void merge_keys_of(const StatisticsProblem& p, const HeadPieces& pieces, Index begin, Index head) {
  const Index m = p.keys(), end = std::min(begin + kMergedKeys, m);
  if (p.received != nullptr) {
    merge_keys(pieces, begin, end, 1, 1, p.received + head * m,
               [](const StatisticsPiece& piece) -> const Tensor& { return piece.received; });
  }
  if (p.transposed_product != nullptr) {
    const Index columns = p.u->shape()[4];
    Index width = columns;  // padded, in every piece that is not empty
    for (const StatisticsPiece* piece = pieces.begin; piece != pieces.end; ++piece) {
      if (!piece->product.empty()) width = piece->product.shape()[1];
    }
    merge_keys(pieces, begin, end, width, columns, p.transposed_product + head * m * columns,
               [](const StatisticsPiece& piece) -> const Tensor& { return piece.product; });
  }
}

// The cells of one head: sums become means, and a cell with NaN in its sum has NaN as its maximum.
void merge_picture(const StatisticsProblem& p, const HeadPieces& pieces, float* mean, float* max) {
  const Index rows = p.picture_rows, columns = p.picture_columns;
  const Index n = p.picture_queries(), m = p.picture_keys();
  std::vector<double> sums(static_cast<std::size_t>(rows * columns), 0.0);
  std::fill_n(max, rows * columns, 0.0f);
  for (const StatisticsPiece* piece = pieces.begin; piece != pieces.end; ++piece) {
    const Index first = piece->first_cell_row * columns;
    for (Index i = 0; i < piece->cell_sum.shape().elements(); ++i) {
      sums[static_cast<std::size_t>(first + i)] += static_cast<double>(piece->cell_sum.data()[i]);
      max[first + i] = std::max(max[first + i], piece->cell_max.data()[i]);
    }
  }
  for (Index r = 0; r < rows; ++r) {
    const Index height = cell_begin(r + 1, rows, n) - cell_begin(r, rows, n);
    for (Index c = 0; c < columns; ++c) {
      const Index width = cell_begin(c + 1, columns, m) - cell_begin(c, columns, m);
      const Index at = r * columns + c;
      mean[at] =
          static_cast<float>(sums[static_cast<std::size_t>(at)] / static_cast<double>(height * width));
      if (std::isnan(mean[at])) max[at] = mean[at];
    }
  }
}

}  // namespace

StatisticsStrips::StatisticsStrips(const StatisticsProblem& problem, Index lanes)
    : problem_(problem), crop_(problem.rows(), lanes) {
  if (!problem.has_all_rows()) return;
  const bool alike = problem.mask == nullptr || !problem.mask->may_scatter();
  for (Index head = 0; head < (alike ? 1 : problem.heads()); ++head) {
    heads_.emplace_back(problem, head, lanes);
  }
}

Index StatisticsStrips::strips(Index head) const {
  if (heads_.empty()) return crop_.strips();
  return heads_[heads_.size() == 1 ? 0 : static_cast<std::size_t>(head)].strips();
}

StripRows StatisticsStrips::rows(Index head, Index strip) const {
  if (!heads_.empty()) return heads_[heads_.size() == 1 ? 0 : static_cast<std::size_t>(head)].rows(strip);
  const Index first = crop_.first_row(strip);
  return {problem_.row_begin + first, crop_.first_row(strip + 1) - first};
}

void StatisticsPiece::allocate(const StatisticsProblem& p, const StatisticsStrips& strips,
                               Index padded_columns) {
  if (p.received != nullptr) received = Tensor({p.keys()});
  if (p.transposed_product != nullptr) product = Tensor({p.keys(), padded_columns});
  if (p.picture_mean == nullptr) return;
  Index first = p.queries(), last = 0;
  for (Index strip = first_strip; strip < end_strip; ++strip) {
    const StripRows rows = strips.rows(head, strip);
    for (Index r = 0; r < rows.count; ++r) {
      first = std::min(first, rows.row(r));
      last = std::max(last, rows.row(r));
    }
  }
  first_cell_row = p.picture_row(first);
  const Index cell_rows = p.picture_row(last) - first_cell_row + 1;
  cell_sum = Tensor({cell_rows, p.picture_columns});
  cell_max = Tensor({cell_rows, p.picture_columns});
}

std::vector<StatisticsPiece> make_pieces(const StatisticsProblem& p, const StatisticsStrips& strips,
                                         Index padded_columns) {
  const Index heads = p.heads();
  if (heads == 0 || p.rows() == 0) return {};
  const auto blocks = [&](Index head) { return (strips.strips(head) + kBlockStrips - 1) / kBlockStrips; };
  Index per_head = 1;
  for (Index head = 0; head < heads; ++head) per_head = std::max(per_head, blocks(head));
  if (p.received != nullptr || p.transposed_product != nullptr) {
    per_head = std::min(per_head, (kPieces + heads - 1) / heads);
  }
  if (p.transposed_product != nullptr) {
    per_head = std::min(per_head, kProductFloats / std::max<Index>(1, heads * p.keys() * padded_columns));
  }
  per_head = std::max<Index>(1, per_head);
  Pieces pieces(static_cast<std::size_t>(heads * per_head));
  for (Index i = 0; i < heads * per_head; ++i) {
    StatisticsPiece& piece = pieces[static_cast<std::size_t>(i)];
    piece.head = i / per_head;
    const auto begin_of = [&](Index part) {
      return std::min(strips.strips(piece.head), part * blocks(piece.head) / per_head * kBlockStrips);
    };
    piece.first_strip = begin_of(i % per_head);
    piece.end_strip = begin_of(i % per_head + 1);
  }
  return pieces;
}

void merge_pieces(const StatisticsProblem& p, const Pieces& pieces) {
  const Index heads = p.heads(), m = p.keys();
  const bool any = p.received != nullptr || p.transposed_product != nullptr || p.picture_mean != nullptr;
  if (heads == 0 || !any) return;
  const Index per_head = static_cast<Index>(pieces.size()) / heads;  // 0 if there are no rows
  const auto pieces_of = [&](Index head) -> HeadPieces {
    return {pieces.data() + head * per_head, pieces.data() + (head + 1) * per_head};
  };
  // Tasks of each head: parts of its keys, and the picture.
  const Index key_tasks = (m + kMergedKeys - 1) / kMergedKeys, tasks = key_tasks + 1;
  const auto merge = [&](Index item) {
    const Index head = item / tasks, task = item % tasks;
    if (task < key_tasks) return merge_keys_of(p, pieces_of(head), task * kMergedKeys, head);
    const Index cells = p.picture_rows * p.picture_columns;
    if (p.picture_mean == nullptr) return;
    merge_picture(p, pieces_of(head), p.picture_mean + head * cells, p.picture_max + head * cells);
  };
  parallel_for(heads * tasks, merge);
}

}  // namespace fovea::kernels
