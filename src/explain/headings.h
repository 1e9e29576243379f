// What stands above an account, in every rendering.
#pragma once

#include <string>

#include "fovea/explain.h"

namespace fovea {

std::string summary_of(const Account& account,
                       Language language);   // "3 tokens · 1 head · d_k = 4 · scale 1/√4 = 0.5"
std::string orientation(Language language);  // "Rows are queries, columns are keys."
std::string note_mark(Language language);    // "Note: "

}  // namespace fovea
