#include "predictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "fovea/predict.h"
#include "limits.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr Index kTopTokens = 10;

// Where a prediction is asked for; none: a masked-language model whose text has no mask.
std::vector<Index> positions_of(const TextModel& model, const TextRun& run, const Parameters& parameters) {
  const Index tokens = run.output.hidden.shape()[1];
  if (const auto position = integer_parameter(parameters, "position", 0, tokens - 1)) return {*position};
  try {
    return predicted_positions(model, run);
  } catch (const Error&) {
    return {};
  }
}

// What a run says at one position, and what it said unchanged.
struct BeforeAfter {
  PositionLogitsPtr after, before;  // before: null where nothing was changed
};

double logit_of(const PositionLogits& of, Index id) { return static_cast<double>(of.logits.data()[id]); }
double probability_of(const PositionLogits& of, Index id) {
  return std::exp(of.logs[static_cast<std::size_t>(id)]);
}

void write_token(JsonWriter& json, const TextModel& model, const TokenPrediction& token,
                 const BeforeAfter& at) {
  const std::vector<Index>& ends = model.model().config().end_ids;
  json.begin_object();
  json.key("id").integer(token.id);
  json.key("token").string(token.token);
  json.key("logit").number(logit_of(*at.after, token.id));
  json.key("probability").number(probability_of(*at.after, token.id));
  if (at.before) {
    json.key("logit_before").number(logit_of(*at.before, token.id));
    json.key("probability_before").number(probability_of(*at.before, token.id));
  }
  if (std::find(ends.begin(), ends.end(), token.id) != ends.end()) json.key("ends").boolean(true);
  json.end_object();
}

// The likeliest now, then those that were before and are not any more.
void write_position(JsonWriter& json, const TextModel& model, Index position, const BeforeAfter& at,
                    Index count) {
  std::vector<TokenPrediction> tokens = top_tokens(model, at.after->logits, at.after->logs, count);
  if (at.before) {
    for (const TokenPrediction& was : top_tokens(model, at.before->logits, at.before->logs, count)) {
      const auto same = [&](const TokenPrediction& token) { return token.id == was.id; };
      if (std::none_of(tokens.begin(), tokens.end(), same)) tokens.push_back(was);
    }
  }
  json.begin_object();
  json.key("position").integer(position);
  if (at.before) json.key("kl").number(kl_divergence(at.before->logs, at.after->logs));
  json.key("top").begin_array();
  for (const TokenPrediction& token : tokens) write_token(json, model, token, at);
  json.end_array();
  json.end_object();
}

// Of a changed run, position by position.
std::vector<PositionLogitsPtr> logits_of(const KeptRun& kept, const TextRun& run,
                                         const std::vector<Index>& positions) {
  const Tensor all = kept.logits(run, positions);  // [P, V]
  std::vector<PositionLogitsPtr> each;
  for (Index i = 0; i < all.shape()[0]; ++i) {
    Tensor logits = Tensor::copy_of(all.view().select(0, i));
    std::vector<double> logs = log_probabilities(logits);
    each.push_back(
        std::make_shared<const PositionLogits>(PositionLogits{std::move(logits), std::move(logs)}));
  }
  return each;
}

void write_positions(JsonWriter& json, WhatIfStore& store, const CapturePtr& capture, const TextRun& run,
                     bool changed, const std::vector<Index>& positions, Index count,
                     const std::stop_token& stop) {
  const KeptRun kept = store.kept(capture, stop);
  std::vector<PositionLogitsPtr> after;
  if (changed && !positions.empty()) after = logits_of(kept, run, positions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const PositionLogitsPtr before = store.before(capture, positions[i], stop);
    write_position(json, kept.model(), positions[i],
                   changed ? BeforeAfter{after[i], before} : BeforeAfter{before, {}}, count);
  }
}

void check_vectors(const StoredCapture& stored) {
  if (stored.model && stored.model->model().config().family == ModelFamily::bert) return;
  throw RequestError(422, "only encoders make a vector of a text; this model predicts tokens");
}

}  // namespace

std::string predictions_json(WhatIfStore& store, const CapturePtr& capture, const Parameters& parameters,
                             const std::stop_token& stop) {
  const RunChange change = change_parameters(parameters);
  const Index count = integer_parameter(parameters, "top", 1, kMostPredictions).value_or(kTopTokens);
  const KeptRun kept = store.kept(capture, stop);
  const TextModel& model = kept.model();
  const ModelConfig& config = model.model().config();
  const TextRun run = store.read(capture, change, stop);
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  if (!config.has_logits) {
    check_vectors(*capture);
    json.key("predicts").string("vector");
    json.key("cosine").number(
        cosine(sentence_vector(kept.run().output.hidden), sentence_vector(run.output.hidden)));
  } else {
    const std::vector<Index> positions = positions_of(model, run, parameters);
    json.key("predicts").string(config.has_decoder() ? "next" : "masked");
    json.key("positions").begin_array();
    write_positions(json, store, capture, run, change.changes_run(), positions, count, stop);
    json.end_array();
  }
  json.end_object();
  return json.take();
}

std::string cosine_json(WhatIfStore& store, const CapturePtr& a, const CapturePtr& b,
                        const Parameters& parameters, const std::stop_token& stop) {
  check_vectors(*a);
  check_vectors(*b);
  if (a->model_id != b->model_id) {
    throw RequestError(422, fmt::format("vectors of different models ({}, {}) cannot be compared",
                                        a->model_id, b->model_id));
  }
  RunChange change = change_parameters(parameters);
  change.hide = change.visible = "";  // a mask belongs to one text
  const auto vector = [&](const CapturePtr& of, const RunChange& how) {
    return sentence_vector(store.read(of, how, stop).output.hidden);
  };
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("cosine").number(cosine(vector(a, change), vector(b, change)));
  if (change.changes_run()) json.key("before").number(cosine(vector(a, {}), vector(b, {})));
  json.end_object();
  return json.take();
}

}  // namespace fovea::explorer
