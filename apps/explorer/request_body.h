// What a client sends: JSON that somebody else wrote. The only file with the JSON library's header, which
// compiles slowly; answers are written by JsonWriter.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture_store.h"

namespace fovea::explorer {

// The texts of these names in a JSON object; one that is missing or null is empty, everything else in it is
// passed over. Throws RequestError for what is no object, and for a value that is no text.
std::map<std::string, std::optional<std::string>> parse_texts(const std::string& body,
                                                              const std::vector<std::string>& names,
                                                              const char* expected);

// That of one name; throws RequestError if it is not there.
std::string required_text(const std::map<std::string, std::optional<std::string>>& texts,
                          const std::string& name);

// {"model": .., "text": .., "text2": .., "more": "12.345", "replaces": "c3"}, the last three as one likes.
// Throws RequestError for anything else.
CaptureRequest parse_capture_request(const std::string& body);

}  // namespace fovea::explorer
