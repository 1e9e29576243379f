#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/fail.h"
#include "fovea/safetensors.h"
#include "fovea/train.h"
#include "io/json.h"
#include "io/messages.h"

namespace fovea {
namespace {

// The fields of a config.json; what is missing or null has its usual value.
class ConfigFields {
 public:
  ConfigFields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  Index integer(const char* name, Index usual) const {
    const Json* value = find(name);
    if (value == nullptr) return usual;
    if (!value->is_number_integer()) fail("{}: {} is no whole number", where_, in_quotes(name));
    return value->get<Index>();
  }
  float number(const char* name, float usual) const {
    const Json* value = find(name);
    if (value == nullptr) return usual;
    if (!value->is_number()) fail("{}: {} is no number", where_, in_quotes(name));
    return value->get<float>();
  }
  std::string text(const char* name, const char* usual) const {
    const Json* value = find(name);
    if (value == nullptr) return usual;
    if (!value->is_string()) fail("{}: {} is no text", where_, in_quotes(name));
    return value->get<std::string>();
  }
  // Null, false, or not there: what training has no layer for.
  void refuse(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr || (value->is_boolean() && !value->get<bool>())) return;
    fail("{}: {} cannot be trained here", where_, in_quotes(name));
  }
  // A size that both stacks share here.
  void same(const char* name, Index expected) const {
    const Index value = integer(name, expected);
    if (value != expected)
      fail("{}: {} is {}, expected {} as in the encoder", where_, in_quotes(name), value, expected);
  }
  bool flag(const char* name, bool usual) const {
    const Json* value = find(name);
    if (value == nullptr) return usual;
    if (!value->is_boolean()) fail("{}: {} is neither true nor false", where_, in_quotes(name));
    return value->get<bool>();
  }

 private:
  const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  const Json& json_;
  std::string where_;
};

TrainableConfig read_bart(const ConfigFields& fields) {
  TrainableConfig c;
  c.family = ModelFamily::bart;
  c.layers = fields.integer("encoder_layers", 12);
  c.heads = fields.integer("encoder_attention_heads", 16);
  c.width = fields.integer("d_model", 1024);
  c.inner_width = fields.integer("encoder_ffn_dim", 4096);
  fields.same("decoder_layers", c.layers);
  fields.same("decoder_attention_heads", c.heads);
  fields.same("decoder_ffn_dim", c.inner_width);
  fields.refuse("scale_embedding");
  c.vocabulary = fields.integer("vocab_size", 0);
  c.max_tokens = fields.integer("max_position_embeddings", 1024);
  c.activation = fields.text("activation_function", "gelu");
  c.dropout = fields.number("dropout", 0.1f);
  c.begin_id = fields.integer("bos_token_id", -1);
  c.end_id = fields.integer("eos_token_id", -1);
  c.pad_id = fields.integer("pad_token_id", -1);
  c.start_id = fields.integer("decoder_start_token_id", -1);
  return c;
}

TrainableConfig read_sizes(const ConfigFields& fields, bool gpt2) {
  TrainableConfig c;
  c.vocabulary = fields.integer("vocab_size", 0);
  c.layers = fields.integer(gpt2 ? "n_layer" : "num_hidden_layers", 0);
  c.heads = fields.integer(gpt2 ? "n_head" : "num_attention_heads", 0);
  c.width = fields.integer(gpt2 ? "n_embd" : "hidden_size", 0);
  c.inner_width = fields.integer(gpt2 ? "n_inner" : "intermediate_size", 0);
  c.max_tokens = fields.integer(gpt2 ? "n_positions" : "max_position_embeddings", 0);
  c.begin_id = fields.integer("bos_token_id", -1);
  c.end_id = fields.integer("eos_token_id", -1);
  c.pad_id = fields.integer("pad_token_id", -1);
  return c;
}

TrainableConfig read_config(const std::string& path) {
  const Json json = load_json(path);
  const std::string where = "[train] " + path;
  if (!json.is_object()) fail("{}: an object was expected, got {}", where, json.type_name());
  const ConfigFields fields(json, where);
  const std::string type = fields.text("model_type", "");
  if (type == "bart") return read_bart(fields);
  if (type != "gpt2" && type != "llama" && type != "bert") {
    fail("{}: the model is {}, expected \"gpt2\", \"llama\", \"bert\" or \"bart\"", where, in_quotes(type));
  }
  TrainableConfig c = read_sizes(fields, type == "gpt2");
  if (type == "gpt2") {
    c.family = ModelFamily::gpt2;
    c.activation = fields.text("activation_function", "gelu_new");
    c.norm_epsilon = fields.number("layer_norm_epsilon", 1e-5f);
    c.dropout = fields.number("resid_pdrop", 0.1f);
    c.tied = fields.flag("tie_word_embeddings", true);
  } else if (type == "llama") {
    c.family = ModelFamily::llama;
    for (const char* name : {"rope_scaling", "attention_bias", "mlp_bias"}) fields.refuse(name);
    c.kv_heads = fields.integer("num_key_value_heads", 0);
    c.activation = fields.text("hidden_act", "silu");
    c.norm_epsilon = fields.number("rms_norm_eps", 1e-6f);
    c.rope_theta = fields.number("rope_theta", 10000);
    c.dropout = fields.number("attention_dropout", 0);
    c.tied = fields.flag("tie_word_embeddings", false);
  } else {
    c.family = ModelFamily::bert;
    c.segments = fields.integer("type_vocab_size", 2);
    c.activation = fields.text("hidden_act", "gelu");
    c.norm_epsilon = fields.number("layer_norm_eps", 1e-12f);
    c.dropout = fields.number("hidden_dropout_prob", 0.1f);
  }
  return c;
}

}  // namespace

TrainableModel load_pretrained(const std::string& folder) {
  const std::filesystem::path at(folder);
  TrainableModel model(read_config((at / "config.json").string()), Random(0));
  const std::string path = (at / "model.safetensors").string();
  const NamedArrays arrays = load_safetensors(path);
  std::string problems;
  for (const TrainableParameter& parameter : model.parameters()) {
    const auto entry = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const auto& each) { return each.name == parameter.name; });
    if (entry == arrays.end() || !entry->is_tensor() || !(entry->shape() == parameter.shape)) {
      problems += fmt::format("; {} is {}, expected {}", parameter.name,
                              entry == arrays.end() ? "missing" : entry->shape().to_string(),
                              parameter.shape.to_string());
      continue;
    }
    std::copy_n(std::get<Tensor>(entry->array).data(), parameter.shape.elements(),
                model.parameter(parameter.name).data());
  }
  if (!problems.empty()) fail("[train] {}: tensors do not fit{}", path, problems);
  return model;
}

}  // namespace fovea
