// One safetensors file: the tables as I64, 128-bit sums as two of them (low, high) in a last axis, and the
// rest as JSON in its metadata. `received` is kept of the tokens that were seen.
#include "analysis/study/study_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/at.h"
#include "core/fail.h"
#include "fovea/json_writer.h"
#include "fovea/measure_definitions.h"
#include "fovea/safetensors.h"
#include "io/json.h"
#include "run/json_fields.h"

namespace fovea {
inline namespace internal {
namespace {

constexpr const char* kStudyMetadata = "fovea.study";
constexpr Index kStudyVersion = 1;

using Numbers = std::vector<std::int64_t>;
using Sums = std::vector<Int128>;

Ids stored(const Numbers& numbers) { return Ids({static_cast<Index>(numbers.size())}, numbers); }

void append_halves(Numbers& halves, Int128 sum) {
  halves.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum)));
  halves.push_back(static_cast<std::int64_t>(sum >> 64));
}

Ids stored(const Sums& sums) {
  Numbers halves;
  halves.reserve(2 * sums.size());
  for (const Int128 sum : sums) append_halves(halves, sum);
  return Ids({static_cast<Index>(sums.size()), 2}, std::move(halves));
}

void check_shape(const Ids& ids, const Shape& shape, const std::string& name, const std::string& where) {
  if (ids.shape() == shape) return;
  fail("{}: {} has shape {}, expected {}", where, name, ids.shape().to_string(), shape.to_string());
}

void restore(Numbers& numbers, const Ids& ids, const std::string& name, const std::string& where) {
  check_shape(ids, {static_cast<Index>(numbers.size())}, name, where);
  if (std::any_of(ids.values().begin(), ids.values().end(), [](std::int64_t n) { return n < 0; })) {
    fail("{}: {} has a negative count", where, name);
  }
  numbers = ids.values();
}

Int128 joined(std::int64_t low, std::int64_t high) {
  return (static_cast<Int128>(high) << 64) | static_cast<Int128>(static_cast<std::uint64_t>(low));
}

void restore(Sums& sums, const Ids& ids, const std::string& name, const std::string& where) {
  check_shape(ids, {static_cast<Index>(sums.size()), 2}, name, where);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = joined(ids.values()[2 * i], ids.values()[2 * i + 1]);
  }
}

std::string hexadecimal(std::uint64_t number) { return fmt::format("{:016x}", number); }

void write_places(JsonWriter& json, const StudyState& state) {
  json.key("places").begin_array();
  for (const std::vector<StudyPlace>& places : state.places) {
    json.begin_array();
    for (const StudyPlace& place : places) {
      json.begin_object();
      json.key("weight").number(place.weight);
      json.key("text").string(hexadecimal(place.text));
      json.key("at").integers({place.query, place.key, place.query_at, place.key_at});
      json.key("tokens").strings(place.tokens);
      json.key("weights").numbers(place.weights);
      json.end_object();
    }
    json.end_array();
  }
  json.end_array();
}

constexpr std::pair<const char*, Index StudyCounts::*> kCounts[] = {
    {"texts", &StudyCounts::texts},       {"tokens", &StudyCounts::tokens},
    {"cut", &StudyCounts::cut},           {"skipped", &StudyCounts::skipped},
    {"unknown", &StudyCounts::unknown},   {"broken", &StudyCounts::broken},
    {"repaired", &StudyCounts::repaired}, {"empty", &StudyCounts::empty}};

std::string header_json(const StudyState& state, const StudyPosition* position) {
  const StudyHeader& header = state.header;
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("version").integer(kStudyVersion);
  json.key("model").string(header.model);
  json.key("parameters").integer(header.parameters);
  json.key("kind").string(to_string(header.kind));
  json.key("layers").integer(header.layers);
  json.key("heads").integer(header.heads);
  json.key("vocabulary").integer(header.vocabulary);
  json.key("weights").string(to_string(header.weights));
  json.key("precision").string(to_string(header.precision));
  json.key("length").integer(header.options.length);
  json.key("similarity_rows").integer(header.options.similarity_rows);
  json.key("corpus").string(header.options.corpus);
  std::vector<std::string> measures;
  for (const Measure measure : study_measures()) measures.push_back(measure_definition(measure).name);
  json.key("measures").strings(measures);
  json.key("roles").strings(study_roles());
  for (const auto& [name, count] : kCounts) json.key(name).integer(state.counts.*count);
  json.key("shards").integer(state.shards);
  json.key("parts").integers(state.parts);
  std::vector<std::string> names;
  for (const auto& [id, name] : state.names) names.push_back(name);
  json.key("names").strings(names);
  write_places(json, state);
  if (position != nullptr) {
    json.key("read").integer(position->texts);
    json.key("hash").string(hexadecimal(position->hash));
  }
  json.end_object();
  return json.take();
}

// The tokens that were seen, and what they received: [seen], [seen], [A · seen, 2].
void add_received(NamedArrays& arrays, const StudyState& state) {
  Numbers ids, counts, received;
  for (const auto& [id, name] : state.names) {
    ids.push_back(id);
    counts.push_back(state.token_count[at(id)]);
  }
  received.reserve(2 * ids.size() * at(state.header.all_heads()));
  for (Index h = 0; h < state.header.all_heads(); ++h) {
    for (const Index id : ids)
      append_halves(received, state.received[at(h * state.header.vocabulary + id)]);
  }
  if (ids.empty()) return;
  arrays.add("tokens.id", stored(ids));
  arrays.add("tokens.count", stored(counts));
  const auto rows = static_cast<Index>(received.size()) / 2;
  arrays.add("received", Ids({rows, 2}, std::move(received)));
}

Index limited(const JsonFields& fields, const char* name, Index low, Index high) {
  const Index value = fields.integer(name);
  if (value < low || value > high) {
    fail("{}: {} is {}, expected {} .. {}", fields.where(), name, value, low, high);
  }
  return value;
}

// Older files do not say it: then it is the first of `values`.
template <typename Value>
Value named_value(const JsonFields& fields, const char* name, std::initializer_list<Value> values) {
  if (!fields.has(name)) return *values.begin();
  for (const Value value : values) {
    if (fields.text(name) == to_string(value)) return value;
  }
  fail("{}: {} is {}", fields.where(), name, fields.text(name));
}

StudyHeader read_header(const JsonFields& root) {
  const std::string& where = root.where();
  if (root.integer("version") != kStudyVersion) {
    fail("{}: version {}, expected {}", where, root.integer("version"), kStudyVersion);
  }
  std::vector<std::string> measures;
  for (const Measure measure : study_measures()) measures.push_back(measure_definition(measure).name);
  if (root.texts("measures") != measures || root.texts("roles") != study_roles()) {
    fail("{}: has other measures or roles than this fovea studies", where);
  }
  StudyHeader header;
  header.model = root.text("model");
  header.parameters = limited(root, "parameters", 0, INT64_MAX);
  const std::string kind = root.text("kind");
  if (kind != "encoder" && kind != "decoder") fail("{}: kind is {}", where, kind);
  header.kind = kind == "encoder" ? AttentionKind::encoder : AttentionKind::decoder;
  header.layers = limited(root, "layers", 1, 1024);
  header.heads = limited(root, "heads", 1, 1024);
  header.vocabulary = limited(root, "vocabulary", 1, Index{1} << 22);
  header.weights = named_value(
      root, "weights", {FloatType::float32, FloatType::float16, FloatType::bfloat16, FloatType::int8});
  header.precision = named_value(root, "precision", {Precision::float32, Precision::bfloat16});
  header.options.length = limited(root, "length", 2, 4096);
  header.options.similarity_rows = limited(root, "similarity_rows", 0, 4096);
  header.options.corpus = root.text("corpus");
  return header;
}

std::uint64_t read_hash(const std::string& text, const std::string& where) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) fail("{}: \"{}\" is no hash", where, text);
  return number;
}

StudyPlace read_place(const JsonFields& fields, Index length) {
  StudyPlace place;
  const std::string& where = fields.where();
  place.weight = json_numbers(Json::array({fields.member("weight")}), where).front();
  place.text = read_hash(fields.text("text"), where);
  place.tokens = fields.texts("tokens");
  place.weights = json_numbers(fields.list("weights"), where);
  const std::vector<Index> positions = fields.integers("at");
  const auto count = static_cast<Index>(place.tokens.size());
  const auto within = [](Index value, Index end) { return value >= 0 && value < end; };
  if (positions.size() != 4 || place.weights.size() != place.tokens.size() ||
      !within(positions[0], length) || !within(positions[1], length) || !within(positions[2], count) ||
      !within(positions[3], count)) {
    fail("{}: a place is not one", where);
  }
  place.query = positions[0], place.key = positions[1];
  place.query_at = positions[2], place.key_at = positions[3];
  return place;
}

void read_places(StudyState& state, const JsonFields& root) {
  const Json& heads = root.list("places");
  if (heads.size() != state.places.size()) fail("{}: has places of {} heads", root.where(), heads.size());
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (!heads[h].is_array()) fail("{}: places should be lists", root.where());
    for (const Json& place : heads[h]) {
      insert_place(state.places[h], read_place({place, root.where()}, state.header.options.length));
    }
  }
}

void read_received(StudyState& state, const NamedArrays& arrays, const std::vector<std::string>& names) {
  const std::string& where = arrays.source();
  if (names.empty()) return;
  Numbers ids(names.size()), counts(names.size());
  Sums received(names.size() * at(state.header.all_heads()));
  restore(ids, arrays.ids("tokens.id"), "tokens.id", where);
  restore(counts, arrays.ids("tokens.count"), "tokens.count", where);
  restore(received, arrays.ids("received"), "received", where);
  Index last = -1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] <= last || ids[i] >= state.header.vocabulary) {
      fail("{}: tokens.id has {} after {}, of {}", where, ids[i], last, state.header.vocabulary);
    }
    last = ids[i];
    state.names.emplace(ids[i], names[i]);
    state.token_count[at(ids[i])] = counts[i];
    for (Index h = 0; h < state.header.all_heads(); ++h) {
      state.received[at(h * state.header.vocabulary + ids[i])] = received[at(h) * ids.size() + i];
    }
  }
}

// Tables are made by what the header says: only as large as the file's own, which are looked at first.
void check_sizes(const StudyHeader& header, const NamedArrays& arrays) {
  const Index a = header.all_heads();
  check_shape(arrays.ids("divergence.sum"), {a * a, 2}, "divergence.sum", arrays.source());
  check_shape(arrays.ids("distances.pairs"), {a * header.distances()}, "distances.pairs", arrays.source());
}

}  // namespace

void save_state(const std::string& path, const StudyState& state, const StudyPosition* position) {
  NamedArrays arrays;
  for_each_table(state,
                 [&](const std::string& name, const auto& table) { arrays.add(name, stored(table)); });
  add_received(arrays, state);
  arrays.metadata()[kStudyMetadata] = header_json(state, position);
  save_safetensors(path, arrays);
}

std::unique_ptr<StudyState> load_state(const std::string& path, StudyPosition* position) {
  const NamedArrays arrays = load_safetensors(path);
  const std::string where = fmt::format("[study] {}", path);
  const auto found = arrays.metadata().find(kStudyMetadata);
  if (found == arrays.metadata().end()) fail("{}: not a study: it has no {}", where, kStudyMetadata);
  const Json document = parse_json(found->second, where);
  const JsonFields root(document, where);
  const StudyHeader header = read_header(root);
  check_sizes(header, arrays);
  auto state = std::make_unique<StudyState>(header);
  for (const auto& [name, count] : kCounts) state->counts.*count = limited(root, name, 0, INT64_MAX);
  state->shards = limited(root, "shards", 1, 1 << 20);
  state->parts = root.integers("parts");
  Index last = 0;
  for (const Index part : state->parts) {
    if (part <= last || part > state->shards) fail("{}: shard {} of {}", where, part, state->shards);
    last = part;
  }
  for_each_table(
      *state, [&](const std::string& name, auto& table) { restore(table, arrays.ids(name), name, where); });
  read_received(*state, arrays, root.texts("names"));
  read_places(*state, root);
  if (position != nullptr) {
    position->texts = limited(root, "read", 0, INT64_MAX);
    position->hash = read_hash(root.text("hash"), where);
  } else if (root.has("read")) {
    fail("{}: is not finished; it goes on where it stopped when the same study is started again", where);
  }
  return state;
}

}  // namespace internal

void Study::save(const std::string& path) const { save_state(path, *state_, nullptr); }

Study Study::load(const std::string& path) { return Study(load_state(path, nullptr)); }

}  // namespace fovea
