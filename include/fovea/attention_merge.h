// Attention in parts, put together again: of keys that lie in several places, as on several machines.
//
// The parts of a call share its queries and cut its keys into ranges, in order. What each part gives is
// exact, and so is the sum: output, log-sum-exp, measures and gradients are those of one call, within the
// kernels' tolerance. Sums run in the order of the parts, so the same parts give the same bits.
//
//   for each range of keys:  attention(q, k_r, v_r, part_options(options, part))      with .logsumexp
//   all = merge_attention(those)
//   for each range of keys:  attention_backward(q, k_r, v_r, all, doutput, part_options(options, part))
//   merge_gradients(those)
#pragma once

#include <vector>

#include "fovea/api.h"
#include "fovea/attention.h"
#include "fovea/attention_statistics.h"
#include "fovea/score_part.h"

namespace fovea {

// The options of the whole for a call on a part: its mask and bias are cut, the rest is the same. Throws
// Error for a dropout: which weights it drops depends on where a key stands in its call.
FOVEA_API AttentionOptions part_options(const AttentionOptions& options, const ScorePart& part);

// Results for the same queries and disjoint keys, each with its log-sum-exp: output [.., N, Dv], logsumexp
// [.., N]. A row that sees nothing in any part is 0, with −inf. Throws Error for no parts, for parts of
// different shapes, with weights or without log-sum-exp.
FOVEA_API AttentionResult merge_attention(const std::vector<AttentionResult>& parts);
// `more` into `sum`, in place, for parts that come one after the other: sums are rounded at each step.
FOVEA_API void merge_attention_into(AttentionResult& sum, const AttentionResult& more);

// log Σ exp of log-sum-exps of disjoint keys.
FOVEA_API Tensor merge_logsumexp(const std::vector<Tensor>& parts);

// Gradients of parts, from the whole's output and log-sum-exp: dq and dbias are added, dk and dv put side
// by side in the order of the parts.
FOVEA_API AttentionGradients merge_gradients(const std::vector<AttentionGradients>& parts);

// The measures of a part as shares of the whole's. `logsumexp` [.., N] is that over all keys, of the part's
// queries (merge_logsumexp of attention_logsumexp); entropy, diagonal, distance, received and thumbnails
// add up over the parts, the maximum is the largest. Positions and top keys are keys of the whole, the
// thumbnail has the cells of the whole, `means` stay empty(). `options` are those of the whole; crops
// (StatisticsOptions::weights) are the part's.
FOVEA_API AttentionStatistics part_statistics(ConstView q, ConstView k, const AttentionOptions& options,
                                              const ScorePart& part, ConstView logsumexp,
                                              StatisticsOptions wanted = {});

// Shares of the same queries and of ranges of keys, in order, as attention_statistics() gives them for all
// keys. Throws Error for no parts, or parts that do not fit each other.
FOVEA_API AttentionStatistics merge_statistics(const std::vector<AttentionStatistics>& parts);

}  // namespace fovea
