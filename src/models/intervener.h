// The probe through which interventions act.
#pragma once

#include <vector>

#include "fovea/array.h"
#include "fovea/intervention.h"
#include "fovea/model.h"

namespace fovea {
inline namespace internal {

struct FOVEA_PRIVATE_API InterventionStep {
  enum class What { scale, mean, hide, replace };
  What what = What::scale;
  ActivationPlace place = {};  // of all but replace: z, whose heads are meant
  float factor = 0;
  Mask visible = {};
  Tensor values = {};
  std::vector<Index> positions = {};
};

// Stands between a model and the probe of its user, which sees the changed run.
class Intervener final : public Probe {
 public:
  // `real` [B, N]: means are taken over these tokens; empty: over all. All three must outlive it.
  Intervener(const Intervention& intervention, const ModelInput& input, const ModelConfig& config,
             Probe* next);

  void attention(const AttentionCall& call) override;
  bool wants_projections(AttentionKind kind, Index layer) const override;
  void projections(const ProjectionCall& call) override;
  void stream(const StreamCall& call) override;
  bool changes(AttentionKind kind, Index layer) const override;
  void change(AttentionChange& call) override;
  void change_outputs(const HeadOutputs& call) override;

 private:
  const Intervention& intervention_;
  const ModelInput& input_;
  bool encoder_decoder_;
  Probe* next_;
};

}  // namespace internal
}  // namespace fovea
