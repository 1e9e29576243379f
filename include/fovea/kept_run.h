// A text that was read, kept to be run again with changes: what lies below the first change is not computed
// again, of encoder-decoder models in either half. Nothing is approximated.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "fovea/api.h"
#include "fovea/intervention.h"
#include "fovea/tensor.h"
#include "fovea/text_model.h"

namespace fovea {

// Cheap to copy; may be used by several threads at the same time.
class FOVEA_API KeptRun {
 public:
  // Runs the text once more and keeps the stream before every layer: L · N · E numbers, of a decoder with
  // an encoder twice as many, and the encoder's keys and values. Throws Stopped.
  KeptRun(const TextModel& model, const TextRun& run, const std::stop_token& stop = {});

  const TextModel& model() const;
  const TextRun& run() const;  // unchanged, with its hidden states

  // The run with changes, with its hidden states. Throws Error for places that the model does not have,
  // and Stopped.
  TextRun changed(const Intervention& intervention, const std::stop_token& stop = {}) const;

  // [P, V] of P positions of either. Throws Error for a model without logits, and for positions that are
  // not there.
  Tensor logits(const TextRun& run, const std::vector<Index>& positions) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace fovea
