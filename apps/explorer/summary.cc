#include "summary.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fovea::explorer {
namespace {

void write_integers(JsonWriter& json, const char* key, const std::vector<Index>& values,
                    std::size_t count) {
  std::vector<Index> all = values;
  all.resize(count);
  json.key(key).integers(all);
}

// A film has no tokenizer; special tokens are those that stand for no part of the text.
bool is_special(const TokenSequence& sequence, std::size_t place, AttentionKind kind,
                const StoredCapture& stored) {
  if (stored.model) {
    const Tokenizer& tokenizer =
        kind == AttentionKind::encoder ? stored.model->tokenizer() : stored.model->target_tokenizer();
    return place < sequence.ids.size() && tokenizer.is_special(sequence.ids[place]);
  }
  return place < sequence.ends.size() && sequence.ends[place] == 0;
}

// What is not known of a token (what a decoder wrote stands in no text) is 0.
void write_sequence(JsonWriter& json, const TokenSequence& sequence, AttentionKind kind,
                    const StoredCapture& stored) {
  const std::size_t count = sequence.tokens.size();
  json.begin_object();
  json.key("tokens").strings(sequence.tokens);
  write_integers(json, "ids", sequence.ids, count);
  write_integers(json, "begins", sequence.begins, count);
  write_integers(json, "ends", sequence.ends, count);
  write_integers(json, "segments", sequence.segments, count);
  json.key("special").begin_array();
  for (std::size_t i = 0; i < count; ++i) json.boolean(is_special(sequence, i, kind, stored));
  json.end_array();
  std::vector<bool> unknown(count);
  for (const UnknownToken& token : sequence.unknown) unknown[static_cast<std::size_t>(token.place)] = true;
  json.key("unknown").begin_array();
  for (const bool each : unknown) json.boolean(each);
  json.end_array();
  json.end_object();
}

// Queries and keys are different sequences, told as the decoder's and the encoder's. So they are, too,
// where self-attention has more keys than queries: those of a cache, or a sink.
bool has_two_sides(const Run& run, AttentionKind kind) {
  const LayerView& layer = run.layer(kind, 0);
  return kind == AttentionKind::cross || layer.queries() != layer.keys();
}

// Of decoder-only models, the one sequence is the decoder's.
void write_sequences(JsonWriter& json, const StoredCapture& stored) {
  const std::vector<AttentionKind> kinds = stored.run().kinds();
  const auto one_sided = [&](AttentionKind kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end() && !has_two_sides(stored.run(), kind);
  };
  const auto write = [&](AttentionKind side, const TokenSequence& sequence) {
    json.key(to_string(side));
    write_sequence(json, sequence, side, stored);
  };
  json.key("sequences").begin_object();
  for (const AttentionKind side : {AttentionKind::encoder, AttentionKind::decoder}) {
    if (one_sided(side)) {
      write(side, stored.run().tokens(side).queries.front());
      continue;
    }
    const auto other = std::find_if(kinds.begin(), kinds.end(),
                                    [&](AttentionKind kind) { return has_two_sides(stored.run(), kind); });
    if (other == kinds.end()) continue;
    const Run::Tokens& tokens = stored.run().tokens(*other);
    write(side, (side == AttentionKind::encoder ? tokens.keys : tokens.queries).front());
  }
  json.end_object();
}

const char* bias_name(const Bias& bias) {
  if (bias.is_none()) return "none";
  const std::string name = bias.describe();
  return name.starts_with("ALiBi") ? "alibi" : name.starts_with("dense") ? "dense" : "relative";
}

std::string mask_text(const LayerView& layer) {
  const Mask& mask = layer.options.mask;
  return mask.is_none() ? "none" : mask.expression().value_or(mask.describe(layer.queries(), layer.keys()));
}

// How each layer attends: models may change masks, scales and biases from layer to layer.
void write_layers(JsonWriter& json, const Run& run, AttentionKind kind) {
  json.begin_array();
  for (Index l = 0; l < run.layers(kind); ++l) {
    const LayerView& layer = run.layer(kind, l);
    json.begin_object();
    json.key("mask").string(mask_text(layer));
    json.key("bias").string(bias_name(layer.options.bias));
    json.key("scale").number(layer.scale());
    json.end_object();
  }
  json.end_array();
}

void write_kind(JsonWriter& json, const StoredCapture& stored, AttentionKind kind) {
  const LayerView& layer = stored.run().layer(kind, 0);
  const bool rotary = stored.model && stored.model->model().config().family == ModelFamily::llama;
  const Index head_width = layer.stored() ? 0 : layer.q.shape()[3];  // weights alone do not tell
  const Index width = stored.model ? stored.model->model().config().width : layer.heads() * head_width;
  const auto integer = [&](const char* key, Index value) { json.key(key).integer(value); };
  json.begin_object();
  json.key("kind").string(to_string(kind));
  integer("layers", stored.run().layers(kind));
  integer("heads", layer.heads());
  integer("kv_heads", layer.stored() ? layer.heads() : layer.k.shape()[1]);
  integer("head_width", head_width);
  integer("width", width);
  integer("queries", layer.queries());
  integer("keys", layer.keys());
  json.key("scale").number(layer.scale());
  json.key("scaled").boolean(layer.scale() != 1);
  json.key("mask").string(mask_text(layer));
  json.key("causal").boolean(kind == AttentionKind::decoder);
  json.key("bias").string(bias_name(layer.options.bias));
  json.key("rotary").boolean(rotary);
  const bool two_sides = has_two_sides(stored.run(), kind);
  json.key("query_side").string(two_sides ? "decoder" : to_string(kind));
  json.key("key_side").string(two_sides ? "encoder" : to_string(kind));
  json.key("each_layer");
  write_layers(json, stored.run(), kind);
  json.end_object();
}

// What can be asked of the model about this text: the next token, the token at a place, or only a vector.
const char* prediction_name(const StoredCapture& stored) {
  if (!stored.model) return "";
  const ModelConfig& config = stored.model->model().config();
  if (!config.has_logits) return config.has_decoder() ? "" : "vector";
  return config.has_decoder() ? "next" : "masked";
}

}  // namespace

void write_summary(JsonWriter& json, const StoredCapture& stored) {
  const auto string = [&](const char* key, const std::string& value) { json.key(key).string(value); };
  json.begin_object();
  string("id", stored.id);
  string("model", stored.model_id);
  string("model_name", stored.model ? stored.model->model().name() : stored.model_id);
  string("family", stored.model ? to_string(stored.model->model().config().family) : "");
  string("type", stored.model ? stored.model->model().config().type : "");
  if (stored.film) json.key("film").boolean(true);
  string("text", stored.text);
  json.key("text2");
  if (stored.second_text) {
    json.string(*stored.second_text);
  } else {
    json.null();
  }
  if (!stored.more.empty()) json.key("more").integers(stored.more);
  json.key("predicts").string(prediction_name(stored));
  json.key("cut").integer(stored.read.cut);
  const std::vector<TextReading> readings = stored.run().readings();
  if (!readings.empty()) write_json(json.key("reading"), readings[0]);
  if (stored.second_text && readings.size() > 1) write_json(json.key("reading2"), readings[1]);
  json.key("seconds").number(stored.seconds);
  json.key("kinds").begin_array();
  for (const AttentionKind kind : stored.run().kinds()) write_kind(json, stored, kind);
  json.end_array();
  write_sequences(json, stored);
  json.end_object();
}

}  // namespace fovea::explorer
