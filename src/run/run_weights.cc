// The weights of a chosen head, or of the heads of a layer merged: whole, in parts, and what they say.
#include <algorithm>

#include "core/parallel.h"
#include "fovea/run.h"
#include "mask/visible_keys.h"
#include "run/band.h"
#include "run/merge_heads.h"
#include "run/weight_statistics.h"

namespace fovea {
namespace {

// The heads of one sequence, [H, rows, keys].
Tensor crop_of_heads(const LayerView& layer, const Crop& crop) {
  Tensor heads = layer.crop(crop);
  const Shape s = heads.shape();
  return std::move(heads).reshaped({s[1], s[2], s[3]});
}

}  // namespace

Tensor Run::weights(const HeadChoice& choice, const std::stop_token& stop) const {
  const LayerView& all = layer(choice.kind, choice.layer);
  return weights(choice, {0, all.queries(), 0, all.keys()}, stop);
}

Tensor Run::weights(const HeadChoice& choice, const Crop& crop, const std::stop_token& stop) const {
  check_stop(stop, "weights");
  if (choice.merge == HeadMerge::none) return head(choice).crop(crop);
  const LayerView all = entry(choice);
  static_cast<void>(all.crop({crop.row_begin, crop.row_begin, crop.key_begin, crop.key_end}));  // checked
  const Index columns = crop.key_end - crop.key_begin;
  Tensor result = Tensor::uninitialized({crop.row_end - crop.row_begin, columns});
  for_each_row_band(crop.row_begin, crop.row_end, all.heads() * all.keys(), [&](Index begin, Index end) {
    check_stop(stop, "weights");
    const Tensor rows =
        merge_heads(crop_of_heads(all, {begin, end, crop.key_begin, crop.key_end}), choice.merge);
    std::copy_n(rows.data(), rows.shape().elements(), result.data() + (begin - crop.row_begin) * columns);
  });
  return result;
}

void Run::for_each_band(const HeadChoice& choice, const TakeRows& take, const std::stop_token& stop) const {
  const LayerView& all = layer(choice.kind, choice.layer);
  const Index heads = choice.merge == HeadMerge::none ? 1 : all.heads();
  for_each_row_band(0, all.queries(), heads * all.keys(), [&](Index begin, Index end) {
    take(begin, weights(choice, {begin, end, 0, all.keys()}, stop));
  });
}

AttentionStatistics Run::statistics(const HeadChoice& choice, const StatisticsOptions& options) const {
  if (choice.merge == HeadMerge::none) return head(choice).statistics(options);
  const LayerView all = entry(choice);
  const Index n = all.queries(), m = all.keys();
  const Mask seen = all.options.mask.of_any_head(0);
  VisibleKeys visible(seen.node(), {1, 1, 1, n, m});
  WeightStatistics statistics({}, n, m, options);
  for_each_row_band(0, n, all.heads() * m, [&](Index begin, Index end) {
    check_stop(options.stop, "statistics");
    const Tensor heads = crop_of_heads(all, {begin, end, 0, m});
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(end - begin));
    parallel_for(end - begin,
                 [&](Index i) { merge_row(heads, choice.merge, i, rows[static_cast<std::size_t>(i)]); });
    for (Index i = begin; i < end; ++i) {
      visible.set_row(0, 0, i);
      statistics.add_row(0, i, rows[static_cast<std::size_t>(i - begin)], visible.count());
    }
  });
  return statistics.finish();
}

WeightCells Run::cells(const HeadChoice& choice, Index size, const std::stop_token& stop) const {
  AttentionStatistics cells =
      statistics(choice, {.rows = false, .received = false, .thumbnail = size, .top_k = 0, .stop = stop});
  return {std::move(cells.thumbnail), std::move(cells.thumbnail_max)};
}

}  // namespace fovea
