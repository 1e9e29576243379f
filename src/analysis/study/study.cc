// A study as others see it: texts in, what the sums say out.
#include "fovea/study.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "analysis/study/pair_sketch.h"
#include "analysis/study/study_state.h"
#include "analysis/study/study_text.h"
#include "core/at.h"
#include "core/fail.h"
#include "fovea/measure_definitions.h"

namespace fovea {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr Index kLongestText = 4096;  // tokens: tables by position and distance grow with it

StudyHeader header_of(const TextModel& model, const StudyOptions& options) {
  const ModelConfig& config = model.model().config();
  const Index most = std::min(config.max_tokens, kLongestText);
  if (options.length < 2 || options.length > most) {
    fail("[study] got a length of {}, expected 2 .. {}", options.length, most);
  }
  if (options.similarity_rows < 0 || options.similarity_rows > options.length) {
    fail("[study] got {} rows to compare, expected 0 .. {}", options.similarity_rows, options.length);
  }
  StudyHeader header;
  header.model = model.model().name();
  header.parameters = model.model().parameters();
  header.kind = config.has_encoder() ? AttentionKind::encoder : AttentionKind::decoder;
  header.layers = config.layers;
  header.heads = config.heads;
  header.vocabulary = std::max(config.vocabulary, model.tokenizer().size());
  header.weights = model.model().weights();
  header.precision = model.model().precision();
  header.options = options;
  return header;
}

std::size_t measure_place(Measure measure) {
  const auto found = std::find(study_measures().begin(), study_measures().end(), measure);
  if (found == study_measures().end()) {
    fail("[study] {} is not studied", measure_definition(measure).name);
  }
  return static_cast<std::size_t>(found - study_measures().begin());
}

void check_head(const StudyHeader& header, Index head) {
  if (head < 0 || head >= header.all_heads()) {
    fail("[study] got head {}, there are {} in all layers", head, header.all_heads());
  }
}

}  // namespace

Study::Study(const TextModel& model, const StudyOptions& options)
    : state_(std::make_unique<StudyState>(header_of(model, options))) {}
Study::Study(std::unique_ptr<StudyState> state) : state_(std::move(state)) {}
Study::Study(const Study& other) : state_(std::make_unique<StudyState>(*other.state_)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(const Study& other) {
  if (this != &other) *this = Study(other);
  return *this;
}
Study& Study::operator=(Study&&) noexcept = default;
Study::~Study() = default;

void Study::add(const TextModel& model, const std::vector<std::string>& texts,
                const std::stop_token& stop) {
  const StudyHeader& header = state_->header;
  const StudyHeader given = header_of(model, header.options);
  if (given.model != header.model || given.parameters != header.parameters ||
      given.all_heads() != header.all_heads() || given.vocabulary != header.vocabulary) {
    fail("[study] got the model {}, expected {}", given.model, header.model);
  }
  if (given.weights != header.weights || given.precision != header.precision) {
    fail("[study] got a model with {} weights and {} products, expected {} and {}",
         to_string(given.weights), to_string(given.precision), to_string(header.weights),
         to_string(header.precision));
  }
  add_texts(*state_, add_and_measure(*state_, {}, model, texts, stop));
}

void Study::merge(const Study& other) { merge_states(*state_, *other.state_); }

const std::string& Study::model() const { return state_->header.model; }
const StudyOptions& Study::options() const { return state_->header.options; }
AttentionKind Study::kind() const { return state_->header.kind; }
FloatType Study::weights() const { return state_->header.weights; }
Precision Study::precision() const { return state_->header.precision; }
Index Study::layers() const { return state_->header.layers; }
Index Study::heads() const { return state_->header.heads; }
const StudyCounts& Study::counts() const { return state_->counts; }

std::string Study::shard() const {
  std::string parts;
  for (const Index part : state_->parts) parts += fmt::format("{}{}", parts.empty() ? "" : "+", part);
  return parts.empty() ? "" : fmt::format("{}/{}", parts, state_->shards);
}

StudyValue Study::value(Index head, Measure measure) const {
  check_head(state_->header, head);
  return state_->moments.value(state_->measure_at(head, measure_place(measure)));
}

StudyValue Study::at_position(Index head, Measure measure, Index position) const {
  check_head(state_->header, head);
  const Index length = options().length;
  if (position < 0 || position >= length) fail("[study] got position {}, of {}", position, length);
  return state_->positions.value(state_->measure_at(head, measure_place(measure)) * at(length) +
                                 at(position));
}

StudyValue Study::of_kind(Index head, Measure measure, TokenKind kind) const {
  check_head(state_->header, head);
  return state_->kinds.value(state_->measure_at(head, measure_place(measure)) * at(kTokenKinds) +
                             static_cast<std::size_t>(kind));
}

std::vector<Index> Study::histogram(Index head, Measure measure) const {
  check_head(state_->header, head);
  const auto begin =
      state_->histograms.begin() +
      static_cast<std::ptrdiff_t>(state_->measure_at(head, measure_place(measure))) * kStudyBins;
  return {begin, begin + kStudyBins};
}

double Study::histogram_range(Measure measure) const { return study_range(measure, options().length); }

double Study::quantile(Index head, Measure measure, double share) const {
  if (!(share >= 0 && share <= 1)) fail("[study] got the quantile {}, expected 0 .. 1", share);
  const std::vector<Index> bins = histogram(head, measure);
  const Index all = std::accumulate(bins.begin(), bins.end(), Index{0});
  if (all == 0) return kNothing;
  const double wanted = share * static_cast<double>(all);
  const double width = histogram_range(measure) / static_cast<double>(kStudyBins);
  double before = 0;
  std::size_t last = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    if (bins[b] == 0) continue;
    const auto here = static_cast<double>(bins[b]);
    if (before + here >= wanted) return (static_cast<double>(b) + (wanted - before) / here) * width;
    before += here;
    last = b;
  }
  return static_cast<double>(last + 1) * width;
}

double Study::at_distance(Index head, Index distance) const {
  check_head(state_->header, head);
  const Index length = options().length;
  if (distance <= -length || distance >= length) fail("[study] got distance {}, of {}", distance, length);
  const std::size_t place = at(head * state_->header.distances() + length - 1 + distance);
  const std::int64_t pairs = state_->distance_pairs[place];
  return pairs == 0 ? kNothing : value_of(state_->distance_weight[place]) / static_cast<double>(pairs);
}

std::vector<StudyRole> Study::roles(Index head) const {
  check_head(state_->header, head);
  std::vector<StudyRole> roles;
  for (std::size_t r = 0; r < study_roles().size(); ++r) {
    const std::int64_t texts = state_->roles[at(head) * study_roles().size() + r];
    if (texts == 0) continue;
    roles.push_back({study_roles()[r], static_cast<double>(texts) / static_cast<double>(counts().texts)});
  }
  std::stable_sort(roles.begin(), roles.end(),
                   [](const StudyRole& a, const StudyRole& b) { return a.share > b.share; });
  return roles;
}

std::vector<StudyToken> Study::received(Index head, Index most) const {
  check_head(state_->header, head);
  std::vector<std::pair<Int128, Index>> sums;
  for (const auto& [id, name] : state_->names) {
    sums.emplace_back(-state_->received[at(head * state_->header.vocabulary + id)], id);
  }
  const std::size_t count = std::min(sums.size(), at(std::max<Index>(0, most)));
  std::partial_sort(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(count), sums.end());
  std::vector<StudyToken> tokens;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [sum, id] = sums[i];
    tokens.push_back({id, state_->names.at(id), state_->token_count[at(id)], value_of(-sum)});
  }
  return tokens;
}

std::vector<StudyPair> Study::pairs(Index head) const {
  check_head(state_->header, head);
  const Index vocabulary = state_->header.vocabulary;
  const std::int64_t* buckets = state_->pairs.data() + head * kPairBuckets * pair_counters(vocabulary);
  std::vector<DecodedPair> decoded;
  for (Index b = 0; b < kPairBuckets; ++b) {
    const auto pair = pair_of_bucket(buckets, vocabulary, b);
    const bool seen = pair && state_->names.contains(pair->query) && state_->names.contains(pair->key);
    if (seen) decoded.push_back(*pair);
  }
  std::sort(decoded.begin(), decoded.end(), [](const DecodedPair& a, const DecodedPair& b) {
    return std::tie(b.weight, a.query, a.key) < std::tie(a.weight, b.query, b.key);
  });
  decoded.resize(std::min(decoded.size(), at(kStudyPairs)));
  std::vector<StudyPair> pairs;
  for (const DecodedPair& pair : decoded) {
    pairs.push_back({state_->names.at(pair.query), state_->names.at(pair.key), pair.weight});
  }
  return pairs;
}

const std::vector<StudyPlace>& Study::places(Index head) const {
  check_head(state_->header, head);
  return state_->places[at(head)];
}

HeadSimilarity Study::similarity() const {
  const Index heads = state_->header.all_heads();
  const std::int64_t rows = state_->divergence_rows[0];
  if (rows == 0) fail("[study] heads were not compared: there are no rows");
  HeadSimilarity result;
  result.divergence = Matrix(heads, heads);
  for (Index a = 0; a < heads; ++a) {
    for (Index b = 0; b < heads; ++b) {
      const Int128 sum = state_->divergence[at(std::min(a, b) * heads + std::max(a, b))];
      const double value = a == b ? 0 : value_of(sum) / static_cast<double>(rows);
      result.divergence(a, b) = value;
    }
  }
  result.layout = classical_scaling(result.divergence);
  result.order = clustering_order(result.divergence);
  return result;
}

}  // namespace fovea
