// A JSON object of plain values: settings that a program wrote for itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fovea/api.h"

namespace fovea {

// Each key with the texts of its value: one for a text, a number, true or false, as many as there are for a
// list of these, none for null. Numbers keep all their digits.
using FlatJson = std::map<std::string, std::vector<std::string>>;

// Throws Error that names the file, and the key whose value is anything else.
FOVEA_API FlatJson load_flat_json(const std::string& path);

}  // namespace fovea
