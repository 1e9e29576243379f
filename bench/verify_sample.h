// Some rows of one head as a problem of their own, for the reference.
#pragma once

#include "problem.h"
#include "reference/double_array.h"
#include "verify.h"

namespace fovea::bench {

inline constexpr Index kPairs = Index{1} << 23;  // of q·k in double: about a second on one core at D = 64

struct Sample {
  Index batch, head;
  std::vector<Index> rows;
};

// Up to `count` of 0 .. n − 1, spread evenly, both ends among them.
std::vector<Index> spread(Index n, Index count);
std::vector<Index> range(Index begin, Index end);

ConstView head_of(const Tensor& tensor, Index batch, Index head);            // [N, D]
reference::DoubleArray rows_of(const Tensor& tensor, const Sample& sample);  // [rows, D]
reference::DoubleArray key_head_of(const Tensor& tensor, const Problem& problem,
                                   const Sample& sample);  // [M, D]

// The options of those rows: mask and bias become dense, because they go by position. Without dropout.
AttentionOptions options_of(const Problem& problem, const Sample& sample);

// Rows spread over all heads and positions; all of them if that takes about a second.
std::vector<Sample> samples_of(const Case& c);

Expected expected_gradients(const Problem& problem);
Expected expected_statistics(const Problem& problem);

}  // namespace fovea::bench
