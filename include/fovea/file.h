// Whole files: read up to a limit, written completely or not at all.
#pragma once

#include <string>
#include <string_view>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

inline constexpr Index kReadLimit = Index{1} << 30;  // 1 GiB: ample for texts, vocabularies and JSON

// The bytes of a regular file. Throws Error if it is missing, longer than `limit` bytes, a directory, a
// pipe or a device; what this process has open already (/dev/stdin, /dev/fd/3) may be a pipe, and is read
// to its end.
FOVEA_API std::string read_file(const std::string& path, Index limit = kReadLimit);

// Replaces the file by `bytes`, or leaves everything as it was and throws Error: a new file in the same
// folder is written, synchronised and put in its place. It has no name until then (O_TMPFILE), so that a
// program that is killed leaves nothing behind. An existing file keeps its permissions, and one that may
// not be written is an Error. A symbolic link stays, and its target is written, whether it exists or not.
// What is not a regular file (a pipe, /dev/null) or open already (/dev/stdout) is written to directly.
FOVEA_API void write_file(const std::string& path, std::string_view bytes);

// Where a file system has no files without names, the new file has one while it is written
// (.fovea-PID-N.tmp). A program that is about to end by a signal calls this, also in the signal's handler,
// so that none stays. Whatever is being written is lost.
FOVEA_API void remove_unfinished_files() noexcept;

}  // namespace fovea
