// The options of attention, checked once for forward and backward.
#pragma once

#include "fovea/attention.h"
#include "kernels/attention.h"
#include "mask/mask_node.h"
#include "ops/attention_views.h"

namespace fovea {

// Throws Error that begins with "[op]", "[mask]" or "[bias]".
void check_options(const char* op, const AttentionOptions& options, const ScoreExtents& extents);

// The one given, or 1/√D (1 for D = 0).
float scale_of(const AttentionOptions& options, Index depth);

// What scores come from. The options must outlive it.
kernels::ScoreProblem score_problem(const AttentionViews& views, const AttentionOptions& options);

}  // namespace fovea
