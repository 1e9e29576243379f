// What a capture is about: its model, its texts, its tokens, its kinds of attention.
#pragma once

#include "capture_store.h"
#include "fovea/json_writer.h"

namespace fovea::explorer {

void write_summary(JsonWriter& json, const StoredCapture& stored);

}  // namespace fovea::explorer
