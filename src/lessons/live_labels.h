// The words around live numbers: titles and labels from src/lessons/texts/<language>/live.md.
#pragma once

#include <string>
#include <string_view>

#include "fovea/live.h"

namespace fovea {

// Fills titles and labels in. Throws Error if the file has none, or as many as do not fit.
void label_live(Live& live, Language language);

// Texts of the interface around lessons: lesson_word("exercise", ..) is "Exercise".
std::string lesson_word(std::string_view name, Language language);

}  // namespace fovea
