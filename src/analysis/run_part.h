// Runs at the border of analysis: one kind of attention, one sequence.
#pragma once

#include "fovea/run.h"

namespace fovea {

struct RunPart {
  AttentionKind kind = AttentionKind::encoder;
  Index layers = 0;
};

// Throws Error that begins with "[op]" unless the run has one kind of attention and one sequence, which
// Run::select makes of any run.
RunPart only_part(const char* op, const Run& run);

}  // namespace fovea
