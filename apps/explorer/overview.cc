#include "overview.h"

#include <algorithm>

#include "fovea/head_roles.h"
#include "fovea/json_writer.h"
#include "fovea/measure_definitions.h"
#include "fovea/measures.h"
#include "fovea/safetensors.h"

namespace fovea::explorer {
namespace {

// Above so many weights, only what needs no look at each of them: seconds instead of half a minute for 144
// heads of 4,000 tokens.
constexpr double kMostWeights = 2e8;

std::vector<Measure> streaming_measures() {
  return {Measure::entropy,  Measure::normalised_entropy, Measure::effective_keys,
          Measure::distance, Measure::confidence,         Measure::diagonal,
          Measure::received, Measure::outgoing,           Measure::sink_share};
}

double weights_in(const Capture& capture, AttentionKind kind) {
  const CapturedAttention& call = capture.at(kind, 0);
  return static_cast<double>(capture.layers(kind)) * static_cast<double>(call.q.shape()[1]) *
         static_cast<double>(call.q.shape()[2]) * static_cast<double>(call.k.shape()[2]);
}

MeasureOptions measure_options(const Capture& capture, AttentionKind kind) {
  const TokenSequence& keys = capture.key_sequences(kind).front();
  MeasureOptions options;
  options.tokens = capture.query_sequences(kind).front().tokens;
  options.key_tokens = keys.tokens;
  const bool pair = std::any_of(keys.segments.begin(), keys.segments.end(), [](Index s) { return s != 0; });
  if (pair) options.segments = keys.segments;
  options.rows = false;
  options.head_mean = false;
  return options;
}

void write_head(JsonWriter& json, const HeadMeasures& head, const std::vector<std::string>& key_tokens) {
  json.begin_object();
  json.key("measures");
  json.begin_object();
  for (const Measure measure : all_measures()) {
    json.key(measure_definition(measure).name);
    json.number_or_null(head[measure]);
  }
  json.end_object();
  const HeadRole role = role_of(head, key_tokens);
  json.key("role");
  json.begin_object();
  json.key("id");
  json.string(role.id);
  json.key("name");
  json.text(role.name);
  json.key("rule");
  json.text(role.rule);
  json.end_object();
  json.key("most_attended");
  json.integer(head.most_attended());
  json.end_object();
}

}  // namespace

std::string overview_json(const StoredCapture& stored, AttentionKind kind) {
  const Capture& capture = stored.capture();
  MeasureOptions options = measure_options(capture, kind);
  const bool all = weights_in(capture, kind) <= kMostWeights;
  if (!all) options.measures = streaming_measures();
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("heads");
  json.begin_array();
  for (Index layer = 0; layer < capture.layers(kind); ++layer) {
    const CapturedAttention& call = capture.at(kind, layer);
    const AttentionMeasures measures = measure_attention(call.q, call.k, call.options, options);
    json.begin_array();
    for (const HeadMeasures& head : measures.heads.front()) write_head(json, head, options.key_tokens);
    json.end_array();
  }
  json.end_array();
  json.key("measures_of");
  json.string(all ? "all" : "streaming");
  json.end_object();
  return json.take();
}

Thumbnails thumbnails_of(const Capture& capture, AttentionKind kind, Index size) {
  StatisticsOptions wanted;
  wanted.rows = wanted.received = false;
  wanted.thumbnail = size;
  Thumbnails all;
  for (Index layer = 0; layer < capture.layers(kind); ++layer) {
    const AttentionStatistics statistics = capture.statistics(kind, layer, wanted);
    const Shape& shape = statistics.thumbnail.shape();  // [1, H, R, C]
    if (layer == 0) {
      const Shape whole = {capture.layers(kind), shape[1], shape[2], shape[3]};
      all = {Tensor::uninitialized(whole), Tensor::uninitialized(whole)};
    }
    const Index cells = shape.elements();
    std::copy_n(statistics.thumbnail.data(), cells, all.mean.data() + layer * cells);
    std::copy_n(statistics.thumbnail_max.data(), cells, all.max.data() + layer * cells);
  }
  return all;
}

std::string thumbnails_bytes(const Capture& capture, AttentionKind kind, Index size) {
  Thumbnails all = thumbnails_of(capture, kind, size);
  NamedArrays arrays("[thumbnails]");
  arrays.add("mean", std::move(all.mean));
  arrays.add("max", std::move(all.max));
  return safetensors_bytes(arrays, {{"mean", StoredType::f16}, {"max", StoredType::f16}});
}

}  // namespace fovea::explorer
