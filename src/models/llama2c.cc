#include "models/llama2c.h"

#include <array>
#include <cstdint>

#include "core/fail.h"
#include "io/json.h"
#include "io/little_endian.h"
#include "io/messages.h"

namespace fovea {
namespace {

constexpr std::size_t kHeaderBytes = 7 * sizeof(std::int32_t);

struct Sizes {
  Index dim, hidden, layers, heads, kv_heads, vocabulary, sequence;
  bool own_output = false;
  Index head_width() const { return dim / heads; }
};

Sizes read_sizes(const ByteSource& file) {
  const std::string& where = file.where();
  if (file.size() < kHeaderBytes) {
    fail("{}: has {} bytes, but the header alone takes {}", where, file.size(), kHeaderBytes);
  }
  const std::string bytes = file.bytes(0, kHeaderBytes);
  std::array<Index, 7> n = {};
  for (std::size_t i = 0; i < n.size(); ++i) {
    n[i] = static_cast<std::int32_t>(little_endian<std::uint32_t>(bytes, i * 4));
  }
  Sizes s = {n[0], n[1], n[2], n[3], n[4], n[5] < 0 ? -n[5] : n[5], n[6], n[5] < 0};
  // Bounds that keep every product below far from overflowing; a model of that size would not be in this
  // format.
  constexpr Index kLargest = 1 << 20;
  const auto fits = [](Index value) { return value >= 1 && value <= kLargest; };
  if (!fits(s.dim) || !fits(s.hidden) || s.layers < 1 || s.layers > 1024 || !fits(s.heads) ||
      !fits(s.kv_heads) || !fits(s.vocabulary) || !fits(s.sequence) || s.dim % s.heads != 0 ||
      s.heads % s.kv_heads != 0 || s.head_width() % 2 != 0) {
    fail(
        "{}: not a llama2.c model: the header says dim {}, hidden {}, layers {}, heads {} over {}, "
        "vocabulary {}, sequence {}",
        where, n[0], n[1], n[2], n[3], n[4], n[5], n[6]);
  }
  return s;
}

// Walks through the file and names what it passes.
class Walk {
 public:
  Walk(const ByteSource& file, WeightFiles& weights) : file_(file), weights_(weights) {}

  void take(const std::string& name, const Shape& shape) {
    RawArray raw;
    raw.shape = shape;
    raw.source = &file_;
    raw.begin = at_;
    weights_.add(name, raw);
    at_ += raw.byte_count();
  }
  void take_layers(Index layers, const std::string& name, const Shape& shape) {
    for (Index i = 0; i < layers; ++i) take(fmt::format("model.layers.{}.{}.weight", i, name), shape);
  }
  void skip(Index floats) { at_ += static_cast<std::uint64_t>(floats) * sizeof(float); }

 private:
  const ByteSource& file_;
  WeightFiles& weights_;
  std::uint64_t at_ = kHeaderBytes;
};

Index floats_of(const Sizes& s) {
  const Index kv = s.kv_heads * s.head_width();
  const Index per_layer = 2 * s.dim + 2 * s.dim * s.dim + 2 * s.dim * kv + 3 * s.dim * s.hidden;
  return s.vocabulary * s.dim * (s.own_output ? 2 : 1) + s.layers * per_layer + s.dim +
         s.sequence * s.head_width();
}

}  // namespace

Json read_llama2c(const ByteSource& file, WeightFiles& weights) {
  const Sizes s = read_sizes(file);
  const std::uint64_t expected = kHeaderBytes + static_cast<std::uint64_t>(floats_of(s)) * sizeof(float);
  if (file.size() != expected) {
    fail("{}: has {} bytes, its header (dim {}, hidden {}, layers {}, vocabulary {}) requires {}",
         file.where(), grouped(file.size()), s.dim, s.hidden, s.layers, s.vocabulary, grouped(expected));
  }
  const Index kv = s.kv_heads * s.head_width();
  Walk walk(file, weights);
  walk.take("model.embed_tokens.weight", {s.vocabulary, s.dim});
  walk.take_layers(s.layers, "input_layernorm", {s.dim});
  walk.take_layers(s.layers, "self_attn.q_proj", {s.dim, s.dim});
  walk.take_layers(s.layers, "self_attn.k_proj", {kv, s.dim});
  walk.take_layers(s.layers, "self_attn.v_proj", {kv, s.dim});
  walk.take_layers(s.layers, "self_attn.o_proj", {s.dim, s.dim});
  walk.take_layers(s.layers, "post_attention_layernorm", {s.dim});
  walk.take_layers(s.layers, "mlp.gate_proj", {s.hidden, s.dim});
  walk.take_layers(s.layers, "mlp.down_proj", {s.dim, s.hidden});
  walk.take_layers(s.layers, "mlp.up_proj", {s.hidden, s.dim});
  walk.take("model.norm.weight", {s.dim});
  walk.skip(s.sequence * s.head_width());
  if (s.own_output) walk.take("lm_head.weight", {s.vocabulary, s.dim});
  // Its tokenizer starts every text with token 1, and so does the next story; 2 ends a text.
  return {{"model_type", "llama"},          {"hidden_size", s.dim},
          {"intermediate_size", s.hidden},  {"num_hidden_layers", s.layers},
          {"num_attention_heads", s.heads}, {"num_key_value_heads", s.kv_heads},
          {"vocab_size", s.vocabulary},     {"max_position_embeddings", s.sequence},
          {"rms_norm_eps", 1e-5},           {"tie_word_embeddings", !s.own_output},
          {"rotary_pairs", true},           {"eos_token_id", {1, 2}}};
}

}  // namespace fovea
