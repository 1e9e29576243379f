// JSON from untrusted texts: the only place that parses it. Private: nlohmann's header stays inside src.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "io/json_fwd.h"

namespace fovea {
inline namespace internal {

struct JsonOptions {
  int max_depth = 64;        // of lists and objects within each other
  bool unique_keys = false;  // true: a key twice in one object is an Error; else the last one counts
};

// Throws Error "[json] words.json: line 3, column 7: .." where `where` is "[json] words.json". Columns
// count characters.
Json parse_json(std::string_view text, const std::string& where, const JsonOptions& options = {});

// The same from a file, which the messages name.
FOVEA_PRIVATE_API Json load_json(const std::string& path, const JsonOptions& options = {});

// The numbers of a list such as [1, 0.5]; throws Error "<where>: .." for anything else.
std::vector<double> json_numbers(const Json& list, const std::string& where);

// A JSON string with its quotes. Throws Error "<where>: .." for what is not UTF-8.
std::string json_string(std::string_view text, const std::string& where);

}  // namespace internal
}  // namespace fovea
