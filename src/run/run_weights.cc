// The weights of a chosen head, or of the heads of a layer merged: whole, in parts, and what they say.
#include <algorithm>

#include "core/fail.h"
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

// heads [H, rows, keys] from head `first` on, weights → the norm of weight · value · W_O.
void weights_to_norms(const LayerView& layer, Index first, Index key_begin, Tensor& heads) {
  if (layer.value_norms == nullptr) {
    fail("[run] {} layer {}: what its heads pass on is not known; it takes the values and W_O of a model",
         to_string(layer.kind), layer.layer);
  }
  const Shape& s = heads.shape();
  float* at = heads.data();
  for (Index h = 0; h < s[0]; ++h) {
    const float* norms = layer.value_norms->data() + (first + h) * layer.keys() + key_begin;
    for (Index i = 0; i < s[1]; ++i) {
      for (Index j = 0; j < s[2]; ++j) *at++ *= norms[j];
    }
  }
}

// What one head passes on, [rows, keys].
Tensor passed_on_crop(const LayerView& all, const AttentionView& head, Index index, const Crop& crop) {
  Tensor weights = head.crop(crop);
  const Shape s = weights.shape();
  Tensor norms = std::move(weights).reshaped({1, s[0], s[1]});
  weights_to_norms(all, index, crop.key_begin, norms);
  return std::move(norms).reshaped(s);
}

}  // namespace

Tensor Run::weights(const HeadChoice& choice, const std::stop_token& stop) const {
  const LayerView& all = layer(choice.kind, choice.layer);
  return weights(choice, {0, all.queries(), 0, all.keys()}, stop);
}

Tensor Run::weights(const HeadChoice& choice, const Crop& crop, const std::stop_token& stop) const {
  check_stop(stop, "weights");
  if (choice.merge == HeadMerge::none && !choice.passed_on) return head(choice).crop(crop);
  const LayerView all = entry(choice);
  if (choice.merge == HeadMerge::none) {
    HeadChoice weights = choice;
    weights.passed_on = false;
    return passed_on_crop(all, head(weights), choice.head, crop);
  }
  static_cast<void>(all.crop({crop.row_begin, crop.row_begin, crop.key_begin, crop.key_end}));  // checked
  const Index columns = crop.key_end - crop.key_begin;
  Tensor result = Tensor::uninitialized({crop.row_end - crop.row_begin, columns});
  for_each_row_band(crop.row_begin, crop.row_end, all.heads() * all.keys(), [&](Index begin, Index end) {
    check_stop(stop, "weights");
    Tensor heads = crop_of_heads(all, {begin, end, crop.key_begin, crop.key_end});
    if (choice.passed_on) weights_to_norms(all, 0, crop.key_begin, heads);
    const Tensor rows = merge_heads(heads, choice.merge);
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
  const bool one = choice.merge == HeadMerge::none;
  if (one && !choice.passed_on) return head(choice).statistics(options);
  const LayerView all = entry(choice);
  const Index n = all.queries(), m = all.keys();
  const Mask seen = this->visible(choice);
  VisibleKeys visible(seen.node(), {1, 1, 1, n, m});
  WeightStatistics statistics({}, n, m, options);
  for_each_row_band(0, n, (one ? 1 : all.heads()) * m, [&](Index begin, Index end) {
    check_stop(options.stop, "statistics");
    const Crop band{begin, end, 0, m};
    Tensor heads = one ? weights(choice, band).reshaped({1, end - begin, m}) : crop_of_heads(all, band);
    if (choice.passed_on && !one) weights_to_norms(all, 0, 0, heads);
    const HeadMerge merge = one ? HeadMerge::max : choice.merge;  // of one head, all the same
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(end - begin));
    parallel_for(end - begin,
                 [&](Index i) { merge_row(heads, merge, i, rows[static_cast<std::size_t>(i)]); });
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
