// A run as one safetensors file: arrays "encoder.0.q" (or "encoder.0.weights"), and the rest as JSON in its
// metadata.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/fail.h"
#include "fovea/json_writer.h"
#include "fovea/run.h"
#include "fovea/safetensors.h"
#include "io/json.h"
#include "mask/mask_node.h"
#include "run/json_fields.h"
#include "run/relative_table.h"
#include "run/sequence_json.h"
#include "run/weights.h"

namespace fovea {
namespace {

constexpr const char* kMetadata = "fovea.run";
constexpr const char* kOldMetadata = "fovea.capture";  // of version 1
constexpr Index kVersion = 2, kOldVersion = 1;

std::string prefix_of(AttentionKind kind, Index layer) {
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
  json.end_object();
}

void add_arrays(NamedArrays& arrays, const LayerView& layer, const std::string& where) {
  const std::string prefix = prefix_of(layer.kind, layer.layer);
  const auto add = [&](const char* name, ConstView view) {
    if (view.data() != nullptr) arrays.add(prefix + name, Tensor::copy_of(view));
  };
  add("q", layer.q);
  add("k", layer.k);
  add("v", layer.v);
  add("weights", layer.weights);
  if (layer.options.bias.is_none()) return;
  Tensor table = relative_table(layer.options.bias, layer.heads(), std::max(layer.queries(), layer.keys()));
  if (table.empty())
    fail("{}: the bias of {}q is not a relative-position bias and cannot be saved", where, prefix);
  arrays.add(prefix + "bias", std::move(table));
}

AttentionKind read_kind(const JsonFields& fields) {
  const std::string name = fields.text("kind");
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (name == to_string(kind)) return kind;
  }
  fail("{}: kind is \"{}\", expected encoder, decoder or cross", fields.where(), name);
}

}  // namespace

// Makes a run of a file.
class RunReader {
 public:
  RunReader(NamedArrays arrays, std::string where)
      : arrays_(std::make_shared<const NamedArrays>(std::move(arrays))), where_(std::move(where)) {}

  Run read() {
    const Json document = parse_json(metadata(), where_);
    const JsonFields root(document, where_);
    const Index version = root.integer("version");
    if (version != kOldVersion && version != kVersion) {
      fail("{}: version {}, expected {} or {}", where_, version, kOldVersion, kVersion);
    }
    run_.model_ = root.text("model");
    for (const Json& layer : root.list(version == kVersion ? "layers" : "calls"))
      add_layer({layer, where_});
    if (version == kVersion) {
      read_tokens(JsonFields(root.member("tokens"), where_));
    } else {
      read_old_tokens(root);
    }
    check_tokens();
    return std::move(run_);
  }

 private:
  const std::string& metadata() const {
    for (const char* name : {kMetadata, kOldMetadata}) {
      const auto found = arrays_->metadata().find(name);
      if (found != arrays_->metadata().end()) return found->second;
    }
    fail("{}: not a run: it has no {}", where_, kMetadata);
  }

  ConstView view(const std::string& name) const {
    return arrays_->contains(name) ? ConstView(arrays_->tensor(name)) : ConstView(nullptr, Shape());
  }

  void add_layer(const JsonFields& fields) {
    // First: an exception in the middle of an aggregate makes GCC 12 destroy its members twice.
    const AttentionKind kind = read_kind(fields);
    const Index index = fields.integer("layer");
    LayerView layer{{view(""), view(""), view(""), view(""), {}, arrays_}, kind, index};
    for (const LayerView& known : run_.layers_) {
      if (known.kind == layer.kind && known.layer == layer.layer) {
        fail("{}: {} layer {} appears twice", where_, to_string(layer.kind), layer.layer);
      }
    }
    layer.options.mask = parse_mask(fields.text("mask"));
    if (fields.has("scale")) layer.options.scale = fields.number("scale");
    layer.options.softcap = fields.number("softcap");
    const std::string prefix = prefix_of(layer.kind, layer.layer);
    if (arrays_->contains(prefix + "weights")) {
      layer.weights = stored_weights(prefix, layer.options.mask);
    } else {
      set_query_key(layer, prefix);
    }
    run_.layers_.push_back(std::move(layer));
  }

  ConstView stored_weights(const std::string& prefix, const Mask& mask) const {
    const Tensor& weights = arrays_->tensor(prefix + "weights");
    const Shape& s = weights.shape();
    if (s.rank() != 4) fail("{}: {}weights is {}, expected [B, H, N, M]", where_, prefix, s.to_string());
    check_weights("run", weights);
    if (!mask.is_none()) mask.node()->check({s[0], s[0], s[1], s[2], s[3]});
    return weights;
  }

  // Only shapes that attention() takes pass.
  void set_query_key(LayerView& layer, const std::string& prefix) const {
    const Tensor &q = arrays_->tensor(prefix + "q"), &k = arrays_->tensor(prefix + "k");
    layer.q = q, layer.k = k, layer.v = view(prefix + "v");
    if (arrays_->contains(prefix + "bias"))
      layer.options.bias = Bias::relative(arrays_->tensor(prefix + "bias"));
    const bool has_v = layer.v.data() != nullptr;
    const Shape &ks = k.shape(), &vs = layer.v.shape();
    const auto same = [&](int axis) { return ks[axis] == vs[axis]; };
    bool fits = q.shape().rank() == 4 && ks.rank() == 4 && (!has_v || vs.rank() == 4);
    if (fits && has_v) fits = same(0) && same(1) && same(2);
    if (!fits) {
      fail("{}: {}q is {}, k {}, v {}; expected [B, H, N, D], [B, Hkv, M, D] twice", where_, prefix,
           q.shape().to_string(), ks.to_string(), has_v ? vs.to_string() : "not there");
    }
    static_cast<void>(attention_crop(q, k, layer.options, {}));  // throws if anything does not fit
  }

  void set_tokens(AttentionKind kind, Run::Tokens tokens) {
    run_.tokens_.emplace_back(kind, std::make_shared<const Run::Tokens>(std::move(tokens)));
  }

  void read_tokens(const JsonFields& kinds) {
    for (const AttentionKind kind : run_.kinds()) {
      if (!kinds.has(to_string(kind))) continue;
      const JsonFields fields(kinds.member(to_string(kind)), where_);
      Run::Tokens tokens{read_sequences(fields, "queries"), {}};
      tokens.keys = fields.has("keys") ? read_sequences(fields, "keys") : tokens.queries;
      set_tokens(kind, std::move(tokens));
    }
  }

  // Version 1 had the sequences of a Capture.
  void read_old_tokens(const JsonFields& root) {
    Capture capture;
    capture.sequences = read_sequences(root, "sequences");
    capture.decoder_sequences = read_sequences(root, "decoder_sequences");
    for (const AttentionKind kind : run_.kinds()) {
      set_tokens(kind, {capture.query_sequences(kind), capture.key_sequences(kind)});
    }
  }

  // As many names as there are queries and keys: whoever draws them relies on it.
  void check_tokens() const {
    for (const AttentionKind kind : run_.kinds()) {
      const LayerView& layer =
          run_.layer(kind, run_.layers_.front().kind == kind ? run_.layers_.front().layer : 0);
      check_sequences(run_.tokens(kind).queries, layer.batch(), layer.queries(), "queries");
      check_sequences(run_.tokens(kind).keys, layer.batch(), layer.keys(), "keys");
    }
  }
  void check_sequences(const std::vector<TokenSequence>& sequences, Index batch, Index count,
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

  std::shared_ptr<const NamedArrays> arrays_;
  std::string where_;
  Run run_;
};

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

Run Run::load(const std::string& path) { return RunReader(load_safetensors(path), "[run] " + path).read(); }

}  // namespace fovea
