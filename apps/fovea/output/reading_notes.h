// What a model does not know of a text, and what it did not read: the same lines from every command.
#pragma once

#include <vector>

#include "fovea/language.h"
#include "fovea/text_reading.h"

namespace fovea::command {

// A line on standard error for each text with unknown characters, and for each that was cut; none if there
// is nothing to tell.
void print_reading_notes(const std::vector<TextReading>& texts, Language language);

}  // namespace fovea::command
