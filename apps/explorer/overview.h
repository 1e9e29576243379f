// All heads of a capture at a glance: measures, roles, small pictures.
#pragma once

#include <stop_token>
#include <string>

#include "capture_store.h"

namespace fovea::explorer {

// Stopped if nobody waits for it any longer.
std::string overview_json(const StoredCapture& stored, AttentionKind kind,
                          const std::stop_token& stop = {});

// Cells of the weights of every head, as statistics make them.
struct Thumbnails {
  Tensor mean, max;  // [L, H, R, C], R = min(size, N), C = min(size, M)
};
Thumbnails thumbnails_of(const Run& run, AttentionKind kind, Index size, const std::stop_token& stop = {});
std::string thumbnails_bytes(const Run& run, AttentionKind kind, Index size,
                             const std::stop_token& stop = {});

}  // namespace fovea::explorer
