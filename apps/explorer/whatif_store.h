// Runs that a request changed, made when they are asked for; the last few are kept.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "capture_store.h"
#include "fovea/kept_run.h"
#include "recent_values.h"
#include "run_change.h"

namespace fovea::explorer {

// What a run says at one position.
struct PositionLogits {
  Tensor logits;             // [V]
  std::vector<double> logs;  // log_probabilities() of them
};
using PositionLogitsPtr = std::shared_ptr<const PositionLogits>;

// May be used by several threads at once. What is asked for throws Stopped if nobody waits any longer.
class WhatIfStore {
 public:
  explicit WhatIfStore(const Limits& limits);

  // RequestError 422 for a run without its model: of a film, or made elsewhere.
  KeptRun kept(const CapturePtr& capture, const std::stop_token& stop);
  // With hidden states, unchanged or changed.
  TextRun read(const CapturePtr& capture, const RunChange& change, const std::stop_token& stop);
  // Of a model with logits, as the capture itself has them: every changed run is compared with them.
  PositionLogitsPtr before(const CapturePtr& capture, Index position, const std::stop_token& stop);
  std::size_t computed_before() const { return before_.computed(); }  // so often
  // The capture itself if nothing is changed. With value norms, which take longer than the run itself.
  CapturePtr changed(const CapturePtr& capture, const RunChange& change, const std::stop_token& stop);
  // What the heads of one kind pass on, each row as shares of its sum: a run of stored weights of the kind
  // encoder. RequestError 413 for long texts.
  CapturePtr passed(const CapturePtr& capture, const RunChange& change, AttentionKind kind,
                    const std::stop_token& stop);

  void forget(const std::string& capture_id);

 private:
  RecentValues<KeptRun> kept_;
  RecentValues<PositionLogitsPtr> before_;
  RecentValues<TextRun> runs_;  // changed, without value norms: they share what changed_ shows
  RecentValues<CapturePtr> changed_, passed_;
};

// What a request with these parameters is about. The kind may be another than was asked for, see passed().
struct ShownRun {
  CapturePtr stored;
  AttentionKind kind = AttentionKind::encoder;
  Parameters parameters;
};
ShownRun shown_run(WhatIfStore& store, const CapturePtr& capture, AttentionKind kind,
                   const Parameters& parameters, const std::stop_token& stop);

// Does it ask for anything but the capture as it is?
bool asks_for_change(const Parameters& parameters);

}  // namespace fovea::explorer
