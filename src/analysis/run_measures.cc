// Measures of a run: layer by layer, or of chosen heads.
#include <algorithm>
#include <utility>

#include "analysis/measure_rows.h"
#include "analysis/run_part.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/measures.h"

namespace fovea {
namespace {

std::vector<Index> unknown_places(const std::vector<TokenSequence>& sequences, Index batch) {
  std::vector<Index> places;
  if (batch >= static_cast<Index>(sequences.size())) return places;
  for (const UnknownToken& token : sequences[static_cast<std::size_t>(batch)].unknown) {
    places.push_back(token.place);
  }
  return places;
}

// What the run knows of its tokens, where the options do not say.
MeasureOptions with_tokens(const Run& run, AttentionKind kind, Index batch, MeasureOptions options) {
  if (options.tokens.empty()) {
    options.tokens = run.query_tokens(kind, batch);
    options.unknown = unknown_places(run.tokens(kind).queries, batch);
  }
  if (options.key_tokens.empty()) {
    options.key_tokens = run.key_tokens(kind, batch);
    options.unknown_keys = unknown_places(run.tokens(kind).keys, batch);
  }
  options.cross = options.cross || kind == AttentionKind::cross;
  if (options.segments.empty()) options.segments = run.key_segments(kind, batch);
  return options;
}

// Of one head [N, D] or of all heads of one sequence [1, H, N, D].
AttentionMeasures measure_view(const AttentionView& view, const MeasureOptions& options) {
  if (view.stored()) return measure_attention(view.weights, view.options.mask, options);
  return measure_attention(view.q, view.k, view.options, options);
}

// What a head passes on, from what its keys receive: a sum over the rows of weight · norm is a sum over the
// keys. `norms` [M] are those of the head.
void add_passed_on(const float* norms, const MeasureOptions& options, HeadMeasures& head) {
  const auto set = [&](Measure measure, double value) {
    const std::vector<Measure>& asked = options.measures;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), measure) == asked.end()) return;
    head.values[static_cast<std::size_t>(measure)] = value;
  };
  double all = 0;
  for (std::size_t j = 0; j < head.received.size(); ++j)
    all += head.received[j] * static_cast<double>(norms[j]);
  if (head.rows_seeing == 0) return;
  set(Measure::passed_on, all / static_cast<double>(head.rows_seeing));
  const Index sink = head.most_attended();
  if (all > 0) {
    set(Measure::sink_passed_on,
        head.received[static_cast<std::size_t>(sink)] * static_cast<double>(norms[sink]) / all);
  }
}

// Of all heads of one sequence [1, H].
void add_passed_on(const LayerView& layer, const MeasureOptions& options,
                   std::vector<HeadMeasures>& heads) {
  if (layer.value_norms == nullptr) return;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    add_passed_on(layer.value_norms->data() + static_cast<Index>(h) * layer.keys(), options, heads[h]);
  }
}

// Merged rows are weights like any others; they exist in bands only.
AttentionMeasures measure_merged(const Run& run, const HeadChoice& choice, const MeasureOptions& options) {
  const LayerView& layer = run.layer(choice.kind, choice.layer);
  const ScoreExtents extents{1, 1, 1, layer.queries(), layer.keys()};
  const MeasurePlan plan(options, extents.n, extents.m);
  const Mask visible = run.visible(choice);
  MeasureRows measures(plan, visible, extents, false);
  run.for_each_band(
      choice,
      [&](Index first, const Tensor& rows) {
        const Index count = rows.shape()[0];
        measures.add(ConstView(rows.data(), {1, 1, 1, count, extents.m}));
        if (options.progress) {
          options.progress(static_cast<double>(first + count) / static_cast<double>(extents.n));
        }
      },
      options.stop);
  AttentionMeasures result;
  result.masked = !visible.is_none();
  measures.finish(result);
  return result;
}

AttentionMeasures measure_choice(const Run& run, const HeadChoice& choice, const MeasureOptions& options) {
  MeasureOptions of_head = with_tokens(run, choice.kind, choice.batch, options);
  of_head.head_mean = false;
  if (choice.merge != HeadMerge::none) return measure_merged(run, choice, of_head);
  AttentionMeasures one = measure_view(run.head(choice), of_head);
  const LayerView& layer = run.layer(choice.kind, choice.layer);
  if (layer.value_norms != nullptr) {
    const Index row = choice.batch * layer.heads() + choice.head;
    add_passed_on(layer.value_norms->data() + row * layer.keys(), options, one.heads.front().front());
  }
  return one;
}

// What is true of all layers, or heads, together.
void add_notes(AttentionMeasures& all, const AttentionMeasures& layer, bool first) {
  all.masked = all.masked || layer.masked;
  all.looks_causal = (first || all.looks_causal) && layer.looks_causal;
  if (layer.rows_not_one > 0) {
    const bool none = all.rows_not_one == 0;
    all.lowest_sum = none ? layer.lowest_sum : std::min(all.lowest_sum, layer.lowest_sum);
    all.highest_sum = none ? layer.highest_sum : std::max(all.highest_sum, layer.highest_sum);
    all.rows_not_one += layer.rows_not_one;
  }
}

AttentionMeasures measure_choices(const Run& run, const MeasureOptions& options) {
  const std::vector<HeadChoice>& choices = options.heads;
  MeasureOptions of_head = options;
  AttentionMeasures all;
  all.heads.emplace_back();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (options.progress) {
      of_head.progress = [&](double share) {
        options.progress((static_cast<double>(i) + share) / static_cast<double>(choices.size()));
      };
    }
    check_stop(options.stop, "measures");
    AttentionMeasures one = measure_choice(run, choices[i], of_head);
    add_notes(all, one, i == 0);
    all.heads.front().push_back(std::move(one.heads.front().front()));
  }
  const LayerView& layer = run.layer(choices.front().kind, choices.front().layer);
  all.shape = {static_cast<Index>(choices.size()), layer.queries(), layer.keys()};
  return all;
}

}  // namespace

AttentionMeasures measure_attention(const Run& run, const MeasureOptions& options) {
  if (!options.heads.empty()) return measure_choices(run, options);
  const RunPart part = only_part("measures", run);
  MeasureOptions of_layer = with_tokens(run, part.kind, 0, options);
  AttentionMeasures all;
  for (Index l = 0; l < part.layers; ++l) {
    if (options.progress) {
      of_layer.progress = [&](double share) {
        options.progress((static_cast<double>(l) + share) / static_cast<double>(part.layers));
      };
    }
    check_stop(options.stop, "measures");
    AttentionMeasures layer = measure_view(run.layer(part.kind, l), of_layer);
    add_passed_on(run.layer(part.kind, l), options, layer.heads.front());
    add_notes(all, layer, l == 0);
    all.heads.push_back(std::move(layer.heads.front()));
    if (!layer.head_mean.empty()) all.head_mean.push_back(std::move(layer.head_mean.front()));
  }
  const LayerView& first = run.layer(part.kind, 0);
  all.shape = {part.layers, first.heads(), first.queries(), first.keys()};
  return all;
}

HeadMeasures measure_attention(const Run& run, const HeadChoice& choice, const MeasureOptions& options) {
  return std::move(measure_choice(run, choice, options).heads.front().front());
}

std::vector<double> received_attention(const Run& run, const std::vector<HeadChoice>& heads,
                                       const std::stop_token& stop) {
  if (heads.empty()) fail("[received] got no heads, expected at least one");
  std::vector<double> sums;
  for (const HeadChoice& choice : heads) {
    if (choice.merge == HeadMerge::max) {
      fail("[received] {}: sums of maxima would not be attention received; those of the mean are",
           choice.name());
    }
    const StatisticsOptions wanted{
        .rows = false, .received = true, .thumbnail = 0, .top_k = 0, .stop = stop};
    const Tensor received = run.statistics(choice, wanted).received;
    sums.resize(static_cast<std::size_t>(received.shape()[0]));
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += static_cast<double>(received(j)) / static_cast<double>(heads.size());
    }
  }
  return sums;
}

}  // namespace fovea
