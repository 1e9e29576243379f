#include "whatif_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fovea/passed_on.h"
#include "fovea/places.h"
#include "fovea/predict.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr std::size_t kKeptRuns = 3;  // whose every layer can be changed at once
constexpr std::size_t kKeptPositions = 64,
                      kKeptPositionBytes = 64'000'000;  // of a vocabulary of 32,000: 25 MB

std::size_t bytes_of_run(const CapturePtr& capture) { return capture->run().bytes(); }

std::size_t bytes_of_logits(const PositionLogitsPtr& of) {
  return of->logs.size() * (sizeof(float) + sizeof(double));
}

[[noreturn]] void refuse_without_model(const StoredCapture& capture, const char* of_film) {
  throw RequestError(
      422, capture.film ? of_film : "this run came without its model: there is nothing to run again");
}

CapturePtr like(const StoredCapture& stored, const std::string& id, TextRun read,
                Intervention intervention) {
  StoredCapture made;
  made.id = id;
  made.model_id = stored.model_id;
  made.model = stored.model;
  made.text = stored.text;
  made.second_text = stored.second_text;
  made.read = std::move(read);
  made.seconds = stored.seconds;
  made.more = stored.more;
  made.intervention = std::move(intervention);
  return std::make_shared<const StoredCapture>(std::move(made));
}

// Every row [M] divided by its sum; a row that passes nothing stays zero.
void to_shares(Tensor& rows) {
  const Index m = rows.shape().back(), count = rows.shape().elements() / std::max<Index>(1, m);
  for (Index i = 0; i < count; ++i) {
    float* row = rows.data() + i * m;
    double sum = 0;
    for (Index j = 0; j < m; ++j) sum += static_cast<double>(row[j]);
    for (Index j = 0; j < m && sum > 0; ++j) {
      row[j] = static_cast<float>(static_cast<double>(row[j]) / sum);
    }
  }
}

void check_size(const Run& run, AttentionKind kind) {
  const LayerView& first = run.layer(kind, 0);
  const Index heads = run.layers(kind) * first.heads();
  if (first.queries() * first.keys() <= kMostPassedWeights / heads) return;
  throw RequestError(413,
                     fmt::format("what {} heads pass on among {} tokens is too much to show: the limit "
                                 "is {} numbers",
                                 heads, first.keys(), kMostPassedWeights));
}

bool is_off(const std::vector<HeadPlace>& off, AttentionKind kind, Index layer, Index head) {
  return std::any_of(off.begin(), off.end(), [&](const HeadPlace& place) {
    const auto& heads = place.heads;
    return place.kind == kind && place.layer == layer &&
           (heads.empty() || std::find(heads.begin(), heads.end(), head) != heads.end());
  });
}

// Heads that are switched off pass nothing on.
Run passed_run(const StoredCapture& stored, AttentionKind kind, const std::vector<HeadPlace>& off,
               const std::stop_token& stop) {
  const Run& run = stored.run();
  check_size(run, kind);
  const LayerView& first = run.layer(kind, 0);
  const Index layers = run.layers(kind);
  Tensor all({layers, 1, first.heads(), first.queries(), first.keys()});
  float* at = all.data();
  for (Index layer = 0; layer < layers; ++layer) {
    for (Index head = 0; head < first.heads(); ++head, at += first.queries() * first.keys()) {
      if (is_off(off, kind, layer, head)) continue;
      HeadChoice choice{.kind = kind, .layer = layer, .head = head};
      choice.passed_on = true;
      Tensor norms = run.weights(choice, stop);
      to_shares(norms);
      std::copy_n(norms.data(), norms.shape().elements(), at);
    }
  }
  // Who may see whom is told only where all layers agree; what is hidden passes nothing anyway.
  Run shares =
      Run::from_weights(std::move(all), kind == AttentionKind::decoder ? Mask::causal() : Mask::none());
  shares.set_tokens(AttentionKind::encoder, run.query_tokens(kind), run.key_tokens(kind));
  return shares;
}

}  // namespace

WhatIfStore::WhatIfStore(const Limits& limits)
    : kept_(kKeptRuns, limits.changed_bytes,
            [](const KeptRun& kept) { return kept.run().run.bytes() / 3; }),  // beside q, k, v: streams
      before_(kKeptPositions, kKeptPositionBytes, bytes_of_logits),
      runs_(limits.changed_runs, limits.changed_bytes,
            [](const TextRun& changed) { return changed.run.bytes(); }),
      changed_(limits.changed_runs, limits.changed_bytes, bytes_of_run),
      passed_(limits.changed_runs, limits.changed_bytes / 2, bytes_of_run) {}

KeptRun WhatIfStore::kept(const CapturePtr& capture, const std::stop_token& stop) {
  if (!capture->model) {
    refuse_without_model(*capture,
                         "a film keeps queries and keys, not the model: there is nothing to run again");
  }
  return kept_.get(capture->id + " ", [&] { return KeptRun(*capture->model, capture->read, stop); });
}

CapturePtr WhatIfStore::changed(const CapturePtr& capture, const RunChange& change,
                                const std::stop_token& stop) {
  if (!change.changes_run()) return capture;
  const std::string id = capture->id + " " + change.key();
  return changed_.get(id, [&] {
    TextRun run = read(capture, change, stop);
    add_value_norms(capture->model->model(), run.run);
    return like(*capture, id, std::move(run), intervention_of(change, *capture));
  });
}

TextRun WhatIfStore::read(const CapturePtr& capture, const RunChange& change, const std::stop_token& stop) {
  if (!change.changes_run()) return kept(capture, stop).run();
  return runs_.get(capture->id + " " + change.key(),
                   [&] { return kept(capture, stop).changed(intervention_of(change, *capture), stop); });
}

PositionLogitsPtr WhatIfStore::before(const CapturePtr& capture, Index position,
                                      const std::stop_token& stop) {
  return before_.get(fmt::format("{} {}", capture->id, position), [&]() -> PositionLogitsPtr {
    const KeptRun run = kept(capture, stop);
    Tensor logits = run.logits(run.run(), {position});  // [1, V]
    const Index vocabulary = logits.shape().back();
    logits = std::move(logits).reshaped({vocabulary});
    std::vector<double> logs = log_probabilities(logits);
    return std::make_shared<const PositionLogits>(PositionLogits{std::move(logits), std::move(logs)});
  });
}

CapturePtr WhatIfStore::passed(const CapturePtr& capture, const RunChange& change, AttentionKind kind,
                               const std::stop_token& stop) {
  if (!capture->model) {
    refuse_without_model(*capture,
                         "a film keeps queries and keys, but no values: what heads pass on is not known");
  }
  const std::string id = fmt::format("{} {} {}", capture->id, to_string(kind), change.key());
  return passed_.get(id, [&] {
    const CapturePtr base = changed(capture, change, stop);
    std::vector<HeadPlace> off;
    if (!change.off.empty()) off = parse_heads(change.off, base->model->model().config());
    TextRun read{passed_run(*base, kind, off, stop), base->read.input, base->read.cut, {}};
    return like(*base, id, std::move(read), base->intervention);
  });
}

void WhatIfStore::forget(const std::string& capture_id) {
  kept_.forget(capture_id + " ");
  before_.forget(capture_id + " ");
  runs_.forget(capture_id + " ");
  changed_.forget(capture_id + " ");
  passed_.forget(capture_id + " ");
}

ShownRun shown_run(WhatIfStore& store, const CapturePtr& capture, AttentionKind kind,
                   const Parameters& parameters, const std::stop_token& stop) {
  const RunChange change = change_parameters(parameters);
  if (!change.passed) return {store.changed(capture, change, stop), kind, parameters};
  ShownRun shown{store.passed(capture, change, kind, stop), AttentionKind::encoder, parameters};
  shown.parameters.erase("kind");
  shown.parameters.emplace("kind", to_string(AttentionKind::encoder));
  return shown;
}

bool asks_for_change(const Parameters& parameters) {
  const RunChange change = change_parameters(parameters);
  return change.passed || change.changes_run();
}

}  // namespace fovea::explorer
