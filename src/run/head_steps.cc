#include "fovea/head_steps.h"

#include <cmath>
#include <optional>
#include <utility>

#include "core/fail.h"

namespace fovea {
namespace {

// What a ProjectionCall showed, of its first batch entry, kept.
struct KeptProjections {
  Tensor x, memory;      // [N, E], [M, E]
  Tensor w_q, w_k, w_v;  // [E, H·D], [E, Hkv·D] twice
  Tensor b_q, b_k, b_v;  // [H·D], [Hkv·D] twice, or empty
  Tensor q, k;           // [N, H, D], [M, Hkv, D] before rotary positions, or empty
  std::vector<double> frequencies;
  Tensor concat, w_o, b_o, output;
};

Tensor first_entry(const Tensor& all) {
  return all.empty() ? Tensor() : Tensor::copy_of(all.view().select(0, 0));
}

// Keeps one layer of a run: the attention call and what surrounds it.
class LayerProbe final : public Probe {
 public:
  LayerProbe(AttentionKind kind, Index layer) : kind_(kind), layer_(layer) {}

  void attention(const AttentionCall& call) override {
    if (wants_projections(call.kind, call.layer)) capture.attention(call);
  }
  bool wants_projections(AttentionKind kind, Index layer) const override {
    return kind == kind_ && layer == layer_;
  }
  void projections(const ProjectionCall& call) override {
    kept = KeptProjections{Tensor::copy_of(call.x.select(0, 0)),
                           Tensor::copy_of(call.memory.select(0, 0)),
                           call.w_q,
                           call.w_k,
                           call.w_v,
                           call.b_q,
                           call.b_k,
                           call.b_v,
                           first_entry(call.q),
                           first_entry(call.k),
                           call.frequencies,
                           Tensor::copy_of(call.concat.select(0, 0)),
                           call.w_o,
                           call.b_o,
                           Tensor::copy_of(call.output.select(0, 0))};
  }

  Capture capture;
  std::optional<KeptProjections> kept;

 private:
  AttentionKind kind_;
  Index layer_;
};

// The columns (or, of a bias, the entries) of one head.
Tensor of_head(const Tensor& all, Index head, Index width) {
  if (all.empty()) return {};
  return Tensor::copy_of(all.view().slice(all.shape().rank() - 1, head * width, (head + 1) * width));
}

Tensor rows_of(ConstView all, Index begin, Index end) { return Tensor::copy_of(all.slice(0, begin, end)); }

Flags visible_in(const Mask& mask, const Crop& crop, Index n, Index m) {
  Flags visible = Flags::filled({crop.row_end - crop.row_begin, crop.key_end - crop.key_begin}, 1);
  if (mask.is_none()) return visible;
  for (Index i = crop.row_begin; i < crop.row_end; ++i) {
    const std::vector<TileClass> row =
        mask.classify_band({0, 0, i, i + 1, crop.key_begin, crop.key_end}, 1, n, m);
    for (std::size_t j = 0; j < row.size(); ++j) {
      visible(i - crop.row_begin, j) = row[j] == TileClass::hidden ? 0 : 1;
    }
  }
  return visible;
}

}  // namespace

struct LayerRun::Parts {
  AttentionKind kind;
  Index layer;
  Run run;
  KeptProjections kept;
};

LayerRun::LayerRun(const Model& model, const ModelInput& input, AttentionKind kind, Index layer,
                   const Intervention& intervention) {
  LayerProbe probe(kind, layer);
  static_cast<void>(model.run(input, {&probe, false, {}, intervention}));
  if (!probe.kept) {
    fail("[head steps] no {} layer {} in {}", to_string(kind), layer, model.name());
  }
  parts_ = std::make_shared<const Parts>(
      Parts{kind, layer, Run(std::move(probe.capture)), std::move(*probe.kept)});
}

Index LayerRun::heads() const { return parts_->run.layer(parts_->kind, parts_->layer).heads(); }
Index LayerRun::queries() const { return parts_->kept.x.shape()[0]; }
Index LayerRun::keys() const { return parts_->kept.memory.shape()[0]; }

HeadSteps LayerRun::head(Index head, const Crop& crop) const {
  const AttentionView one = parts_->run.head({.kind = parts_->kind, .layer = parts_->layer, .head = head});
  const KeptProjections& kept = parts_->kept;
  const Index n = queries(), m = keys(), width = one.q.shape()[1];
  const Index row = crop.row_begin, row_end = crop.row_end, key = crop.key_begin, key_end = crop.key_end;
  HeadSteps steps;
  steps.weights = one.crop(crop);  // checks the crop

  const Index key_head = head / (heads() / (kept.w_k.shape()[1] / width));
  steps.x = rows_of(kept.x, row, row_end);
  steps.memory = rows_of(kept.memory, key, key_end);
  steps.w_q = of_head(kept.w_q, head, width);
  steps.w_k = of_head(kept.w_k, key_head, width);
  steps.w_v = of_head(kept.w_v, key_head, width);
  steps.b_q = of_head(kept.b_q, head, width);
  steps.b_k = of_head(kept.b_k, key_head, width);
  steps.b_v = of_head(kept.b_v, key_head, width);
  if (!kept.q.empty()) {
    steps.q_projected = rows_of(kept.q.view().select(1, head), row, row_end);
    steps.k_projected = rows_of(kept.k.view().select(1, key_head), key, key_end);
    steps.frequencies = kept.frequencies;
  }
  steps.q = rows_of(one.q, row, row_end);
  steps.k = rows_of(one.k, key, key_end);
  steps.v = rows_of(one.v, key, key_end);
  if (!one.options.bias.is_none()) {
    const Tensor bias = one.options.bias.to_dense(1, n, m);
    steps.bias = rows_of(bias.view().select(0, 0).slice(1, key, key_end), row, row_end);
  }
  steps.visible = visible_in(one.options.mask, crop, n, m);

  StatisticsOptions wanted;
  wanted.received = false;
  wanted.thumbnail = 0;
  const AttentionStatistics statistics = one.statistics(wanted);
  steps.logsumexp = rows_of(statistics.logsumexp, row, row_end);
  steps.maximum_score = steps.logsumexp;  // the largest weight is exp(largest score − log-sum-exp)
  for (Index i = row; i < row_end; ++i) {
    steps.maximum_score(i - row) += std::log(statistics.maximum(i));
  }
  steps.head_output = rows_of(kept.concat.view().slice(1, head * width, (head + 1) * width), row, row_end);
  steps.concat = rows_of(kept.concat, row, row_end);
  steps.w_o = kept.w_o;
  steps.b_o = kept.b_o;
  steps.output = rows_of(kept.output, row, row_end);
  steps.scale = static_cast<double>(
      one.options.scale.value_or(static_cast<float>(1 / std::sqrt(static_cast<double>(width)))));
  steps.softcap = static_cast<double>(one.options.softcap);
  steps.heads = heads();
  steps.head = head;
  steps.crop = crop;
  return steps;
}

}  // namespace fovea
