// Whole files: read with a limit, written whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

inline constexpr Index kReadLimit = Index{1} << 30;  // 1 GiB: ample for texts, vocabularies and JSON

// The bytes of a file, or of a pipe (/dev/stdin) to its end. Throws Error if it is missing, a directory,
// or longer than `limit` bytes.
FOVEA_API std::string read_file(const std::string& path, Index limit = kReadLimit);

// Replaces the file by `bytes`, or leaves everything as it was and throws Error: a temporary file beside
// it is written, synchronised and renamed. An existing file keeps its permissions, a symbolic link its
// place. What is not a regular file (a pipe, /dev/stdout) is written to directly.
FOVEA_API void write_file(const std::string& path, std::string_view bytes);

}  // namespace fovea
