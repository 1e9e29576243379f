// Files that are written whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fovea {

// Where the bytes go. Throws Error if they cannot be written.
class FileWriter {
 public:
  FileWriter(int descriptor, const std::string& where) : descriptor_(descriptor), where_(where) {}

  void write(std::string_view bytes);
  std::uint64_t written() const { return written_; }

 private:
  int descriptor_;
  const std::string& where_;
  std::uint64_t written_ = 0;
};

// Calls write(writer), then puts the new file at `path`. If `write` throws, or the disk is full, the
// exception leaves from here, `path` is as it was before, and no temporary file stays. A symbolic link
// stays and its target is written, whether it exists or not. A file without permission to write is an
// Error. What exists and is not a regular file (a pipe, a device), and what is open already (/dev/stdout),
// is written to directly.
void write_file_atomically(const std::string& path, const std::function<void(FileWriter&)>& write);

}  // namespace fovea
