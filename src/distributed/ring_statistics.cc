// Measures over a ring of ranks: a round for the log-sum-exp, a second one for the shares of each block.
#include <cmath>
#include <cstring>
#include <limits>

#include "core/fail.h"
#include "distributed/ring.h"
#include "fovea/attention_merge.h"
#include "ops/head_means.h"
#include "ops/joined.h"

namespace fovea {
namespace {

// Log-sum-exp over all keys, for each range of this rank's queries.
std::vector<Tensor> sums_of_rows(const Ring& ring, ConstView q, const Tensor& k,
                                 const AttentionOptions& options) {
  const std::vector<HeldRange> queries = ring.queries();
  std::vector<Tensor> sums(queries.size());
  std::vector<Tensor> own;
  own.push_back(k);
  go_round(ring, std::move(own), [&](int step, const std::vector<Tensor>& block) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (const HeldRange& keys : ring.keys(ring.origin(step))) {
        Tensor part = attention_logsumexp(rows_of(q, queries[i]), rows_of(block[0], keys),
                                          part_options(options, ring.part(queries[i], keys)));
        sums[i] = sums[i].empty() ? std::move(part) : merge_logsumexp({std::move(sums[i]), part});
      }
    }
  });
  return sums;
}

Ids joined_ids(const std::vector<AttentionStatistics>& parts, Ids AttentionStatistics::*member,
               Index tail) {
  // [.., rows, tail], rows one after the other within each head.
  std::vector<Index> extents;
  const Shape& first = (parts.front().*member).shape();
  const int axis = first.rank() - (tail == 0 ? 1 : 2);
  for (int a = 0; a < first.rank(); ++a) extents.push_back(first[a]);
  extents[static_cast<std::size_t>(axis)] = 0;
  Index heads = 1;
  for (int a = 0; a < axis; ++a) heads *= first[a];
  for (const AttentionStatistics& part : parts) {
    extents[static_cast<std::size_t>(axis)] += (part.*member).shape()[axis];
  }
  const Index width = tail == 0 ? 1 : tail;
  std::vector<std::int64_t> values;
  for (Index h = 0; h < heads; ++h) {
    for (const AttentionStatistics& part : parts) {
      const Ids& ids = part.*member;
      const Index size = ids.shape()[axis] * width;
      values.insert(values.end(), ids.data() + h * size, ids.data() + (h + 1) * size);
    }
  }
  return Ids(Shape(extents), std::move(values));
}

Tensor joined_rows(const std::vector<AttentionStatistics>& parts, Tensor AttentionStatistics::*member,
                   int axis_from_end) {
  std::vector<const Tensor*> all;
  for (const AttentionStatistics& part : parts) all.push_back(&(part.*member));
  return joined("[ring_attention_statistics]", all, axis_from_end);
}

// Means over the rows of all ranks.
HeadMeans means_over_ranks(const Ranks& ranks, const AttentionStatistics& own) {
  const std::vector<RowSums> sums = row_sums(own);
  const std::size_t bytes = sums.size() * sizeof(RowSums);
  std::vector<RowSums> all(sums.size()), of_rank(sums.size());
  for (const std::string& text :
       ranks.gather(std::string(reinterpret_cast<const char*>(sums.data()), bytes))) {
    if (text.size() != bytes) fail("[ring_attention_statistics] the ranks have different numbers of heads");
    std::memcpy(of_rank.data(), text.data(), bytes);
    for (std::size_t h = 0; h < all.size(); ++h) all[h].add(of_rank[h]);
  }
  return head_means(shape_per_head(own.entropy.shape()), all);
}

// The largest of all ranks, NaN if one is.
void largest_over_ranks(const Ranks& ranks, Tensor& x) {
  const auto count = static_cast<std::size_t>(x.shape().elements());
  std::vector<float> values(count);
  for (const std::string& text :
       ranks.gather(std::string(reinterpret_cast<const char*>(x.data()), count * sizeof(float)))) {
    if (text.size() != count * sizeof(float)) fail("[ring_attention_statistics] thumbnails differ in size");
    std::memcpy(values.data(), text.data(), text.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (values[i] > x.data()[i] || std::isnan(values[i])) x.data()[i] = values[i];
    }
  }
}

// Ranges of rows, one after the other, as one.
AttentionStatistics rows_together(const Ranks& ranks, const std::vector<AttentionStatistics>& parts,
                                  const StatisticsOptions& wanted) {
  AttentionStatistics all;
  if (wanted.rows) {
    for (Tensor AttentionStatistics::*member :
         {&AttentionStatistics::entropy, &AttentionStatistics::maximum, &AttentionStatistics::diagonal,
          &AttentionStatistics::distance, &AttentionStatistics::logsumexp}) {
      all.*member = joined_rows(parts, member, 0);
    }
    all.position = joined_ids(parts, &AttentionStatistics::position, 0);
    all.visible = joined_ids(parts, &AttentionStatistics::visible, 0);
    all.means = means_over_ranks(ranks, all);
  }
  if (wanted.top_k > 0) {
    all.top_weights = joined_rows(parts, &AttentionStatistics::top_weights, 1);
    all.top_keys = joined_ids(parts, &AttentionStatistics::top_keys, parts.front().top_keys.shape().back());
  }
  if (wanted.thumbnail > 0) {
    std::vector<const Tensor*> thumbnails;
    all.thumbnail_max = parts.front().thumbnail_max;
    for (const AttentionStatistics& part : parts) {
      thumbnails.push_back(&part.thumbnail);
      for (Index i = 0; i < all.thumbnail_max.shape().elements(); ++i) {
        const float share = part.thumbnail_max.data()[i];
        float& largest = all.thumbnail_max.data()[i];
        if (share > largest || std::isnan(share)) largest = share;
      }
    }
    all.thumbnail = added_over_ranks(ranks, added("[ring_attention_statistics] thumbnail", thumbnails));
    largest_over_ranks(ranks, all.thumbnail_max);
  }
  return all;
}

}  // namespace

AttentionStatistics ring_attention_statistics(const Ranks& ranks, ConstView q, ConstView k,
                                              const RingExtents& extents, const AttentionOptions& options,
                                              StatisticsOptions wanted) {
  AttentionOptions undropped = options;
  undropped.dropout = 0;
  undropped.weights = undropped.logsumexp = false;
  const Ring ring("ring_attention_statistics", ranks, q, k, k, extents, undropped);
  ranks.agree(wanted.weights ? "[ring_attention_statistics] weights are not to be had: N × M of them" : "");
  const Tensor own_keys = Tensor::copy_of(k);
  const std::vector<Tensor> sums = sums_of_rows(ring, q, own_keys, undropped);

  const std::vector<HeldRange> queries = ring.queries();
  std::vector<AttentionStatistics> parts(queries.size());
  TravellingSums received(ring);
  // [.., heads of q, keys of the block]
  const auto received_shape = [&](int rank) {
    std::vector<Index> shape;
    for (int axis = 0; axis + 2 < q.shape().rank(); ++axis) shape.push_back(q.shape()[axis]);
    shape.push_back(ring.key_rows(rank));
    return std::vector<Shape>{Shape(shape)};
  };
  std::vector<Tensor> own;
  own.push_back(own_keys);
  go_round(ring, std::move(own), [&](int step, const std::vector<Tensor>& block) {
    Tensor of_block(received_shape(ring.origin(step)).front());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (const HeldRange& keys : ring.keys(ring.origin(step))) {
        AttentionStatistics share =
            part_statistics(rows_of(q, queries[i]), rows_of(block[0], keys), undropped,
                            ring.part(queries[i], keys), sums[i], wanted);
        if (wanted.received) add_rows(of_block, keys.first, share.received, 0);
        share.received = {};
        if (parts[i].entropy.shape().rank() == 0 && parts[i].thumbnail.shape().rank() == 0 &&
            parts[i].top_weights.shape().rank() == 0) {
          parts[i] = std::move(share);
        } else {
          parts[i] = merge_statistics({std::move(parts[i]), std::move(share)});
        }
      }
    }
    std::vector<Tensor> sum;
    sum.push_back(std::move(of_block));
    if (wanted.received) received.add(step, std::move(sum), received_shape);
  });
  AttentionStatistics all = rows_together(ranks, parts, wanted);
  if (wanted.received) all.received = std::move(received.own().front());
  return all;
}

}  // namespace fovea
