// JSON that somebody else wrote: the library's documents, made smaller or larger, and the bodies of
// requests. The only file with the JSON library's header, which compiles slowly; answers are written by
// JsonWriter.
#pragma once

#include <string>

#include "capture_store.h"

namespace fovea::explorer {

// Without the spaces and line ends that are for people.
std::string compact_json(const std::string& json);

// {"examples": [..]}: the tutorials' accounts, each with its id and title.
std::string examples_json();

// {"model": .., "text": .., "text2": ..}. Throws RequestError for anything else.
CaptureRequest parse_capture_request(const std::string& body);

}  // namespace fovea::explorer
