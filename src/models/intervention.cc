#include "fovea/intervention.h"

#include <utility>

#include "core/fail.h"
#include "models/intervener.h"

namespace fovea {
namespace {

InterventionStep step_of(InterventionStep::What what, const HeadPlace& heads) {
  InterventionStep step;
  step.what = what;
  step.place = {ActivationSite::z, heads.kind, heads.layer, heads.heads};
  return step;
}

}  // namespace

const char* to_string(ActivationSite site) {
  constexpr const char* kNames[] = {"q",           "k",           "v",           "z",
                                    "resid_pre",   "resid_mid",   "resid_cross", "resid_post",
                                    "projected_q", "projected_k", "pattern"};
  return kNames[static_cast<std::size_t>(site)];
}

Intervention::Intervention(InterventionStep step)
    : steps_{std::make_shared<const InterventionStep>(std::move(step))} {}

Intervention Intervention::ablate(const HeadPlace& heads, Ablation how) {
  if (how == Ablation::zero) return scale(heads, 0);
  return Intervention(step_of(InterventionStep::What::mean, heads));
}

Intervention Intervention::scale(const HeadPlace& heads, float factor) {
  InterventionStep step = step_of(InterventionStep::What::scale, heads);
  step.factor = factor;
  return Intervention(std::move(step));
}

Intervention Intervention::hide(const HeadPlace& heads, const Mask& visible) {
  if (visible.is_additive()) fail("[intervention] edges cannot be hidden by an additive mask");
  InterventionStep step = step_of(InterventionStep::What::hide, heads);
  step.visible = visible;
  return Intervention(std::move(step));
}

Intervention Intervention::replace(const ActivationPlace& place, Tensor values,
                                   const std::vector<Index>& positions) {
  if (place.site > ActivationSite::resid_post) {
    fail("[intervention] {} can be read, but not replaced", to_string(place.site));
  }
  if (place.is_stream() && !place.heads.empty()) {
    fail("[intervention] {} belongs to a layer, it has no heads", to_string(place.site));
  }
  InterventionStep step;
  step.what = InterventionStep::What::replace;
  step.place = place;
  step.values = std::move(values);
  step.positions = positions;
  return Intervention(std::move(step));
}

Intervention operator&(const Intervention& a, const Intervention& b) {
  Intervention both = a;
  both.steps_.insert(both.steps_.end(), b.steps_.begin(), b.steps_.end());
  return both;
}

}  // namespace fovea
