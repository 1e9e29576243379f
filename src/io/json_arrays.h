// Arrays in JSON texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/named_tensors.h"

namespace fovea {

// Nested lists of numbers become tensors: a bare list under `name`, the members of an object under their
// own names. Lists of texts and single texts become metadata, a list as JSON. Members of other kinds are
// left out. Throws Error "<where>: .." for ragged lists, and where nothing is read at all.
NamedArrays parse_json_arrays(std::string_view text, const std::string& where, const std::string& name);

// ["a", "b"]: throws Error "<where>: .." for anything else.
std::vector<std::string> parse_text_list(std::string_view json, const std::string& where);
std::string text_list_json(const std::vector<std::string>& texts, const std::string& where);

}  // namespace fovea
