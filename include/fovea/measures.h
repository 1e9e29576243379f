// Measures of attention: how spread, how far, who receives, which tokens and positions hold the weight.
//
// What each measure means, its range and its caveat: measure_definitions.h, `fovea analyze --explain`.
#pragma once

#include <array>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/attention.h"
#include "fovea/mask.h"
#include "fovea/matrix.h"
#include "fovea/run.h"
#include "fovea/tensor.h"

namespace fovea {

// Of one head. Query i stands at position p = i + M − N.
enum class Measure {
  entropy,             // −Σ w ln w of a row, nats (0 · ln 0 = 0); may be < 0 if Σ w > 1
  normalised_entropy,  // divided by ln(visible keys), of rows that see two or more: 0 one key, 1 all alike
  effective_keys,      // exp(entropy)
  keys_90,             // fewest keys that hold 90 % of the row
  confidence,          // largest weight of a row
  received,            // largest column sum: what the most attended key receives
  outgoing,            // row sum: 1, but for hidden rows (they count here) and under dropout
  diagonal,            // weight of key p
  previous_token,      // weight of key p − 1
  next_token,          // weight of key p + 1
  first_token,         // weight of key 0
  special_tokens,      // weight of special tokens ([CLS], </s>); needs tokens
  punctuation,         // weight of punctuation; needs tokens
  same_token,          // weight of the query's own token, if it is a known one, elsewhere; needs tokens
  distance,            // Σ w |j − p|
  sink_share,          // share of all weight that the most attended key receives
  block_diagonal,      // weight within the query's own block; needs blocks
  induction,           // weight of key p − period + 1, where the sequence repeats; needs a period
  induction_lift,  // that weight, in even shares of what does not rest on the first key or special tokens
  passed_on,       // Σ_j of the norms of weight · value · W_O; needs a run with its value norms
  sink_passed_on,  // share of that which comes from the most attended key; beside sink_share
};
inline constexpr std::size_t kMeasureCount = 21;
FOVEA_API std::vector<Measure> all_measures();

// Of one head, or of the mean of all heads.
struct FOVEA_API HeadMeasures {
  HeadMeasures();

  // The mean over the rows that see something and to which the measure applies (the key it asks for exists
  // and is visible). NaN: applies to no row, or was not requested.
  double operator[](Measure measure) const { return values[static_cast<std::size_t>(measure)]; }
  // [N], 0 for rows to which the measure does not apply. Empty for received, sink_share, induction_lift and
  // what is passed on, for what needs tokens, blocks or a period that are not known, and without
  // MeasureOptions::rows.
  const std::vector<double>& rows(Measure measure) const {
    return row_values[static_cast<std::size_t>(measure)];
  }
  Index most_attended() const;  // the key that receives most, the first of equals; −1 without keys

  std::vector<double> received;  // [M] column sums: attention each key receives
  Index rows_seeing = 0;         // rows with a visible key and a weight > 0
  // On the rows of induction_lift: the largest mean weight of another place (the own token, the one before,
  // the one after, the own token's last occurrence). NaN with the measure.
  double induction_rival;

  std::array<double, kMeasureCount> values;
  std::array<std::vector<double>, kMeasureCount> row_values;
};

struct FOVEA_API AttentionMeasures {
  Shape shape;                                   // of the weights
  std::vector<std::vector<HeadMeasures>> heads;  // [A·B][H]: batch entries, or layers, in order
  std::vector<HeadMeasures> head_mean;           // [A·B], of the weights averaged over the heads
  bool masked = false;                           // a mask told which keys are visible

  // Rows of the heads that see something, but whose weights do not sum to 1 (beyond 1e-3), as under
  // dropout; the renderings carry a note then. Their lowest and highest sum.
  Index rows_not_one = 0;
  double lowest_sum = 1, highest_sum = 1;
  // Explicit weights without a mask: all above the diagonal are 0 (of three rows or more).
  bool looks_causal = false;

  // One measure of every head, [A·B, H]: the entropy by layer and head.
  Matrix table(Measure measure) const;
};

struct FOVEA_API MeasureOptions {
  std::vector<Measure> measures = {};        // empty: all
  std::vector<std::string> tokens = {};      // names of the queries, N or none
  std::vector<std::string> key_tokens = {};  // names of the keys, M or none; the tokens if N = M
  // Places of tokens that the model read as unknown, besides [UNK] and <unk>, which tell by their form.
  // They are words, each another one: neither special nor the same as another token.
  std::vector<Index> unknown = {}, unknown_keys = {};
  // The queries are not of the keys' sequence: what compares their positions is not measured. Of a run the
  // cross-attention says so by itself.
  bool cross = false;
  std::vector<Index> segments = {};           // block (segment, document) of each key, M or none
  Index block_size = 0;                       // blocks of so many keys; else they end at special tokens
  Index period = 0;                           // of a repeated sequence; 0: found in the tokens, if any
  bool rows = true;                           // keep the values of each row
  bool head_mean = true;                      // measure the weights averaged over the heads, too
  std::vector<HeadChoice> heads = {};         // of a run: these alone; none: all
  std::function<void(double)> progress = {};  // told the share that is done, by the calling thread
  std::stop_token stop = {};                  // a request ends the work with Stopped
};

// Of a run of one kind and one sequence (Run::select): heads [L][H], head_mean [L], shape [L, H, N, M]; of
// K chosen heads, which may be of any: heads [1][K], shape [K, N, M]. Tokens and segments are the run's,
// unless the options name others. Long runs are measured as the overloads below say: without a matrix of
// N×M where they hold queries and keys.
FOVEA_API AttentionMeasures measure_attention(const Run& run, const MeasureOptions& = {});
// Of one head, or of the heads of a layer merged.
FOVEA_API HeadMeasures measure_attention(const Run& run, const HeadChoice& choice,
                                         const MeasureOptions& = {});

// Column sums of the mean of the chosen heads, [M]: what each key receives. Throws Error for merged maxima,
// whose sums would not be attention.
FOVEA_API std::vector<double> received_attention(const Run& run, const std::vector<HeadChoice>& heads,
                                                 const std::stop_token& stop = {});

// weights [N, M], [H, N, M], [B, H, N, M] or [A, B, H, N, M] (layers first), any strides. A key is visible
// if the mask says so; without a mask all M keys are. Accumulates in double; memory beyond the result is
// O(M) per thread. Throws Error naming the place of a weight that is NaN, infinite or negative, or > 0
// where the mask hides.
FOVEA_API AttentionMeasures measure_attention(ConstView weights, const Mask& mask = {},
                                              const MeasureOptions& = {});

// The same of the weights of q [B, H, N, D] and k [B, Hkv, M, D] (ranks as in attention()), before dropout,
// without the N×M matrix. Entropy, normalised entropy, effective keys, confidence, distance, diagonal,
// received, outgoing and sink share come from attention_statistics alone; the others, and the head mean,
// from bands of at most 256 rows and 128 MB (or one row of all heads). Throws Error naming a row with a
// score that is NaN or +inf.
FOVEA_API AttentionMeasures measure_attention(ConstView q, ConstView k,
                                              const AttentionOptions& options = {},
                                              const MeasureOptions& = {});

}  // namespace fovea
