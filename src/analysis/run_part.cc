#include "analysis/run_part.h"

#include "core/fail.h"

namespace fovea {

RunPart only_part(const char* op, const Run& run) {
  const std::vector<AttentionKind> kinds = run.kinds();
  if (kinds.empty()) fail("[{}] got no layers, expected at least one", op);
  if (kinds.size() > 1) {
    fail("[{}] the run has {} kinds of attention, expected one: choose with Run::select", op, kinds.size());
  }
  const Index layers = run.layers(kinds.front()), batch = run.layer(kinds.front(), 0).batch();
  if (batch != 1) fail("[{}] the run has {} sequences, expected one: choose with Run::select", op, batch);
  return {kinds.front(), layers};
}

}  // namespace fovea
