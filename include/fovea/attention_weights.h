// Attention weights of a run, from files: layers, batch entries, heads, and the tokens they are about.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/named_tensors.h"

namespace fovea {

struct FOVEA_API AttentionWeights {
  Tensor values;                          // [L, B, H, N, M]
  std::vector<std::string> query_tokens;  // N names, or none
  std::vector<std::string> key_tokens;    // M names, or none; the query tokens where N = M
  std::string source;                     // for messages: "[npz] run.npz"
  std::string axes;                       // the axes as the file has them: "NM" .. "LBHNM"
  bool axes_assumed = false;              // the rank allows another reading, and none was specified

  Index layers() const { return values.shape()[0]; }
  Index batch() const { return values.shape()[1]; }
  Index heads() const { return values.shape()[2]; }
  Index queries() const { return values.shape()[3]; }
  Index keys() const { return values.shape()[4]; }
  ConstView head(Index layer, Index entry, Index head) const {  // [N, M]
    return values.view().select(0, layer).select(0, entry).select(0, head);
  }
};

struct FOVEA_API WeightsFileOptions {
  // The array, or what the names of one array per layer begin with ("attentions": attentions.0, ..).
  // Default: weights, attention, attentions or attention_weights; the only array; the only series of arrays
  // that differ in one number (Hugging Face's tuple of layers, saved one by one).
  std::string key = {};
  // The axes in the file's order, of L, B, H before N and M: "HNM", "BLHNM". Default by rank: NM, HNM,
  // LHNM, LBHNM; for one array per layer NM, HNM, BHNM.
  std::string axes = {};
};

// From .npy, .npz, .safetensors or .json (see load_arrays). Tokens are the file's own: metadata or lists of
// texts `tokens`, `query_tokens`, `key_tokens`. Throws Error for ranks other than 2 to 5, layers that are
// missing or differ in shape, and tokens that are not as many as rows or columns.
FOVEA_API AttentionWeights load_attention_weights(const std::string& path, const WeightsFileOptions& = {});
FOVEA_API AttentionWeights attention_weights_of(const NamedArrays& arrays, const WeightsFileOptions& = {});

// Names given apart from the file: N for the queries, M for the keys; where N = M the queries' names serve
// both. Empty: what was there stays. Throws Error if the numbers do not fit.
FOVEA_API void set_tokens(AttentionWeights& weights, std::vector<std::string> query_tokens,
                          std::vector<std::string> key_tokens = {});

// One per line (an empty last line is none), or a JSON list of texts.
FOVEA_API std::vector<std::string> load_tokens(const std::string& path);
// Split at white space, the ideographic space included.
FOVEA_API std::vector<std::string> split_tokens(std::string_view text);

// Rows that do not sum to 1 (beyond 1e-3), as under dropout. Rows of zeros see nothing and are fine.
struct FOVEA_API WeightsCheck {
  Index rows_not_one = 0;
  Index layer = 0, entry = 0, head = 0, row = 0;  // the worst of them
  double sum = 1;
};
// Throws Error naming the first weight that is NaN, infinite or negative.
FOVEA_API WeightsCheck check_weights(const AttentionWeights& weights);

}  // namespace fovea
