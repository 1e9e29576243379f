#include "run_answer.h"

#include "analysis.h"
#include "head_weights.h"
#include "limits.h"
#include "overview.h"
#include "predictions.h"
#include "request_error.h"
#include "steps.h"

namespace fovea::explorer {
namespace {

std::string steps_answer(CaptureStore& captures, const CapturePtr& stored, const Parameters& parameters) {
  if (change_parameters(parameters).passed) throw RequestError(400, "show: steps compute weights");
  return steps_bytes(captures, stored, parameters);
}

std::string thumbnails_answer(const StoredCapture& stored, AttentionKind kind, const Parameters& parameters,
                              const std::stop_token& stop) {
  const Index size =
      integer_parameter(parameters, "size", 1, kMostThumbnailCells).value_or(kThumbnailCells);
  const auto compute = [&] { return thumbnails_bytes(stored.run(), kind, size, stop); };
  if (size != kThumbnailCells) return compute();
  return stored.answers->get(std::string("thumbnails ") + to_string(kind), compute);
}

std::string rollout_answer(const StoredCapture& stored, AttentionKind kind, const Parameters& parameters,
                           const std::stop_token& stop) {
  const Index queries = stored.run().layer(kind, 0).queries();
  if (const auto query = integer_parameter(parameters, "query", 0, queries - 1)) {
    return rollout_row_bytes(stored.run(), kind, *query, stop);
  }
  return stored.answers->get(std::string("rollout ") + to_string(kind),
                             [&] { return rollout_bytes(stored.run(), kind, stop); });
}

std::string study_answer(const ShownRun& shown, const std::string& name, const std::stop_token& stop) {
  const StoredCapture& stored = *shown.stored;
  const AttentionKind kind = shown.kind;
  if (name == "thumbnails") return thumbnails_answer(stored, kind, shown.parameters, stop);
  if (name == "rollout") return rollout_answer(stored, kind, shown.parameters, stop);
  return stored.answers->get(name + " " + to_string(kind), [&] {
    return name == "overview" ? overview_json(stored, kind, stop)
                              : similarity_bytes(stored.run(), kind, stop);
  });
}

}  // namespace

std::string run_answer(CaptureStore& captures, WhatIfStore& whatif, const CapturePtr& capture,
                       const std::string& name, const Parameters& parameters, const std::stop_token& stop) {
  if (name == "predictions") return predictions_json(whatif, capture, parameters, stop);
  if (name == "cosine") {
    const CapturePtr other = captures.get(text_parameter(parameters, "with").value_or(""));
    return cosine_json(whatif, capture, other, parameters, stop);
  }
  const bool of_one = name == "weights" || name == "rows" || name == "steps";
  const bool of_all =
      name == "overview" || name == "thumbnails" || name == "similarity" || name == "rollout";
  if (!of_one && !of_all) throw RequestError(404, "there is no such address");
  const AttentionKind kind = kind_parameter(parameters, capture->run());
  if (name == "rollout") check_rollout(capture->run(), kind);
  const ShownRun shown = shown_run(whatif, capture, kind, parameters, stop);
  if (of_all) return study_answer(shown, name, stop);
  if (name == "steps") return steps_answer(captures, shown.stored, shown.parameters);
  return name == "weights" ? weights_bytes(shown.stored->run(), shown.parameters)
                           : rows_bytes(shown.stored->run(), shown.parameters);
}

bool is_json(const std::string& name) {
  return name == "overview" || name == "predictions" || name == "cosine";
}

}  // namespace fovea::explorer
