// Writing small JSON objects. (Reading JSON is the library's work.)
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::command {

// In quotes, escaped. Bytes that are not UTF-8 (a file's name) become U+FFFD: the result is always valid.
std::string json_quoted(std::string_view text);
std::string json_array(const std::vector<std::string>& texts);  // of quoted texts
std::string json_numbers(const std::vector<double>& values);  // −inf, inf and NaN as texts, as in accounts

// Members in order; the values are JSON already. Ends with a newline.
std::string json_object(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace fovea::command
