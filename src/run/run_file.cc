// A run as one safetensors file: arrays "encoder.0.q" (or "encoder.0.weights"), and the rest as JSON in its
// metadata.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/fail.h"
#include "fovea/safetensors.h"
#include "io/json.h"
#include "mask/mask_node.h"
#include "run/relative_table.h"
#include "run/run_file.h"
#include "run/sequence_json.h"
#include "run/weights.h"

namespace fovea {
namespace {

constexpr const char* kMetadata = "fovea.run";
constexpr const char* kOldMetadata = "fovea.capture";  // of version 1
constexpr Index kVersion = 2, kOldVersion = 1;

void add_arrays(NamedArrays& arrays, const LayerView& layer, const std::string& where) {
  const std::string prefix = array_prefix(layer.kind, layer.layer);
  const auto add = [&](const char* name, ConstView view) {
    if (view.data() != nullptr) arrays.add(prefix + name, Tensor::copy_of(view));
  };
  add("q", layer.q);
  add("k", layer.k);
  add("v", layer.v);
  add("weights", layer.weights);
  if (layer.value_norms != nullptr) arrays.add(prefix + "value_norms", Tensor::copy_of(*layer.value_norms));
  if (layer.options.bias.is_none()) return;
  Tensor table = relative_table(layer.options.bias, layer.heads(), std::max(layer.queries(), layer.keys()));
  if (table.empty())
    fail("{}: the bias of {}q is not a relative-position bias and cannot be saved", where, prefix);
  arrays.add(prefix + "bias", std::move(table));
}

ConstView nothing_read() { return ConstView(nullptr, Shape()); }

AttentionKind read_kind(const JsonFields& fields) {
  const std::string name = fields.text("kind");
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (name == to_string(kind)) return kind;
  }
  fail("{}: kind is \"{}\", expected encoder, decoder or cross", fields.where(), name);
}

Precision read_precision(const JsonFields& fields) {
  const std::string name = fields.text("precision");
  for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
    if (name == to_string(precision)) return precision;
  }
  fail("{}: precision is \"{}\", expected float32 or bfloat16", fields.where(), name);
}

}  // namespace

std::string array_prefix(AttentionKind kind, Index layer) {
  return fmt::format("{}.{}.", to_string(kind), layer);
}

void write_tokens(JsonWriter& json, const Run& run) {
  json.key("tokens").begin_object();
  for (const AttentionKind kind : run.kinds()) {
    const Run::Tokens& tokens = run.tokens(kind);
    json.key(to_string(kind)).begin_object();
    write_sequences(json, "queries", tokens.queries);
    if (tokens.keys != tokens.queries) write_sequences(json, "keys", tokens.keys);
    json.end_object();
  }
  json.end_object();
}

void write_layer(JsonWriter& json, const LayerView& layer, const std::string& where) {
  const AttentionOptions& options = layer.options;
  const std::optional<std::string> mask = options.mask.expression();
  if (!mask) {
    fail("{}: {} layer {} has a mask that cannot be saved to a file: {}", where, to_string(layer.kind),
         layer.layer, options.mask.describe(layer.queries(), layer.keys()));
  }
  json.begin_object();
  json.key("kind").string(to_string(layer.kind));
  json.key("layer").integer(layer.layer);
  json.key("mask").string(*mask);
  if (options.scale) {
    json.key("scale").number(static_cast<double>(*options.scale));
  }
  json.key("softcap").number(static_cast<double>(options.softcap));
  if (layer.precision != Precision::float32) json.key("precision").string(to_string(layer.precision));
  json.end_object();
}

RunReader::RunReader(std::shared_ptr<const NamedArrays> arrays, std::string where)
    : arrays_(std::move(arrays)), where_(std::move(where)) {}

Run RunReader::read() {
  const Json document = parse_json(metadata(), where_);
  const JsonFields root(document, where_);
  const Index version = root.integer("version");
  if (version != kOldVersion && version != kVersion) {
    fail("{}: version {}, expected {} or {}", where_, version, kOldVersion, kVersion);
  }
  run_.model_ = root.text("model");
  for (const Json& layer : root.list(version == kVersion ? "layers" : "calls")) add_layer({layer, where_});
  for (const LayerView& layer : std::vector<LayerView>(run_.layers_)) {
    const std::string name = array_prefix(layer.kind, layer.layer) + "value_norms";
    if (arrays_->contains(name)) run_.set_value_norms(layer.kind, layer.layer, arrays_->tensor(name));
  }
  if (version == kVersion) {
    read_tokens(JsonFields(root.member("tokens"), where_));
  } else {
    read_old_tokens(root);
  }
  check_tokens();
  return std::move(run_);
}

Run RunReader::read_frames(const JsonFields& text, std::string prefix, const std::string& model) {
  run_ = Run();
  run_.model_ = model;
  prefix_ = std::move(prefix);
  frames_ = true;
  for (const Json& layer : text.list("layers")) add_layer({layer, where_});
  if (run_.layers_.empty()) fail("{}: a text has no layers", where_);
  read_tokens(JsonFields(text.member("tokens"), where_));
  check_tokens();
  return std::move(run_);
}

Run RunReader::frame_of(const Run& frames, Index frame) {
  Run one = frames;
  for (LayerView& layer : one.layers_) {
    layer.q = layer.q.slice(0, frame, frame + 1);
    layer.k = layer.k.slice(0, frame, frame + 1);
  }
  return one;
}

Run RunReader::query_key_copy(const Run& run) {
  struct Pair {
    Tensor q, k;
  };
  Run copy = run;
  for (LayerView& layer : copy.layers_) {
    const auto pair =
        std::make_shared<const Pair>(Pair{Tensor::copy_of(layer.q), Tensor::copy_of(layer.k)});
    layer.q = pair->q, layer.k = pair->k, layer.v = nothing_read();
    layer.memory = pair;
  }
  return copy;
}

const std::string& RunReader::metadata() const {
  for (const char* name : {kMetadata, kOldMetadata}) {
    const auto found = arrays_->metadata().find(name);
    if (found != arrays_->metadata().end()) return found->second;
  }
  fail("{}: not a run: it has no {}", where_, kMetadata);
}

ConstView RunReader::view(const std::string& name) const {
  return arrays_->contains(name) ? ConstView(arrays_->tensor(name)) : nothing_read();
}

void RunReader::add_layer(const JsonFields& fields) {
  // First: an exception in the middle of an aggregate makes GCC 12 destroy its members twice.
  const AttentionKind kind = read_kind(fields);
  const Index index = fields.integer("layer");
  LayerView layer{
      {nothing_read(), nothing_read(), nothing_read(), nothing_read(), {}, arrays_}, kind, index};
  for (const LayerView& known : run_.layers_) {
    if (known.kind == layer.kind && known.layer == layer.layer) {
      fail("{}: {} layer {} appears twice", where_, to_string(layer.kind), layer.layer);
    }
  }
  layer.options.mask = parse_mask(fields.text("mask"));
  if (fields.has("scale")) layer.options.scale = fields.number("scale");
  layer.options.softcap = fields.number("softcap");
  if (fields.has("precision")) layer.precision = read_precision(fields);
  const std::string prefix = prefix_ + array_prefix(layer.kind, layer.layer);
  if (!frames_ && arrays_->contains(prefix + "weights")) {
    layer.weights = stored_weights(prefix, layer.options.mask);
  } else {
    set_query_key(layer, prefix);
  }
  run_.layers_.push_back(std::move(layer));
}

ConstView RunReader::stored_weights(const std::string& prefix, const Mask& mask) const {
  const Tensor& weights = arrays_->tensor(prefix + "weights");
  const Shape& s = weights.shape();
  if (s.rank() != 4) fail("{}: {}weights is {}, expected [B, H, N, M]", where_, prefix, s.to_string());
  check_weights("run", weights);
  if (!mask.is_none()) mask.node()->check({s[0], s[0], s[1], s[2], s[3]});
  return weights;
}

// Only shapes that attention() takes pass.
void RunReader::set_query_key(LayerView& layer, const std::string& prefix) const {
  const Tensor &q = arrays_->tensor(prefix + "q"), &k = arrays_->tensor(prefix + "k");
  layer.q = q, layer.k = k, layer.v = view(prefix + "v");
  if (arrays_->contains(prefix + "bias"))
    layer.options.bias = Bias::relative(arrays_->tensor(prefix + "bias"));
  const bool has_v = layer.v.data() != nullptr;
  const Shape &ks = k.shape(), &vs = layer.v.shape();
  const auto same = [&](int axis) { return ks[axis] == vs[axis]; };
  bool fits = q.shape().rank() == 4 && ks.rank() == 4 && (!has_v || vs.rank() == 4);
  if (fits && frames_) fits = q.shape()[0] == ks[0] && ks[0] > 0 && !has_v;
  if (fits && has_v) fits = same(0) && same(1) && same(2);
  if (!fits) {
    fail("{}: {}q is {}, k {}, v {}; expected [B, H, N, D], [B, Hkv, M, D] twice", where_, prefix,
         q.shape().to_string(), ks.to_string(), has_v ? vs.to_string() : "not there");
  }
  // Throws if anything does not fit. A film's mask is that of each frame alone.
  const auto checked = [&](ConstView all) { return frames_ ? all.slice(0, 0, 1) : all; };
  static_cast<void>(attention_crop(checked(q), checked(k), layer.options, {}));
}

void RunReader::set_tokens(AttentionKind kind, Run::Tokens tokens) {
  run_.tokens_.emplace_back(kind, std::make_shared<const Run::Tokens>(std::move(tokens)));
}

void RunReader::read_tokens(const JsonFields& kinds) {
  for (const AttentionKind kind : run_.kinds()) {
    if (!kinds.has(to_string(kind))) continue;
    const JsonFields fields(kinds.member(to_string(kind)), where_);
    Run::Tokens tokens{read_sequences(fields, "queries"), {}};
    tokens.keys = fields.has("keys") ? read_sequences(fields, "keys") : tokens.queries;
    set_tokens(kind, std::move(tokens));
  }
}

// Version 1 had the sequences of a Capture.
void RunReader::read_old_tokens(const JsonFields& root) {
  Capture capture;
  capture.sequences = read_sequences(root, "sequences");
  capture.decoder_sequences = read_sequences(root, "decoder_sequences");
  for (const AttentionKind kind : run_.kinds()) {
    set_tokens(kind, {capture.query_sequences(kind), capture.key_sequences(kind)});
  }
}

// As many names as there are queries and keys: whoever draws them relies on it.
void RunReader::check_tokens() const {
  for (const AttentionKind kind : run_.kinds()) {
    const LayerView& layer =
        run_.layer(kind, run_.layers_.front().kind == kind ? run_.layers_.front().layer : 0);
    const Index sequences = frames_ ? 1 : layer.batch();
    check_sequences(run_.tokens(kind).queries, sequences, layer.queries(), "queries");
    check_sequences(run_.tokens(kind).keys, sequences, layer.keys(), "keys");
  }
}
void RunReader::check_sequences(const std::vector<TokenSequence>& sequences, Index batch, Index count,
                                const char* what) const {
  if (sequences.empty()) return;
  if (static_cast<Index>(sequences.size()) != batch) {
    fail("{}: {} sequences of {}, expected {}", where_, sequences.size(), what, batch);
  }
  for (const TokenSequence& sequence : sequences) {
    if (sequence.tokens.empty() || static_cast<Index>(sequence.tokens.size()) == count) continue;
    fail("{}: {} tokens for {} {}", where_, sequence.tokens.size(), count, what);
  }
}

void Run::save(const std::string& path) const {
  const std::string where = "[run] " + path;
  NamedArrays arrays(where);
  JsonWriter json;
  json.begin_object();
  json.key("version").integer(kVersion);
  json.key("model").string(model_);
  write_tokens(json, *this);
  json.key("layers").begin_array();
  for (const LayerView& layer : layers_) {
    write_layer(json, layer, where);
    add_arrays(arrays, layer, where);
  }
  json.end_array();
  json.end_object();
  arrays.metadata()[kMetadata] = json.take();
  save_safetensors(path, arrays);
}

Run Run::load(const std::string& path) {
  return RunReader(std::make_shared<const NamedArrays>(load_safetensors(path)), "[run] " + path).read();
}

}  // namespace fovea
