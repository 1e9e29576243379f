#include "output/prediction_sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fovea/tokenizer.h"
#include "output/prediction_table.h"

namespace fovea::command {
namespace {

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

using What = LogitPart::What;

const char* what_of(const LogitPart& part) {
  switch (part.what) {
    case What::embedding:
      return "embedding";
    case What::head:
      return "head";
    case What::output_bias:
      return "attention_bias";
    case What::feed_forward:
      return "feed_forward";
    case What::readout_bias:
      break;
  }
  return "output_bias";
}

// "L1H2", "cross.L1H2", "L1 feed-forward": as places are written elsewhere.
std::string name_of(const Context& context, const LogitPart& part) {
  const std::string layer =
      fmt::format("{}L{}", part.kind == AttentionKind::cross ? "cross." : "", part.layer);
  switch (part.what) {
    case What::embedding:
      return context.say(tr("embeddings"));
    case What::head:
      return fmt::format("{}H{}", layer, part.head);
    case What::output_bias:
      return context.say(tr("{0} attention bias", layer));
    case What::feed_forward:
      return context.say(tr("{0} feed-forward", layer));
    case What::readout_bias:
      break;
  }
  return context.say(tr("output bias"));
}

}  // namespace

LensAt lens_at(const TextModel& model, ConstView logits, Index token, Index count) {
  LensAt lens;
  lens.token = token;
  for (Index layer = 0; layer < logits.shape()[0]; ++layer) {
    const ConstView row = logits.select(0, layer);
    lens.top.push_back(top_tokens(model, row, count));
    const double log_probability = log_probabilities(row)[static_cast<std::size_t>(token)];
    lens.followed.push_back(
        {token, token_name(model, token), static_cast<double>(row(token)), std::exp(log_probability)});
  }
  return lens;
}

void print_lens(const Context& context, const LensAt& lens) {
  std::vector<std::vector<std::string>> rows = {
      {context.say(tr("layer")), token_in_letters(lens.followed.front().token)}};
  for (std::size_t i = 0; i < lens.top.front().size(); ++i) {
    rows.front().push_back(i == 0 ? context.say(tr("most likely")) : fmt::format("{}.", i + 1));
  }
  std::vector<std::string> bars;
  for (std::size_t layer = 0; layer < lens.top.size(); ++layer) {
    rows.push_back({fmt::format("L{}", layer), percent(lens.followed[layer].probability)});
    for (const TokenPrediction& each : lens.top[layer]) {
      rows.back().push_back(fmt::format("{} {}", token_in_letters(each.token), percent(each.probability)));
    }
    bars.push_back(share_bar(lens.followed[layer].probability));
  }
  context.print(table_with_bars(std::move(rows), bars));
}

void write_fields(JsonWriter& json, const LensAt& lens) {
  json.key("token").string(lens.followed.front().token);
  json.key("id").integer(lens.token);
  json.key("layers").begin_array();
  for (std::size_t layer = 0; layer < lens.top.size(); ++layer) {
    json.begin_object();
    json.key("layer").integer(static_cast<Index>(layer));
    json.key("logit").number(lens.followed[layer].logit);
    json.key("probability").number(lens.followed[layer].probability);
    write_json(json.key("top"), lens.top[layer]);
    json.end_object();
  }
  json.end_array();
}

void print_parts(const Context& context, const LogitAttribution& attribution, Index most) {
  std::vector<LogitPart> parts = attribution.parts;
  std::stable_sort(parts.begin(), parts.end(), [](const LogitPart& a, const LogitPart& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  const std::size_t shown = std::min(parts.size(), static_cast<std::size_t>(most));
  std::vector<std::vector<std::string>> rows = {
      {context.say(tr("part")), context.say(tr("adds")), context.say(tr("norm"))}};
  for (std::size_t i = 0; i < shown; ++i) {
    rows.push_back({name_of(context, parts[i]), fmt::format("{:+.4f}", parts[i].value),
                    parts[i].what == What::readout_bias ? "" : fmt::format("{:.4f}", parts[i].norm)});
  }
  if (shown < parts.size()) {
    double others = 0;
    for (std::size_t i = shown; i < parts.size(); ++i) others += parts[i].value;
    rows.push_back(
        {context.say(tr("{0} others", parts.size() - shown)), fmt::format("{:+.4f}", others), ""});
  }
  rows.push_back({context.say(tr("sum")), fmt::format("{:.4f}", attribution.sum), ""});
  context.print(table_with_bars(std::move(rows), {}));
}

void write_fields(JsonWriter& json, const std::string& token, Index id,
                  const LogitAttribution& attribution) {
  json.key("token").string(token);
  json.key("id").integer(id);
  json.key("logit").number(attribution.logit);
  json.key("sum").number(attribution.sum);
  json.key("parts").begin_array();
  for (const LogitPart& part : attribution.parts) {
    json.begin_object();
    json.key("part").string(what_of(part));
    if (part.what == What::head || part.what == What::output_bias) {
      json.key("kind").string(to_string(part.kind));
    }
    if (part.what != What::embedding && part.what != What::readout_bias) {
      json.key("layer").integer(part.layer);
    }
    if (part.what == What::head) json.key("head").integer(part.head);
    json.key("value").number(part.value);
    json.key("norm").number(part.norm);
    json.end_object();
  }
  json.end_array();
}

}  // namespace fovea::command
