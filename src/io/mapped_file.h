// A file as read-only memory.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// Maps a regular file of at least one byte; throws Error "[npy] q.npy: .." for missing files,
// directories, pipes and empty files. `format` is the name in the brackets. As with every mapping, a file
// that another process cuts short while it is read ends this one: replace files by renaming, as write_file.
class MappedFile {
 public:
  MappedFile(const std::string& path, std::string_view format);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Gives the memory of these bytes back; reading them again brings them back from the file. Whoever has
  // converted a part of a large file calls this, or the file would be in memory twice.
  void release(std::string_view part) const;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  const std::string& where() const { return where_; }  // "[npy] q.npy"

 private:
  std::string where_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fovea
