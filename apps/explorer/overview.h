// All heads of a capture at a glance: measures, roles, small pictures.
#pragma once

#include <string>

#include "capture_store.h"

namespace fovea::explorer {

std::string overview_json(const StoredCapture& stored, AttentionKind kind);

// Cells of the weights of every head, as statistics make them.
struct Thumbnails {
  Tensor mean, max;  // [L, H, R, C], R = min(size, N), C = min(size, M)
};
Thumbnails thumbnails_of(const Run& run, AttentionKind kind, Index size);
std::string thumbnails_bytes(const Run& run, AttentionKind kind, Index size);

}  // namespace fovea::explorer
