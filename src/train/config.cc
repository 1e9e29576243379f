#include "train/config.h"

#include <vector>

#include "core/fail.h"
#include "fovea/json_writer.h"
#include "io/messages.h"
#include "models/config_reader.h"

namespace fovea {
namespace {

struct FamilyDefaults {
  const char* activation;
  float norm_epsilon;
};

FamilyDefaults defaults_of(ModelFamily family) {
  switch (family) {
    case ModelFamily::llama:
      return {"silu", 1e-6f};
    case ModelFamily::bert:
      return {"gelu", 1e-12f};
    case ModelFamily::bart:
      return {"gelu", 1e-5f};
    default:
      return {"gelu_new", 1e-5f};
  }
}

Index usual_inner_width(const TrainableConfig& c) {
  if (c.family != ModelFamily::llama) return 4 * c.width;
  return (8 * c.width / 3 + 31) / 32 * 32;  // three matrices instead of two, the same number of weights
}

// 1e-5f as 1e-05, not as 9.99999974e-06: the double whose shortest text is that of the float.
double decimal(float value) { return std::stod(fmt::format("{}", value)); }

// What is wrong with a config, one after the other.
class Complaints {
 public:
  void expect(bool fine, const std::string& problem) {
    if (!fine) text_ += (text_.empty() ? "" : "; ") + problem;
  }
  void finish() const {
    if (!text_.empty()) fail("[train] {}", text_);
  }

 private:
  std::string text_;
};

void check_sizes(const TrainableConfig& c, Complaints& complaints) {
  constexpr Index kMost = Index{1} << 24;  // products of two of them stay far from overflow
  const auto size = [&](const char* name, Index value) {
    complaints.expect(value >= 1 && value <= kMost,
                      fmt::format("{} is {}, expected 1 to {}", name, value, kMost));
  };
  size("vocabulary", c.vocabulary);
  size("width", c.width);
  size("heads", c.heads);
  size("kv_heads", c.kv_heads);
  size("inner_width", c.inner_width);
  size("max_tokens", c.max_tokens);
  complaints.expect(c.layers >= 1 && c.layers <= 1024,
                    fmt::format("layers is {}, expected 1 to 1024", c.layers));
  complaints.expect(c.segments >= (c.family == ModelFamily::bert ? 1 : 0) && c.segments <= kMost,
                    fmt::format("segments is {}, expected 1 or more", c.segments));
}

void check_heads(const TrainableConfig& c, Complaints& complaints) {
  if (c.heads < 1 || c.width < 1 || c.kv_heads < 1) return;
  complaints.expect(c.width % c.heads == 0,
                    fmt::format("the width {} is not a multiple of {} heads", c.width, c.heads));
  if (c.family == ModelFamily::llama) {
    complaints.expect(c.heads % c.kv_heads == 0,
                      fmt::format("{} heads are not a multiple of {} key heads", c.heads, c.kv_heads));
    complaints.expect(c.width / c.heads % 2 == 0,
                      fmt::format("heads of width {}: rotary positions rotate pairs, expected an even "
                                  "number",
                                  c.width / c.heads));
  } else {
    complaints.expect(
        c.kv_heads == c.heads,
        fmt::format("kv_heads is {}, expected {} (the number of heads): only llama has grouped heads",
                    c.kv_heads, c.heads));
  }
}

void check_numbers(const TrainableConfig& c, Complaints& complaints) {
  const bool known = ConfigReader::activation_named(c.activation).has_value();
  complaints.expect(known, fmt::format("activation is {}, expected relu, gelu, gelu_new or silu",
                                       in_quotes(c.activation)));
  complaints.expect(c.norm_epsilon > 0 && c.norm_epsilon < 1,
                    fmt::format("norm_epsilon is {}, expected between 0 and 1", c.norm_epsilon));
  complaints.expect(c.dropout >= 0 && c.dropout < 1,
                    fmt::format("dropout is {}, expected 0 ≤ p < 1", c.dropout));
  complaints.expect(c.rope_theta > 1 && c.rope_theta < 1e12f,
                    fmt::format("rope_theta is {}, expected more than 1", c.rope_theta));
  complaints.expect((c.family != ModelFamily::bert && c.family != ModelFamily::bart) || c.tied,
                    "bert's and bart's output layer always shares the word embeddings: tied must be true");
  // transformers' layer norms of BART have this one, whatever the config says.
  complaints.expect(c.family != ModelFamily::bart || c.norm_epsilon == 1e-5f,
                    fmt::format("norm_epsilon is {}, expected 1e-05 in bart", c.norm_epsilon));
  for (const auto& [name, id] : {std::pair{"pad_id", c.pad_id},
                                 {"begin_id", c.begin_id},
                                 {"end_id", c.end_id},
                                 {"start_id", c.start_id}}) {
    complaints.expect(id >= -1 && id < c.vocabulary,
                      fmt::format("{} is {}, expected an id of the vocabulary, or -1", name, id));
  }
}

void write_ids(const TrainableConfig& c, JsonWriter& json) {
  const auto id = [&json](const char* name, Index value) {
    json.key(name);
    value < 0 ? json.null() : json.integer(value);
  };
  id("bos_token_id", c.begin_id);
  id("eos_token_id", c.end_id);
  id("pad_token_id", c.pad_id);
}

void write_gpt2(const TrainableConfig& c, JsonWriter& json) {
  json.key("architectures").strings({"GPT2LMHeadModel"});
  json.key("model_type").string("gpt2");
  json.key("vocab_size").integer(c.vocabulary);
  json.key("n_positions").integer(c.max_tokens);
  json.key("n_embd").integer(c.width);
  json.key("n_layer").integer(c.layers);
  json.key("n_head").integer(c.heads);
  json.key("n_inner").integer(c.inner_width);
  json.key("activation_function").string(c.activation);
  json.key("layer_norm_epsilon").number(decimal(c.norm_epsilon));
  for (const char* name : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) {
    json.key(name).number(decimal(c.dropout));
  }
}

void write_llama(const TrainableConfig& c, JsonWriter& json) {
  json.key("architectures").strings({"LlamaForCausalLM"});
  json.key("model_type").string("llama");
  json.key("vocab_size").integer(c.vocabulary);
  json.key("max_position_embeddings").integer(c.max_tokens);
  json.key("hidden_size").integer(c.width);
  json.key("intermediate_size").integer(c.inner_width);
  json.key("num_hidden_layers").integer(c.layers);
  json.key("num_attention_heads").integer(c.heads);
  json.key("num_key_value_heads").integer(c.kv_heads);
  json.key("head_dim").integer(c.width / c.heads);
  json.key("hidden_act").string(c.activation);
  json.key("rms_norm_eps").number(decimal(c.norm_epsilon));
  json.key("rope_theta").number(decimal(c.rope_theta));
  json.key("attention_bias").boolean(false);
  json.key("mlp_bias").boolean(false);
  json.key("attention_dropout").number(decimal(c.dropout));
}

void write_bert(const TrainableConfig& c, JsonWriter& json) {
  json.key("architectures").strings({"BertForMaskedLM"});
  json.key("model_type").string("bert");
  json.key("vocab_size").integer(c.vocabulary);
  json.key("max_position_embeddings").integer(c.max_tokens);
  json.key("hidden_size").integer(c.width);
  json.key("intermediate_size").integer(c.inner_width);
  json.key("num_hidden_layers").integer(c.layers);
  json.key("num_attention_heads").integer(c.heads);
  json.key("type_vocab_size").integer(c.segments);
  json.key("hidden_act").string(c.activation);
  json.key("layer_norm_eps").number(decimal(c.norm_epsilon));
  json.key("hidden_dropout_prob").number(decimal(c.dropout));
  json.key("attention_probs_dropout_prob").number(decimal(c.dropout));
}

void write_bart(const TrainableConfig& c, JsonWriter& json) {
  json.key("architectures").strings({"BartForConditionalGeneration"});
  json.key("model_type").string("bart");
  json.key("is_encoder_decoder").boolean(true);
  json.key("vocab_size").integer(c.vocabulary);
  json.key("max_position_embeddings").integer(c.max_tokens);
  json.key("d_model").integer(c.width);
  for (const char* stack : {"encoder", "decoder"}) {
    const std::string name = stack;
    json.key(name + "_layers").integer(c.layers);
    json.key(name + "_attention_heads").integer(c.heads);
    json.key(name + "_ffn_dim").integer(c.inner_width);
    json.key(name + "_layerdrop").number(0);
  }
  json.key("num_hidden_layers").integer(c.layers);
  json.key("activation_function").string(c.activation);
  json.key("dropout").number(decimal(c.dropout));
  json.key("attention_dropout").number(decimal(c.dropout));
  json.key("activation_dropout").number(0);
  json.key("scale_embedding").boolean(false);
  const Index start = c.start_id < 0 ? c.end_id : c.start_id;
  json.key("decoder_start_token_id");
  start < 0 ? json.null() : json.integer(start);
  for (const char* name : {"forced_bos_token_id", "forced_eos_token_id"}) json.key(name).null();
}

}  // namespace

TrainableConfig completed(const TrainableConfig& config) {
  TrainableConfig c = config;
  if (c.family == ModelFamily::t5)
    fail("[train] T5's layout cannot be trained: expected gpt2, llama, bert or bart");
  const FamilyDefaults usual = defaults_of(c.family);
  if (c.kv_heads == 0) c.kv_heads = c.heads;
  if (c.width > 0 && c.width < (Index{1} << 24) && c.inner_width == 0) c.inner_width = usual_inner_width(c);
  if (c.segments == 0 && c.family == ModelFamily::bert) c.segments = 2;
  if (c.activation.empty()) c.activation = usual.activation;
  if (c.norm_epsilon == 0) c.norm_epsilon = usual.norm_epsilon;
  Complaints complaints;
  check_sizes(c, complaints);
  check_heads(c, complaints);
  check_numbers(c, complaints);
  complaints.finish();
  return c;
}

std::string config_json(const TrainableConfig& c, bool half) {
  JsonWriter json;
  json.begin_object();
  if (c.family == ModelFamily::gpt2) write_gpt2(c, json);
  if (c.family == ModelFamily::llama) write_llama(c, json);
  if (c.family == ModelFamily::bert) write_bert(c, json);
  if (c.family == ModelFamily::bart) write_bart(c, json);
  json.key("tie_word_embeddings").boolean(c.tied);
  write_ids(c, json);
  json.key("initializer_range").number(0.02);
  json.key("torch_dtype").string(half ? "float16" : "float32");
  json.end_object();
  return json.take();
}

}  // namespace fovea
