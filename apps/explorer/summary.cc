#include "summary.h"

#include <cmath>

namespace fovea::explorer {
namespace {

void write_integers(JsonWriter& json, const char* key, const std::vector<Index>& values,
                    std::size_t count) {
  std::vector<Index> all = values;
  all.resize(count);
  json.key(key).integers(all);
}

// What is not known of a token (what a decoder wrote stands in no text) is 0.
void write_sequence(JsonWriter& json, const TokenSequence& sequence, const Tokenizer& tokenizer) {
  const std::size_t count = sequence.tokens.size();
  json.begin_object();
  json.key("tokens").strings(sequence.tokens);
  write_integers(json, "ids", sequence.ids, count);
  write_integers(json, "begins", sequence.begins, count);
  write_integers(json, "ends", sequence.ends, count);
  write_integers(json, "segments", sequence.segments, count);
  json.key("special").begin_array();
  for (const Index id : sequence.ids) json.boolean(tokenizer.is_special(id));
  json.end_array();
  json.end_object();
}

// Of decoder-only models, the one sequence is the decoder's.
void write_sequences(JsonWriter& json, const StoredCapture& stored) {
  const Capture& capture = stored.capture();
  json.key("sequences").begin_object();
  json.key(stored.model.model().config().has_encoder() ? "encoder" : "decoder");
  write_sequence(json, capture.sequences.front(), stored.model.tokenizer());
  if (!capture.decoder_sequences.empty()) {
    json.key("decoder");
    write_sequence(json, capture.decoder_sequences.front(), stored.model.tokenizer());
  }
  json.end_object();
}

const char* bias_name(const Bias& bias) {
  if (bias.is_none()) return "none";
  const std::string name = bias.describe();
  return name.starts_with("ALiBi") ? "alibi" : name.starts_with("dense") ? "dense" : "relative";
}

void write_kind(JsonWriter& json, const StoredCapture& stored, AttentionKind kind) {
  const CapturedAttention& call = stored.capture().at(kind, 0);
  const ModelConfig& config = stored.model.model().config();
  const Shape &q = call.q.shape(), &k = call.k.shape();
  const double by_default = 1 / std::sqrt(static_cast<double>(q[3]));
  const double scale = call.options.scale ? static_cast<double>(*call.options.scale) : by_default;
  const auto integer = [&](const char* key, Index value) { json.key(key).integer(value); };
  json.begin_object();
  json.key("kind").string(to_string(kind));
  integer("layers", stored.capture().layers(kind));
  integer("heads", q[1]);
  integer("kv_heads", k[1]);
  integer("head_width", q[3]);
  integer("width", config.width);
  integer("queries", q[2]);
  integer("keys", k[2]);
  json.key("scale").number(scale);
  json.key("scaled").boolean(scale != 1);
  json.key("mask");
  const Mask& mask = call.options.mask;
  json.string(mask.is_none() ? "none" : mask.expression().value_or(mask.describe(q[2], k[2])));
  json.key("causal").boolean(kind == AttentionKind::decoder);
  json.key("bias").string(bias_name(call.options.bias));
  json.key("rotary").boolean(config.family == ModelFamily::llama);
  json.key("query_side").string(kind == AttentionKind::encoder ? "encoder" : "decoder");
  json.key("key_side").string(kind == AttentionKind::decoder ? "decoder" : "encoder");
  json.end_object();
}

}  // namespace

void write_summary(JsonWriter& json, const StoredCapture& stored) {
  const ModelConfig& config = stored.model.model().config();
  const auto string = [&](const char* key, const std::string& value) { json.key(key).string(value); };
  json.begin_object();
  string("id", stored.id);
  string("model", stored.model_id);
  string("model_name", stored.model.model().name());
  string("family", to_string(config.family));
  string("type", config.type);
  string("text", stored.text);
  json.key("text2");
  if (stored.second_text) {
    json.string(*stored.second_text);
  } else {
    json.null();
  }
  json.key("cut").integer(stored.run.cut);
  json.key("seconds").number(stored.seconds);
  json.key("kinds").begin_array();
  for (const AttentionKind kind : stored.capture().kinds()) write_kind(json, stored, kind);
  json.end_array();
  write_sequences(json, stored);
  json.end_object();
}

}  // namespace fovea::explorer
