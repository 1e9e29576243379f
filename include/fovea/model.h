// Published models: BERT, GPT-2, Llama, T5 and BART from their files, run with every attention call in
// sight.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/float_type.h"
#include "fovea/intervention.h"
#include "fovea/precision.h"
#include "fovea/probe.h"
#include "fovea/tensor.h"

namespace fovea {

enum class ModelFamily {
  bert,   // encoder only: BERT, MiniLM, RoBERTa, DistilBERT
  gpt2,   // decoder only
  llama,  // decoder only: Llama 2 and 3, Qwen2, TinyStories
  t5,     // encoder and decoder: T5 v1.0 and v1.1, mT5
  bart,   // encoder and decoder: BART, Marian, mBART
};
FOVEA_API const char* to_string(ModelFamily family);  // "BERT", "GPT-2", "Llama", "T5", "BART"

// What the families have in common. Of an encoder-decoder model, `layers` are the encoder's.
struct FOVEA_API ModelConfig {
  ModelFamily family = ModelFamily::bert;
  std::string
      type;  // as the file says: "bert", "roberta", "distilbert", "gpt2", "llama", "qwen2", "t5", ..
  Index layers = 0, decoder_layers = 0;
  Index heads = 0, kv_heads = 0, head_width = 0;  // H, Hkv, D
  Index width = 0, inner_width = 0;               // E, and that of the feed-forward layer
  Index vocabulary = 0;
  Index max_tokens = 0;  // the longest sequence it takes
  bool has_logits = false;
  std::vector<Index> end_ids;  // tokens that end a text
  Index decoder_start_id = 0;  // of an encoder-decoder model: the token before the first
  Index pad_id = 0;
  // What generation obeys: the token that a text must begin with, the one that it must end with where its
  // length is used up, and sequences of tokens that are never written.
  std::optional<Index> forced_first_id, forced_last_id;
  std::vector<std::vector<Index>> forbidden;

  bool has_encoder() const { return family == ModelFamily::bert || is_encoder_decoder(); }
  bool has_decoder() const { return family != ModelFamily::bert; }
  bool is_encoder_decoder() const { return family == ModelFamily::t5 || family == ModelFamily::bart; }
  Index attention_layers(AttentionKind kind) const;  // 0 of a kind that the model does not have
};

// A batch of B sequences, filled up to the same length N at their ends.
struct FOVEA_API ModelInput {
  Ids ids;               // [B, N]
  Flags real = {};       // [B, N], 0: a pad; empty: there are none
  Ids segments = {};     // [B, N], BERT's token types; empty: zeros
  Ids decoder_ids = {};  // [B, T], of an encoder-decoder model; empty: the token that starts its output
};

struct FOVEA_API ModelOutput {
  Tensor hidden;          // [B, N, E], [B, T, E] of an encoder-decoder model: after the last norm
  Tensor encoder_hidden;  // [B, N, E] of an encoder-decoder model, else empty
  Tensor logits;  // [B, N or T, V], or [B, P, V] of P positions; empty without an output layer, or if
                  // not requested
};

struct FOVEA_API RunOptions {
  Probe* probe = nullptr;  // sees every attention call
  bool logits = true;
  std::vector<Index> logits_at = {};  // only of these positions, in this order; none: all
  Intervention intervention = {};     // what is changed on the way; the probe sees the changed run
};

inline namespace internal {
class FOVEA_PRIVATE_API Architecture;  // private, src/models
struct FOVEA_PRIVATE_API ModelMaker;   // private, src/models
}  // namespace internal

// Cheap to copy; runs are const and may go on at the same time.
class FOVEA_API Model {
 public:
  const ModelConfig& config() const;
  const std::string& name() const { return name_; }   // of its folder
  const std::string& path() const { return path_; }   // the folder
  Index parameters() const { return parameters_; }    // numbers, those used twice counted once
  FloatType weights() const { return weights_; }      // the type in which matrices are kept
  Precision precision() const { return precision_; }  // of products

  // Throws Error for ids outside of the vocabulary, sequences that are too long, shapes that do not fit.
  ModelOutput run(const ModelInput& input, const RunOptions& options = {}) const;

  const Architecture& architecture() const { return *architecture_; }  // for generation

 private:
  friend struct internal::ModelMaker;
  std::shared_ptr<const Architecture> architecture_;
  std::string name_, path_;
  Index parameters_ = 0;
  FloatType weights_ = FloatType::float32;
  Precision precision_ = Precision::float32;
};

struct FOVEA_API ModelOptions {
  // How matrices and tables are kept in memory; biases and norms stay float32, and everything is computed
  // in float32. Other types than the file's are rounded to nearest. Relative L2 error of a layer's output
  // for N(0, 1) inputs and weights, and of the logits of TinyStories 15M, over a text of 64 tokens, against
  // float32:
  //   bfloat16   ≤ 2e-3, logits ≤ 5e-3; half the memory
  //   float16    ≤ 2.5e-4, logits ≤ 6e-4; half the memory; over 65,519 becomes infinity
  //   int8       ≤ 1.2e-2, logits ≤ 2.5e-2; a quarter, with a float32 scale per row (of outputs, of a
  //              table's entries): its largest magnitude becomes 127
  FloatType weights = FloatType::float32;
  // bfloat16: the factors of every product, in dense layers and in attention, are rounded to bfloat16, and
  // summed in float32; biases, norms, activations and the softmax stay float32. Weights are then kept in
  // bfloat16, tables included, and `weights` must be float32 or bfloat16. Of attention, q, k, v are rounded
  // and the exponentials of the scores, too, but for a few tokens after a cache (generation). By AMX or
  // AVX512_BF16 where bfloat16_arithmetic() (instruction_set.h) says so; without them, slower than float32
  // on whole texts. (So far AMX was never run on a processor, see docs/performance.md.)
  // Same bits on any number of threads. Relative L2 error against float32: of the hidden states of
  // MiniLM at most 1e-2 (5.6e-3 for sentences), of the logits of TinyStories 15M, over a text of 64 tokens,
  // at most 6e-3 (3.5e-3), whose first 98 greedy tokens are the same.
  // What is computed from a run, weights above all, is computed in float32 from its q and k (capture.h).
  Precision precision = Precision::float32;
};

// A folder as downloaded: config.json with model.safetensors (or model.safetensors.index.json and its
// files, or one .safetensors of any name), in float32, float16 or bfloat16; or llama2.c's model.bin. The
// files are read and converted once. Throws one Error with everything that is missing or does not fit.
FOVEA_API Model load_model(const std::string& path, const ModelOptions& options = {});

// What a folder says of its model. The weights are looked up, not checked and not converted.
struct FOVEA_API ModelInfo {
  std::string name;
  ModelConfig config;
  Index parameters = 0;
};
FOVEA_API ModelInfo inspect_model(const std::string& path);

}  // namespace fovea
