#include "fovea/activations.h"

#include <utility>

#include "core/fail.h"
#include "fovea/attention.h"

namespace fovea {
namespace {

// [B, N, H, D] → the chosen heads.
Tensor chosen_heads(ConstView all, const ActivationPlace& place) {
  if (place.heads.empty()) return Tensor::copy_of(all);
  const Shape& shape = all.shape();
  const auto count = static_cast<Index>(place.heads.size());
  Tensor chosen = Tensor::uninitialized({shape[0], shape[1], count, shape[3]});
  for (Index i = 0; i < count; ++i) {
    const Index head = place.heads[static_cast<std::size_t>(i)];
    if (head < 0 || head >= shape[2]) {
      fail("[activations] {} of head {}: layer {} has 0 to {}", to_string(place.site), head, place.layer,
           shape[2] - 1);
    }
    const Tensor one = Tensor::copy_of(all.select(2, head));  // [B, N, D]
    for (Index row = 0; row < shape[0] * shape[1]; ++row) {
      const float* from = one.data() + row * shape[3];
      std::copy(from, from + shape[3], chosen.data() + (row * count + i) * shape[3]);
    }
  }
  return chosen;
}

class ActivationProbe final : public Probe {
 public:
  ActivationProbe(const std::vector<ActivationPlace>& places, Probe* next)
      : kept(places.size()), places_(places), next_(next) {}

  void attention(const AttentionCall& call) override {
    if (next_ != nullptr) next_->attention(call);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const ActivationPlace& place = places_[i];
      if (!is_here(place, call.kind, call.layer)) continue;
      if (place.site == ActivationSite::q || place.site == ActivationSite::projected_q) {
        kept[i] = chosen_heads(call.q.transpose(1, 2), place);
      } else if (place.site == ActivationSite::k || place.site == ActivationSite::projected_k) {
        kept[i] = chosen_heads(call.k.transpose(1, 2), place);
      } else if (place.site == ActivationSite::v) {
        kept[i] = chosen_heads(call.v.transpose(1, 2), place);
      } else if (place.site == ActivationSite::pattern) {
        kept[i] = pattern(call, place);
      }
    }
  }
  bool wants_projections(AttentionKind kind, Index layer) const override {
    if (next_ != nullptr && next_->wants_projections(kind, layer)) return true;
    for (const ActivationPlace& place : places_) {
      const bool wanted =
          place.site == ActivationSite::projected_q || place.site == ActivationSite::projected_k;
      if (wanted && is_here(place, kind, layer)) return true;
    }
    return false;
  }
  void projections(const ProjectionCall& call) override {
    if (next_ != nullptr && next_->wants_projections(call.kind, call.layer)) next_->projections(call);
    if (call.q.empty()) return;  // no rotary positions: attention() had the same
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const ActivationPlace& place = places_[i];
      if (!is_here(place, call.kind, call.layer)) continue;
      if (place.site == ActivationSite::projected_q) kept[i] = chosen_heads(call.q, place);
      if (place.site == ActivationSite::projected_k) kept[i] = chosen_heads(call.k, place);
    }
  }
  void stream(const StreamCall& call) override {
    if (next_ != nullptr) next_->stream(call);
    constexpr ActivationSite kSites[] = {ActivationSite::resid_pre, ActivationSite::resid_mid,
                                         ActivationSite::resid_cross, ActivationSite::resid_post};
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (is_here(places_[i], call.kind, call.layer) &&
          places_[i].site == kSites[static_cast<std::size_t>(call.point)]) {
        kept[i] = Tensor::copy_of(call.x);
      }
    }
  }
  bool changes(AttentionKind kind, Index layer) const override {
    if (next_ != nullptr && next_->changes(kind, layer)) return true;
    for (const ActivationPlace& place : places_) {
      if (place.site == ActivationSite::z && is_here(place, kind, layer)) return true;
    }
    return false;
  }
  void change(AttentionChange& call) override {
    if (next_ != nullptr && next_->changes(call.kind, call.layer)) next_->change(call);
  }
  void change_outputs(const HeadOutputs& call) override {
    if (next_ != nullptr && next_->changes(call.kind, call.layer)) next_->change_outputs(call);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].site == ActivationSite::z && is_here(places_[i], call.kind, call.layer)) {
        kept[i] = chosen_heads(call.heads, places_[i]);
      }
    }
  }

  std::vector<Tensor> kept;

 private:
  static bool is_here(const ActivationPlace& place, AttentionKind kind, Index layer) {
    return place.kind == kind && place.layer == layer;
  }
  static Tensor pattern(const AttentionCall& call, const ActivationPlace& place) {
    AttentionOptions options = call.options;
    options.weights = true;
    Tensor all = fovea::attention(call.q, call.k, call.v, options).weights;  // [B, H, N, M]
    if (place.heads.empty()) return all;
    return Tensor::copy_of(Tensor(chosen_heads(all.view().transpose(1, 2), place)).view().transpose(1, 2));
  }

  const std::vector<ActivationPlace>& places_;
  Probe* next_;
};

}  // namespace

std::vector<Tensor> activations(const Model& model, const ModelInput& input,
                                const std::vector<ActivationPlace>& places, const RunOptions& options) {
  ActivationProbe probe(places, options.probe);
  RunOptions own = options;
  own.probe = &probe;
  own.logits = false;
  static_cast<void>(model.run(input, own));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!probe.kept[i].empty()) continue;
    fail("[activations] there is no {} in {} layer {} of this model", to_string(places[i].site),
         to_string(places[i].kind), places[i].layer);
  }
  return std::move(probe.kept);
}

}  // namespace fovea
