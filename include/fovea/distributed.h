// Attention of one long sequence over many processes, each with a part of the queries, keys and values.
//
// Keys and values go round in a ring: every rank computes with the block it has while the next one is on
// its way. Masks, biases and positions are those of the whole sequence. The results are those of
// attention(), within the kernels' tolerance, and the same number of ranks gives the same bits every time.
//
// The processes are those of MPI (mpirun). Built without it (FOVEA_MPI=OFF), Ranks() throws Error.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/attention.h"
#include "fovea/attention_statistics.h"
#include "fovea/key_value_cache.h"

namespace fovea {

inline namespace internal {
class FOVEA_PRIVATE_API RankGroup;  // private, src/distributed
}

// An Error that all ranks throw together, with the same message: one of them may tell it for all.
class FOVEA_API AgreedError : public Error {
 public:
  using Error::Error;
};

// The processes that work together. Functions that take Ranks are called by all of them, in the same order.
// An exception on one rank alone leaves the others waiting: that rank must call abort().
class FOVEA_API Ranks {
 public:
  Ranks();  // all processes of this mpirun; starts MPI, and ends it, unless the program did
  explicit Ranks(int communicator);  // a communicator of the program's own: MPI_Comm_c2f(communicator)
  explicit Ranks(std::unique_ptr<RankGroup> group);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  static bool available();  // was this library built with MPI?

  int rank() const;
  int size() const;
  // The text of every rank, in their order, on every rank.
  std::vector<std::string> gather(const std::string& text) const;
  // Throws AgreedError on all ranks if one has a problem (a text that is not empty): the first one's.
  void agree(const std::string& problem) const;
  [[noreturn]] void abort(int exit_code) const noexcept;  // ends all processes

  RankGroup& group() const { return *group_; }

 private:
  std::unique_ptr<RankGroup> group_;
};

// Rows [begin, end) of the sequence.
struct FOVEA_API RowRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
};

enum class RowLayout {
  zigzag,      // 2·ranks ranges; rank r has the r-th and the r-th from the end: causal work is balanced
  contiguous,  // rank r has the r-th of `ranks` ranges
};

// The ranges of a rank's rows, in the order in which its tensors hold them; some may be empty. Throws Error
// if there are fewer rows than ranks.
FOVEA_API std::vector<RowRange> rows_of_rank(Index rows, int rank, int ranks,
                                             RowLayout layout = RowLayout::zigzag);

struct FOVEA_API RingExtents {
  Index queries = 0, keys = 0;  // N and M of the whole
  RowLayout layout = RowLayout::zigzag;
};

// q [.., n, D], k [.., m, D], v [.., m, Dv] hold this rank's rows (rows_of_rank), in the shapes of
// attention(); options are those of the whole. Gives output [.., n, Dv] and log-sum-exp [.., n] (if asked
// for) of its rows. Throws AgreedError if shapes do not fit, here or to those of the other ranks, and for
// weights or dropout. Memory beyond inputs and results: two blocks of keys and values.
FOVEA_API AttentionResult ring_attention(const Ranks& ranks, ConstView q, ConstView k, ConstView v,
                                         const RingExtents& extents, const AttentionOptions& options = {});

// The gradients by this rank's q, k and v; dbias, of all rows, is the same on every rank. `forward` is what
// ring_attention() gave, with its log-sum-exp. Gradients of keys and values travel with them.
FOVEA_API AttentionGradients ring_attention_backward(const Ranks& ranks, ConstView q, ConstView k,
                                                     ConstView v, const AttentionResult& forward,
                                                     ConstView doutput, const RingExtents& extents,
                                                     const AttentionOptions& options = {});

// Measures of this rank's rows, what its keys receive, and, the same on every rank, means and thumbnails of
// the whole. Two rounds of the keys. `weights` are not to be had.
FOVEA_API AttentionStatistics ring_attention_statistics(const Ranks& ranks, ConstView q, ConstView k,
                                                        const RingExtents& extents,
                                                        const AttentionOptions& options = {},
                                                        StatisticsOptions wanted = {});

// Keys and values of the tokens so far, spread over the ranks in blocks, for decoding: rank r has blocks r,
// r + ranks, ... The ranks must outlive it.
class FOVEA_API SpreadCache {
 public:
  SpreadCache(const Ranks& ranks, const KeyValueCacheConfig& config, Index block = 1024);

  // New tokens, the same on every rank: k [B, Hkv, T, D], v [B, Hkv, T, Dv]. Each rank keeps its own.
  void append(ConstView k, ConstView v);
  Index size() const { return size_; }              // tokens on all ranks
  Index own_size() const { return cache_.size(); }  // tokens on this one

  // q [B, H, N, D], the same on every rank, against all tokens; the result is the same on every rank, bit
  // for bit.
  AttentionResult attention(ConstView q, const AttentionOptions& options = {}) const;

 private:
  const Ranks& ranks_;
  Index block_;
  KeyValueCache cache_;
  Index size_ = 0;
};

}  // namespace fovea
