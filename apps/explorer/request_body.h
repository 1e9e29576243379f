// What a client sends: JSON that somebody else wrote. The only file with the JSON library's header, which
// compiles slowly; answers are written by JsonWriter.
#pragma once

#include <string>

#include "capture_store.h"

namespace fovea::explorer {

// {"model": .., "text": .., "text2": ..}. Throws RequestError for anything else.
CaptureRequest parse_capture_request(const std::string& body);

}  // namespace fovea::explorer
