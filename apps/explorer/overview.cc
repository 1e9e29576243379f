#include "overview.h"

#include <utility>
#include <vector>

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

double weights_in(const Run& run, AttentionKind kind) {
  const LayerView& layer = run.layer(kind, 0);
  return static_cast<double>(run.layers(kind)) * static_cast<double>(layer.heads()) *
         static_cast<double>(layer.queries()) * static_cast<double>(layer.keys());
}

void write_head(JsonWriter& json, const HeadMeasures& head, const std::vector<std::string>& key_labels) {
  json.begin_object();
  json.key("measures");
  json.begin_object();
  for (const Measure measure : all_measures()) {
    json.key(measure_definition(measure).name);
    json.number_or_null(head[measure]);
  }
  json.end_object();
  const HeadRole role = role_of(head, key_labels);
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

std::string overview_json(const StoredCapture& stored, AttentionKind kind, const std::stop_token& stop) {
  const Run run = stored.run().select(kind);
  const std::vector<std::string> key_labels = run.key_labels(kind);
  MeasureOptions options;
  options.rows = options.head_mean = false;
  options.stop = stop;
  const bool all = weights_in(run, kind) <= kMostWeights;
  if (!all) options.measures = streaming_measures();
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("heads");
  json.begin_array();
  for (const std::vector<HeadMeasures>& layer : measure_attention(run, options).heads) {
    json.begin_array();
    for (const HeadMeasures& head : layer) write_head(json, head, key_labels);
    json.end_array();
  }
  json.end_array();
  json.key("measures_of");
  json.string(all ? "all" : "streaming");
  json.end_object();
  return json.take();
}

Thumbnails thumbnails_of(const Run& run, AttentionKind kind, Index size, const std::stop_token& stop) {
  StatisticsOptions wanted;
  wanted.rows = wanted.received = false;
  wanted.thumbnail = size;
  wanted.stop = stop;
  AttentionStatistics all = run.select(kind).all_statistics(kind, wanted);
  const Shape s = all.thumbnail.shape();  // [L, 1, H, R, C]
  const Shape shape = {s[0], s[2], s[3], s[4]};
  return {std::move(all.thumbnail).reshaped(shape), std::move(all.thumbnail_max).reshaped(shape)};
}

std::string thumbnails_bytes(const Run& run, AttentionKind kind, Index size, const std::stop_token& stop) {
  Thumbnails all = thumbnails_of(run, kind, size, stop);
  NamedArrays arrays("[thumbnails]");
  arrays.add("mean", std::move(all.mean));
  arrays.add("max", std::move(all.max));
  return safetensors_bytes(arrays, {{"mean", StoredType::f16}, {"max", StoredType::f16}});
}

}  // namespace fovea::explorer
