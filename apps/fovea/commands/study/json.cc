// A study for programs.
#include <fmt/core.h>

#include "commands/study/views.h"
#include "fovea/json_writer.h"
#include "fovea/measure_definitions.h"

namespace fovea::command {
namespace {

void write_value(JsonWriter& json, const StudyValue& value) {
  json.begin_object();
  json.key("count").integer(value.count);
  json.key("mean").number_or_null(value.mean);
  json.key("deviation").number_or_null(value.deviation);
  json.end_object();
}

void write_measure(JsonWriter& json, const Study& study, Index head, Measure measure) {
  json.begin_object();
  const StudyValue value = study.value(head, measure);
  json.key("count").integer(value.count);
  json.key("mean").number_or_null(value.mean);
  json.key("deviation").number_or_null(value.deviation);
  json.key("quantiles").begin_object();
  for (const int share : {5, 25, 50, 75, 95}) {
    json.key(fmt::format("{}", share)).number_or_null(study.quantile(head, measure, share / 100.0));
  }
  json.end_object();
  json.key("histogram_range").number(study.histogram_range(measure));
  json.key("histogram").integers(study.histogram(head, measure));
  json.key("kinds").begin_object();
  for (Index k = 0; k < kTokenKinds; ++k) {
    const auto kind = static_cast<TokenKind>(k);
    json.key(to_string(kind));
    write_value(json, study.of_kind(head, measure, kind));
  }
  json.end_object();
  json.key("positions").begin_array();  // means
  for (Index i = 0; i < study.options().length; ++i) {
    json.number_or_null(study.at_position(head, measure, i).mean);
  }
  json.end_array();
  json.end_object();
}

void write_places(JsonWriter& json, const Study& study, Index head) {
  json.key("places").begin_array();
  for (const StudyPlace& place : study.places(head)) {
    json.begin_object();
    json.key("weight").number(place.weight);
    json.key("query").integer(place.query);
    json.key("key").integer(place.key);
    json.key("tokens").strings(place.tokens);
    json.key("weights").numbers(place.weights);
    json.key("query_at").integer(place.query_at);
    json.key("key_at").integer(place.key_at);
    json.end_object();
  }
  json.end_array();
}

void write_head(JsonWriter& json, const Study& study, Index head) {
  constexpr Index kTokens = 50;
  json.begin_object();
  json.key("head").string(head_name(study, head));
  json.key("roles").begin_object();
  for (const StudyRole& role : study.roles(head)) json.key(role.id).number(role.share);
  json.end_object();
  json.key("measures").begin_object();
  for (const Measure measure : study_measures()) {
    json.key(measure_definition(measure).name);
    write_measure(json, study, head, measure);
  }
  json.end_object();
  const Index farthest = study.options().length - 1;
  json.key("distances").begin_array();  // −(length − 1) .. length − 1
  for (Index d = -farthest; d <= farthest; ++d) json.number_or_null(study.at_distance(head, d));
  json.end_array();
  json.key("received").begin_array();
  for (const StudyToken& token : study.received(head, kTokens)) {
    json.begin_object();
    json.key("token").string(token.token);
    json.key("count").integer(token.count);
    json.key("weight").number(token.received);
    json.end_object();
  }
  json.end_array();
  json.key("pairs").begin_array();  // approximate
  for (const StudyPair& pair : study.pairs(head)) {
    json.begin_object();
    json.key("query").string(pair.query);
    json.key("key").string(pair.key);
    json.key("weight").number(pair.weight);
    json.end_object();
  }
  json.end_array();
  write_places(json, study, head);
  json.end_object();
}

}  // namespace

std::string study_json(const Study& study, std::optional<Index> head) {
  const StudyCounts& counts = study.counts();
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("model").string(study.model());
  json.key("corpus").string(study.options().corpus);
  json.key("kind").string(to_string(study.kind()));
  json.key("layers").integer(study.layers());
  json.key("heads_per_layer").integer(study.heads());
  json.key("weights").string(to_string(study.weights()));
  json.key("precision").string(to_string(study.precision()));
  json.key("length").integer(study.options().length);
  json.key("texts").integer(counts.texts);
  json.key("tokens").integer(counts.tokens);
  json.key("cut").integer(counts.cut);
  json.key("skipped").integer(counts.skipped);
  json.key("unknown").integer(counts.unknown);
  json.key("broken").integer(counts.broken);
  json.key("repaired").integer(counts.repaired);
  json.key("shard").string(study.shard());
  json.key("heads").begin_array();
  for (Index h = 0; h < study.layers() * study.heads(); ++h) {
    if (!head || *head == h) write_head(json, study, h);
  }
  json.end_array();
  if (!head && counts.texts > 0 && study.options().similarity_rows > 0) {
    const HeadSimilarity similarity = study.similarity();
    json.key("divergence").matrix(similarity.divergence);
    json.key("map").matrix(similarity.layout);
    json.key("order").integers(similarity.order);
  }
  json.end_object();
  return json.take() + "\n";
}

}  // namespace fovea::command
