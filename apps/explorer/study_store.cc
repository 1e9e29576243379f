#include "study_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fovea/error.h"
#include "fovea/measure_definitions.h"
#include "request_error.h"

namespace fovea::explorer {
namespace {

constexpr Index kShownTokens = 12, kShownPairs = 12, kNearestHeads = 5;

// Six decimals are what a page shows, and a third of the bytes.
double brief(double value) { return std::round(value * 1e6) / 1e6; }

void write_numbers(JsonWriter& json, const std::vector<double>& values) {
  json.begin_array();
  for (const double value : values) json.number_or_null(brief(value));
  json.end_array();
}

void write_roles(JsonWriter& json, const Study& study, Index head) {
  json.key("roles").begin_array();
  for (const StudyRole& role : study.roles(head)) {
    json.begin_object();
    json.key("id").string(role.id);
    json.key("share").number(brief(role.share));
    json.end_object();
  }
  json.end_array();
}

// {"heads": [{"roles", "means", "nearest"}], "layout": [[x, y]]}; the last two only if heads were compared.
std::string overview_of(const Study& study) {
  const Index heads = study.layers() * study.heads();
  const bool compared = study.options().similarity_rows > 0 && heads > 1;
  HeadSimilarity similarity;
  if (compared) similarity = study.similarity();
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("heads").begin_array();
  for (Index h = 0; h < heads; ++h) {
    json.begin_object();
    write_roles(json, study, h);
    json.key("means").begin_object();
    for (const Measure measure : study_measures()) {
      json.key(measure_definition(measure).name).number_or_null(brief(study.value(h, measure).mean));
    }
    json.end_object();
    json.key("nearest").begin_array();
    std::vector<std::pair<double, Index>> others;
    for (Index other = 0; compared && other < heads; ++other) {
      if (other != h) others.emplace_back(similarity.divergence(h, other), other);
    }
    std::sort(others.begin(), others.end());
    others.resize(std::min(others.size(), static_cast<std::size_t>(kNearestHeads)));
    for (const auto& [divergence, other] : others) {
      json.begin_object();
      json.key("head").integer(other);
      json.key("divergence").number(brief(divergence));
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("layout").begin_array();
  for (Index h = 0; compared && h < heads; ++h) {
    write_numbers(json, {similarity.layout(h, 0), similarity.layout(h, 1)});
  }
  json.end_array();
  json.end_object();
  return json.take();
}

void write_measure(JsonWriter& json, const Study& study, Index head, Measure measure) {
  const StudyValue value = study.value(head, measure);
  json.begin_object();
  json.key("name").string(measure_definition(measure).name);
  json.key("count").integer(value.count);
  json.key("mean").number_or_null(brief(value.mean));
  json.key("deviation").number_or_null(brief(value.deviation));
  std::vector<double> quantiles;
  for (const double share : {0.05, 0.25, 0.5, 0.75, 0.95}) {
    quantiles.push_back(study.quantile(head, measure, share));
  }
  json.key("quantiles");
  write_numbers(json, quantiles);
  json.key("range").number(study.histogram_range(measure));
  const std::vector<Index> bins = study.histogram(head, measure);
  std::vector<Index> shown(static_cast<std::size_t>(kShownBins), 0);
  for (std::size_t b = 0; b < bins.size(); ++b) shown[b * shown.size() / bins.size()] += bins[b];
  json.key("histogram").integers(shown);
  std::vector<double> kinds;
  for (Index k = 0; k < kTokenKinds; ++k) {
    kinds.push_back(study.of_kind(head, measure, static_cast<TokenKind>(k)).mean);
  }
  json.key("kinds");
  write_numbers(json, kinds);
  json.end_object();
}

void write_place(JsonWriter& json, const StudyPlace& place) {
  json.begin_object();
  json.key("weight").number(brief(place.weight));
  json.key("query").integer(place.query);
  json.key("key").integer(place.key);
  json.key("tokens").strings(place.tokens);
  json.key("weights");
  write_numbers(json, place.weights);
  json.key("query_at").integer(place.query_at);
  json.key("key_at").integer(place.key_at);
  json.end_object();
}

void write_tokens(JsonWriter& json, const Study& study, Index head) {
  json.key("received").begin_array();
  for (const StudyToken& token : study.received(head, kShownTokens)) {
    json.begin_object();
    json.key("token").string(token.token);
    json.key("count").integer(token.count);
    json.key("weight").number(brief(token.received));
    json.end_object();
  }
  json.end_array();
  json.key("pairs").begin_array();
  const std::vector<StudyPair> pairs = study.pairs(head);
  for (std::size_t p = 0; p < std::min(pairs.size(), static_cast<std::size_t>(kShownPairs)); ++p) {
    json.begin_object();
    json.key("query").string(pairs[p].query);
    json.key("key").string(pairs[p].key);
    json.key("weight").number(brief(pairs[p].weight));
    json.end_object();
  }
  json.end_array();
}

std::string head_of(const Study& study, Index head) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  write_roles(json, study, head);
  json.key("measures").begin_array();
  for (const Measure measure : study_measures()) write_measure(json, study, head, measure);
  json.end_array();
  std::vector<double> distances;  // from −(length − 1) on
  const Index length = study.options().length;
  for (Index d = 1 - length; d < length; ++d) distances.push_back(study.at_distance(head, d));
  json.key("distances");
  write_numbers(json, distances);
  write_tokens(json, study, head);
  json.key("places").begin_array();
  for (const StudyPlace& place : study.places(head)) write_place(json, place);
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace

StudyStore::StudyStore(const std::vector<Study>& studies) {
  if (studies.size() > kMostStudies) {
    throw Error(fmt::format("[study] got {} studies, at most {} are shown", studies.size(), kMostStudies));
  }
  for (const Study& study : studies) {
    const Index heads = study.layers() * study.heads();
    if (study.counts().texts == 0) throw Error("[study] it has no texts");
    if (heads > kMostStudyHeads) {
      throw Error(fmt::format("[study] it has {} heads, at most {} are shown", heads, kMostStudyHeads));
    }
    Shown shown{fmt::format("s{}", studies_.size()),
                study.model(),
                study.options().corpus,
                study.shard(),
                study.kind(),
                study.layers(),
                study.heads(),
                study.options().length,
                study.counts(),
                std::make_shared<const std::string>(overview_of(study)),
                {}};
    for (Index h = 0; h < heads; ++h) {
      shown.cards.push_back(std::make_shared<const std::string>(head_of(study, h)));
    }
    studies_.push_back(std::move(shown));
  }
}

void StudyStore::write_json(JsonWriter& json) const {
  json.begin_array();
  for (const Shown& shown : studies_) {
    json.begin_object();
    json.key("id").string(shown.id);
    json.key("model").string(shown.model);
    json.key("corpus").string(shown.corpus);
    json.key("shard").string(shown.shard);
    json.key("kind").string(to_string(shown.kind));
    json.key("layers").integer(shown.layers);
    json.key("heads").integer(shown.heads);
    json.key("length").integer(shown.length);
    json.key("texts").integer(shown.counts.texts);
    json.key("tokens").integer(shown.counts.tokens);
    json.key("cut").integer(shown.counts.cut);
    json.key("unknown").integer(shown.counts.unknown);
    json.end_object();
  }
  json.end_array();
}

const StudyStore::Shown& StudyStore::get(const std::string& id) const {
  for (const Shown& shown : studies_) {
    if (shown.id == id) return shown;
  }
  throw RequestError(404, studies_.empty() ? std::string("there is no study: fovea serve --study FILE")
                                           : fmt::format("the studies are s0 to s{}", studies_.size() - 1));
}

StudyStore::Body StudyStore::overview(const std::string& id) const { return get(id).overview; }

Index StudyStore::heads(const std::string& id) const { return static_cast<Index>(get(id).cards.size()); }

StudyStore::Body StudyStore::head(const std::string& id, Index head) const {
  const Shown& shown = get(id);
  if (head < 0 || head >= static_cast<Index>(shown.cards.size())) {
    throw RequestError(404, fmt::format("the study has heads 0 to {}", shown.cards.size() - 1));
  }
  return shown.cards[static_cast<std::size_t>(head)];
}

}  // namespace fovea::explorer
