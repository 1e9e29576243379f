// A run: every head of every layer, however it is stored.
//
// Either queries and keys, from which weights are computed on demand (O(n) memory), or the weights
// themselves. A run looks the same either way, except for memory and for what can be changed later.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/attention_statistics.h"
#include "fovea/attention_weights.h"
#include "fovea/capture.h"

namespace fovea {

// Attention that can be looked at: of one head [N, D], or of all heads of a layer [B, H, N, D].
struct FOVEA_API AttentionView {
  ConstView q, k;                      // [.., N, D], [.., M, D]; empty where weights are stored
  ConstView v;                         // [.., M, Dv]; empty if it was not kept
  ConstView weights;                   // [.., N, M] if they are stored, else empty
  AttentionOptions options;            // of stored weights: the mask, which says what is visible
  std::shared_ptr<const void> memory;  // what the views show

  bool stored() const { return weights.data() != nullptr; }
  Index queries() const { return (stored() ? weights : q).shape().back(1); }            // N
  Index keys() const { return stored() ? weights.shape().back() : k.shape().back(1); }  // M

  double scale() const;  // what scores were multiplied by; 1 where that is not known

  // The weights of a rectangle, [.., rows, keys], before dropout where they are computed. Throws Error if
  // it leaves the matrix.
  Tensor crop(const Crop& crop) const;
  // As attention_statistics(), but the log-sum-exp of stored weights is unknown, and empty.
  AttentionStatistics statistics(const StatisticsOptions& options = {}) const;
};

// All batch entries and heads of one layer.
struct FOVEA_API LayerView : AttentionView {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  // [B, H, M] the norm of value · W_O of every key: what its full attention would pass on. Null where
  // nobody asked for them: add_value_norms() (passed_on.h).
  std::shared_ptr<const Tensor> value_norms = nullptr;
  Precision precision = Precision::float32;  // of the model's own call, see CapturedAttention

  Index batch() const { return (stored() ? weights : q).shape()[0]; }
  Index heads() const { return (stored() ? weights : q).shape()[1]; }
};

// Several heads as one matrix.
enum class HeadMerge {
  none,
  mean,  // of the weights: summed in double, head by head, divided once
  max,   // the largest weight
};

// One head of a run, or all heads of a layer merged. A merged row sees every key that one of the heads
// sees.
struct FOVEA_API HeadChoice {
  AttentionKind kind = AttentionKind::encoder;
  Index layer = 0;
  Index head = 0;  // ignored if they are merged
  HeadMerge merge = HeadMerge::none;
  Index batch = 0;  // the sequence
  Mask mask =
      {};  // hides more than the layer's own mask, and the softmax is recomputed; not for stored weights
  // Instead of weights, what the head passes on: the norm of weight · value · W_O (Kobayashi et al. 2020).
  // Heads are merged after that. The run must have its value norms.
  bool passed_on = false;

  std::string name() const;  // "L5H0", "L5 mean"
};

// Means and maxima of the weights in R×C cells, R = min(size, N), C = min(size, M), as
// AttentionStatistics::thumbnail.
struct FOVEA_API WeightCells {
  Tensor mean, max;  // [R, C]
};

// Cheap to copy: copies share what they show. Layers, heads and batch entries are counted from 0; whatever
// is not there is an Error that says what is.
class FOVEA_API Run {
 public:
  // What is known of the tokens of one kind of attention: one sequence per batch entry, or none.
  struct Tokens {
    std::vector<TokenSequence> queries, keys;
  };

  Run() = default;
  explicit Run(Capture capture);
  // Weights computed elsewhere. The mask says which keys are visible; without one, all are. Throws
  // Error for weights that are NaN, infinite, negative, or > 0 where the mask hides.
  static Run from_weights(AttentionWeights weights, const Mask& mask = {});
  static Run from_weights(Tensor weights, const Mask& mask = {});  // [N, M] .. [L, B, H, N, M]
  // Queries and keys of files: [N, D], [B, N, D], [B, H, N, D] or [L, B, H, N, D], fewer key heads may
  // serve several query heads. The options are those of every layer.
  static Run from_query_key(Tensor q, Tensor k, const AttentionOptions& options = {});

  const std::string& model() const { return model_; }  // its name, for people; "" if there is none
  std::vector<AttentionKind> kinds() const;            // that there are
  const std::vector<LayerView>& layers() const { return layers_; }  // all of them, in the order of the run
  Index layers(AttentionKind kind) const;
  const LayerView& layer(AttentionKind kind, Index layer) const;

  const Tokens& tokens(AttentionKind kind) const;
  // Names of the queries and keys of a sequence; none if they are not known.
  std::vector<std::string> query_tokens(AttentionKind kind, Index batch = 0) const;
  std::vector<std::string> key_tokens(AttentionKind kind, Index batch = 0) const;
  // The same for people, by token_labels: "小明 [UNK]" where the model read an unknown token.
  std::vector<std::string> query_labels(AttentionKind kind, Index batch = 0) const;
  std::vector<std::string> key_labels(AttentionKind kind, Index batch = 0) const;
  // How much of its texts the model read and knew, one each: of a pair, or what an encoder read and what a
  // decoder was given. None if they were not kept.
  std::vector<TextReading> readings(Index batch = 0) const;
  // Which of a pair of texts each key belongs to; none unless there are two.
  std::vector<Index> key_segments(AttentionKind kind, Index batch = 0) const;
  // Custom names: one per query, and one per key (none: those of the queries, where N = M).
  void set_tokens(AttentionKind kind, const std::vector<std::string>& queries,
                  std::vector<std::string> keys = {});
  // As set_tokens, of a batch: the names of each of its sequences.
  void set_tokens_of_each(AttentionKind kind, const std::vector<std::vector<std::string>>& queries,
                          std::vector<std::vector<std::string>> keys = {});

  // The run of one kind and one sequence: B = 1 in every layer. This is what analysis takes.
  Run select(AttentionKind kind, Index batch = 0) const;
  // The run of one sequence, with all its kinds.
  Run sequence(Index batch) const;
  // The same with a mask that hides more in every layer. Throws Error for stored weights.
  Run masked(const Mask& mask) const;

  // [B, H, M] of a layer, kept and saved with the run. Throws Error for another shape, and for norms that
  // are negative or no numbers.
  void set_value_norms(AttentionKind kind, Index layer, Tensor norms);
  bool has_value_norms(AttentionKind kind) const;  // of every layer

  // One head: throws Error for merged ones, and for what is passed on.
  AttentionView head(const HeadChoice& choice) const;
  // What the chosen head, or one of the merged heads, may see.
  Mask visible(const HeadChoice& choice) const;

  // The chosen weights (or what is passed on, as in all that follows): all [N, M], or a rectangle.
  Tensor weights(const HeadChoice& choice, const std::stop_token& stop = {}) const;
  Tensor weights(const HeadChoice& choice, const Crop& crop, const std::stop_token& stop = {}) const;
  WeightCells cells(const HeadChoice& choice, Index size, const std::stop_token& stop = {}) const;
  AttentionStatistics statistics(const HeadChoice& choice, const StatisticsOptions& options = {}) const;

  // Of every layer: weights [L, B, H, N, M], statistics [L, B, H, ..]. Throws Error where layers differ in
  // shape.
  Tensor all_weights(AttentionKind kind, const std::stop_token& stop = {}) const;
  AttentionStatistics all_statistics(AttentionKind kind, const StatisticsOptions& options = {}) const;

  // Calls take(first row, weights [rows, M]) for bands of rows, from the top: a matrix that is too large to
  // be there at once.
  using TakeRows = std::function<void(Index first, const Tensor& rows)>;
  void for_each_band(const HeadChoice& choice, const TakeRows& take,
                     const std::stop_token& stop = {}) const;

  std::size_t bytes() const;  // that queries, keys, values and weights take

  // One safetensors file. Throws Error for masks that have no text (see Mask::expression) and dense biases;
  // loading for whatever is wrong with the file.
  void save(const std::string& path) const;
  static Run load(const std::string& path);

 private:
  friend class RunReader;                           // private, src/run
  LayerView entry(const HeadChoice& choice) const;  // one sequence, with the choice's mask

  std::string model_;
  std::vector<LayerView> layers_;  // in the order of the run
  std::vector<std::pair<AttentionKind, std::shared_ptr<const Tokens>>> tokens_;
};

}  // namespace fovea
