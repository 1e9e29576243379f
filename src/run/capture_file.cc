// A Capture as one safetensors file: arrays "encoder.0.q", and the rest as JSON in its metadata.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/fail.h"
#include "fovea/capture.h"
#include "fovea/json_writer.h"
#include "fovea/safetensors.h"
#include "io/json.h"
#include "nn/relative_table.h"

namespace fovea {
namespace {

constexpr const char* kMetadata = "fovea.capture";
constexpr Index kVersion = 1;

std::string prefix_of(AttentionKind kind, Index layer) {
  return fmt::format("{}.{}.", to_string(kind), layer);
}

void write_integers(JsonWriter& json, const char* name, const std::vector<Index>& values) {
  json.key(name);
  json.begin_array();
  for (const Index value : values) json.integer(value);
  json.end_array();
}

void write_sequences(JsonWriter& json, const char* name, const std::vector<TokenSequence>& sequences) {
  json.key(name);
  json.begin_array();
  for (const TokenSequence& sequence : sequences) {
    json.begin_object();
    json.key("tokens");
    json.strings(sequence.tokens);
    write_integers(json, "ids", sequence.ids);
    write_integers(json, "begins", sequence.begins);
    write_integers(json, "ends", sequence.ends);
    write_integers(json, "segments", sequence.segments);
    json.end_object();
  }
  json.end_array();
}

void write_call(JsonWriter& json, const CapturedAttention& call, const std::string& where) {
  const std::optional<std::string> mask = call.options.mask.expression();
  if (!mask) {
    fail("{}: {} layer {} has a mask that no file can hold: {}", where, to_string(call.kind), call.layer,
         call.options.mask.describe(call.q.shape()[2], call.k.shape()[2]));
  }
  json.begin_object();
  json.key("kind");
  json.string(to_string(call.kind));
  json.key("layer");
  json.integer(call.layer);
  json.key("mask");
  json.string(*mask);
  if (call.options.scale) {
    json.key("scale");
    json.number(static_cast<double>(*call.options.scale));
  }
  json.key("softcap");
  json.number(static_cast<double>(call.options.softcap));
  json.end_object();
}

// Reads members of one object, with messages that name the file.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail("{}: an object was expected, got {}", where_, object.type_name());
  }
  const std::string& where() const { return where_; }

  const Json& member(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) fail("{}: {} is missing", where_, name);
    return *found;
  }
  bool has(const char* name) const { return object_.contains(name); }
  const Json& list(const char* name) const { return checked(name, &Json::is_array, "a list"); }
  std::string text(const char* name) const {
    return checked(name, &Json::is_string, "a text").get<std::string>();
  }
  Index integer(const char* name) const {
    return checked(name, &Json::is_number_integer, "an integer").get<Index>();
  }
  float number(const char* name) const {
    return static_cast<float>(checked(name, &Json::is_number, "a number").get<double>());
  }
  std::vector<Index> integers(const char* name) const {
    std::vector<Index> values;
    for (const Json& item : list(name)) {
      if (!item.is_number_integer())
        fail("{}: {} should hold integers, has {}", where_, name, item.type_name());
      values.push_back(item.get<Index>());
    }
    return values;
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> values;
    for (const Json& item : list(name)) {
      if (!item.is_string()) fail("{}: {} should hold texts, has {}", where_, name, item.type_name());
      values.push_back(item.get<std::string>());
    }
    return values;
  }

 private:
  const Json& checked(const char* name, bool (Json::*is)() const noexcept, const char* expected) const {
    const Json& value = member(name);
    if (!(value.*is)()) fail("{}: {} should be {}, is {}", where_, name, expected, value.type_name());
    return value;
  }

  const Json& object_;
  std::string where_;
};

std::vector<TokenSequence> read_sequences(const Fields& root, const char* name) {
  std::vector<TokenSequence> sequences;
  for (const Json& item : root.list(name)) {
    const Fields fields(item, root.where());
    sequences.push_back({fields.texts("tokens"), fields.integers("ids"), fields.integers("begins"),
                         fields.integers("ends"), fields.integers("segments")});
  }
  return sequences;
}

AttentionKind read_kind(const Fields& fields) {
  const std::string name = fields.text("kind");
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (name == to_string(kind)) return kind;
  }
  fail("{}: kind is \"{}\", expected encoder, decoder or cross", fields.where(), name);
}

// Shows the capture the call as it was; only shapes that attention() takes pass.
void read_call(const Fields& fields, const NamedArrays& arrays, Capture& capture) {
  const AttentionKind kind = read_kind(fields);
  const Index layer = fields.integer("layer");
  const std::string prefix = prefix_of(kind, layer);
  AttentionOptions options;
  options.mask = parse_mask(fields.text("mask"));
  if (fields.has("scale")) options.scale = fields.number("scale");
  options.softcap = fields.number("softcap");
  if (arrays.contains(prefix + "bias")) options.bias = Bias::relative(arrays.tensor(prefix + "bias"));
  const Tensor &q = arrays.tensor(prefix + "q"), &k = arrays.tensor(prefix + "k"),
               &v = arrays.tensor(prefix + "v");
  const auto ranked = [](const Tensor& t) { return t.shape().rank() == 4; };
  const auto same = [&](int axis) { return k.shape()[axis] == v.shape()[axis]; };
  if (!ranked(q) || !ranked(k) || !ranked(v) || !same(0) || !same(1) || !same(2)) {
    fail("{}: {}q is {}, k {}, v {}; expected [B, H, N, D], [B, Hkv, M, D] twice", fields.where(), prefix,
         q.shape().to_string(), k.shape().to_string(), v.shape().to_string());
  }
  static_cast<void>(attention_crop(q, k, options, {}));  // throws if anything does not fit
  capture.attention({kind, layer, q, k, v, options});
}

}  // namespace

void Capture::save(const std::string& path) const {
  const std::string where = "[capture] " + path;
  NamedArrays arrays(where);
  JsonWriter json;
  json.begin_object();
  json.key("version");
  json.integer(kVersion);
  json.key("model");
  json.string(model);
  write_sequences(json, "sequences", sequences);
  write_sequences(json, "decoder_sequences", decoder_sequences);
  json.key("calls");
  json.begin_array();
  for (const CapturedAttention& call : calls_) {
    write_call(json, call, where);
    const std::string prefix = prefix_of(call.kind, call.layer);
    const Index tokens = std::max(call.q.shape()[2], call.k.shape()[2]);
    arrays.add(prefix + "q", Tensor::copy_of(call.q));
    arrays.add(prefix + "k", Tensor::copy_of(call.k));
    arrays.add(prefix + "v", Tensor::copy_of(call.v));
    if (call.options.bias.is_none()) continue;
    Tensor table = relative_table(call.options.bias, call.q.shape()[1], tokens);
    if (table.empty()) fail("{}: the bias of {}q is not by relative position: not kept", where, prefix);
    arrays.add(prefix + "bias", std::move(table));
  }
  json.end_array();
  json.end_object();
  arrays.metadata()[kMetadata] = json.take();
  save_safetensors(path, arrays);
}

Capture Capture::load(const std::string& path) {
  const NamedArrays arrays = load_safetensors(path);
  const std::string where = "[capture] " + path;
  const auto metadata = arrays.metadata().find(kMetadata);
  if (metadata == arrays.metadata().end()) fail("{}: not a capture: it has no {}", where, kMetadata);
  const Json document = parse_json(metadata->second, where);
  const Fields root(document, where);
  if (root.integer("version") != kVersion) {
    fail("{}: version {}, expected {}", where, root.integer("version"), kVersion);
  }
  Capture capture;
  capture.model = root.text("model");
  capture.sequences = read_sequences(root, "sequences");
  capture.decoder_sequences = read_sequences(root, "decoder_sequences");
  for (const Json& call : root.list("calls")) read_call(Fields(call, where), arrays, capture);
  return capture;
}

}  // namespace fovea
