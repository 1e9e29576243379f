// Studies: what every head of a model does over a corpus.
//
// A text is read alone, so that its numbers do not depend on its neighbours; sums are exact integers
// (value · 2^40 in 128 bits), quantiles come from fixed histograms. A study has therefore the same bits in
// whatever order its texts came, on any number of threads, and merged from any number of shards. Its
// memory is O(heads · vocabulary), whatever the corpus.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/corpus.h"
#include "fovea/float_type.h"
#include "fovea/head_similarity.h"
#include "fovea/matrix.h"
#include "fovea/measures.h"
#include "fovea/precision.h"
#include "fovea/text_model.h"

namespace fovea {

inline namespace internal {
struct FOVEA_PRIVATE_API StudyState;  // private, src/analysis/study
}

inline constexpr Index kStudyBins = 1024;  // of the histograms
inline constexpr Index kStudyPlaces = 20;  // strongest places kept of each head
inline constexpr Index kStudyPairs = 256;  // pairs of tokens told of each head, at most

// Kinds of tokens, by what the query is.
enum class TokenKind { special, unknown, punctuation, number, word, piece };  // piece: not a word's first
inline constexpr Index kTokenKinds = 6;
FOVEA_API const char* to_string(TokenKind kind);  // "special", ..

// What is studied: one value per token (row), but of received and sink_share one per text.
FOVEA_API const std::vector<Measure>& study_measures();

struct FOVEA_API StudyOptions {
  Index length = 128;         // tokens read of each text, special ones included
  Index similarity_rows = 2;  // of each text, compared between all heads; 0: none
  std::string corpus = {};    // its name, for people
};

// Of one head and one measure.
struct FOVEA_API StudyValue {
  Index count = 0;
  double mean = 0, deviation = 0;  // NaN if there are none
};

// Of one head and one token of the vocabulary.
struct FOVEA_API StudyToken {
  Index id = 0;
  std::string token;
  Index count = 0;      // how often it was there to be looked at
  double received = 0;  // weight from all queries, itself included
};

// A query that looks at a key, both no special tokens: the key that holds most of such a row.
struct FOVEA_API StudyPair {
  std::string query, key;
  double weight = 0;  // over the corpus; an estimate that is never too small
};

// Where a head is strongest: the largest weights between two different tokens that are not special, one per
// text.
struct FOVEA_API StudyPlace {
  double weight = 0;
  std::uint64_t text = 0;           // a hash of it
  Index query = 0, key = 0;         // positions
  std::vector<std::string> tokens;  // around both; "…" where tokens are left out
  std::vector<double> weights;      // of the query's row on these tokens
  Index query_at = 0, key_at = 0;   // among `tokens`
  bool operator==(const StudyPlace&) const = default;
};

struct FOVEA_API StudyRole {
  std::string id;    // as HeadRole
  double share = 0;  // of the texts in which it holds
};

struct FOVEA_API StudyCounts {
  Index texts = 0;                            // that were measured
  Index tokens = 0;                           // read of them
  Index cut = 0;                              // texts that were longer
  Index skipped = 0;                          // without a token of their own
  Index unknown = 0;                          // tokens read as unknown
  Index broken = 0, repaired = 0, empty = 0;  // as CorpusCounts
  bool operator==(const StudyCounts&) const = default;
};

class FOVEA_API Study {
 public:
  // An empty one. Throws Error for a length below 2 or beyond what the model takes.
  explicit Study(const TextModel& model, const StudyOptions& options = {});
  Study(const Study&);
  Study(Study&&) noexcept;
  Study& operator=(const Study&);
  Study& operator=(Study&&) noexcept;
  ~Study();

  // Measures texts, several at a time. Throws Error for another model than the study's. After an exception
  // nothing was added.
  void add(const TextModel& model, const std::vector<std::string>& texts, const std::stop_token& stop = {});

  // Adds another one of the same model and options. Shards must be of the same corpus and number, and none
  // may come twice; all of them together are a whole study.
  void merge(const Study& other);

  // One safetensors file, of the same bytes for the same study. Loading throws Error for whatever is wrong.
  void save(const std::string& path) const;
  static Study load(const std::string& path);

  const std::string& model() const;
  const StudyOptions& options() const;
  AttentionKind kind() const;
  FloatType weights() const;  // how the model was loaded (ModelOptions)
  Precision precision() const;
  Index layers() const;
  Index heads() const;  // per layer
  const StudyCounts& counts() const;
  std::string shard() const;  // "1/3"; "2+3/7" of some that were merged; "" of a whole study

  // Heads are counted through all layers: layer · heads() + head.
  StudyValue value(Index head, Measure measure) const;
  StudyValue at_position(Index head, Measure measure, Index position) const;
  StudyValue of_kind(Index head, Measure measure, TokenKind kind) const;
  // The value below which a share of all lie, within (range of the measure) / 1024; NaN if there are none.
  double quantile(Index head, Measure measure, double share) const;
  std::vector<Index> histogram(Index head, Measure measure) const;  // [kStudyBins]
  double histogram_range(Measure measure) const;                    // bins divide 0 .. this
  // The mean weight of keys `distance` tokens after the query (before: negative), over the visible pairs;
  // NaN if there are none.
  double at_distance(Index head, Index distance) const;
  std::vector<StudyRole> roles(Index head) const;  // that hold anywhere, largest share first
  std::vector<StudyToken> received(Index head, Index most) const;  // by weight, largest first
  std::vector<StudyPair> pairs(Index head) const;                  // approximate, at most kStudyPairs
  const std::vector<StudyPlace>& places(Index head) const;         // largest weight first
  HeadSimilarity similarity() const;  // Jensen–Shannon, mean over the compared rows of all texts

 private:
  friend class StudyRunner;  // private
  explicit Study(std::unique_ptr<StudyState> state);
  std::unique_ptr<StudyState> state_;
};

struct FOVEA_API StudyProgress {
  Index texts = 0;     // of the corpus, read so far
  Index measured = 0;  // of these by this run, since it began or went on
  Index expected = 0;  // texts in all; 0: not known
  double seconds = 0;  // since it began or went on
};

struct FOVEA_API StudyRunOptions {
  StudyOptions study = {};
  Index shard = 1, shards = 1;  // every shards-th text, beginning with the shard-th
  // A file to go on from: written now and then, and when stopped. One that is there is gone on from, if it
  // is of the same study; the corpus must begin with the same texts. It is not removed. "": none.
  std::string checkpoint = {};
  double checkpoint_seconds = 60;
  std::function<void(const StudyProgress&)> progress = {};
  std::stop_token stop = {};  // a request writes the checkpoint and ends the work with Stopped
};

// A study of all texts of a corpus, or of a shard.
FOVEA_API Study study_corpus(const TextModel& model, Corpus& corpus, const StudyRunOptions& options = {});

}  // namespace fovea
