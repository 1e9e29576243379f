// Sequences of tokens in the JSON of a run's file.
#pragma once

#include <vector>

#include "fovea/capture.h"
#include "fovea/json_writer.h"
#include "run/json_fields.h"

namespace fovea {

void write_sequences(JsonWriter& json, const char* name, const std::vector<TokenSequence>& sequences);

// Throws Error unless unknown tokens and readings are possible ones. Files without them are older.
std::vector<TokenSequence> read_sequences(const JsonFields& root, const char* name);

}  // namespace fovea
