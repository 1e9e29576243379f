#include "predictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
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

// The logits of one position, and what they were.
struct Logits {
  ConstView after, before;  // [V]; the same where nothing was changed
  bool changed = false;
};

void write_token(JsonWriter& json, const TextModel& model, const TokenPrediction& token,
                 const Logits& logits, const std::vector<double>& log_after,
                 const std::vector<double>& log_before) {
  const auto at = static_cast<std::size_t>(token.id);
  const std::vector<Index>& ends = model.model().config().end_ids;
  json.begin_object();
  json.key("id").integer(token.id);
  json.key("token").string(token.token);
  json.key("logit").number(static_cast<double>(logits.after.data()[token.id]));
  json.key("probability").number(std::exp(log_after[at]));
  if (logits.changed) {
    json.key("logit_before").number(static_cast<double>(logits.before.data()[token.id]));
    json.key("probability_before").number(std::exp(log_before[at]));
  }
  if (std::find(ends.begin(), ends.end(), token.id) != ends.end()) json.key("ends").boolean(true);
  json.end_object();
}

// The likeliest now, then those that were before and are not any more.
void write_position(JsonWriter& json, const TextModel& model, Index position, const Logits& logits,
                    Index count) {
  std::vector<TokenPrediction> tokens = top_tokens(model, logits.after, count);
  if (logits.changed) {
    for (const TokenPrediction& was : top_tokens(model, logits.before, count)) {
      const auto same = [&](const TokenPrediction& token) { return token.id == was.id; };
      if (std::none_of(tokens.begin(), tokens.end(), same)) tokens.push_back(was);
    }
  }
  const std::vector<double> after = log_probabilities(logits.after),
                            before = logits.changed ? log_probabilities(logits.before) : after;
  json.begin_object();
  json.key("position").integer(position);
  if (logits.changed) json.key("kl").number(kl_divergence(logits.before, logits.after));
  json.key("top").begin_array();
  for (const TokenPrediction& token : tokens) write_token(json, model, token, logits, after, before);
  json.end_array();
  json.end_object();
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
    if (!positions.empty()) {
      const Tensor after = kept.logits(run, positions);
      const Tensor before = change.changes_run() ? kept.logits(kept.run(), positions) : Tensor();
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const ConstView now = after.view().select(0, static_cast<Index>(i));
        const ConstView was =
            change.changes_run() ? ConstView(before.view().select(0, static_cast<Index>(i))) : now;
        write_position(json, model, positions[i], {now, was, change.changes_run()}, count);
      }
    }
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
