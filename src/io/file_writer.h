// Files that are written whole or not at all.
#pragma once

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

// Calls write(writer), then moves the new file to `path`. If `write` throws, or the disk is full, the
// exception leaves from here, `path` is as it was before, and no temporary file stays. What exists and is
// not a regular file (a pipe, a device) is written to directly.
void write_file_atomically(const std::string& path, const std::function<void(FileWriter&)>& write);

}  // namespace fovea
