#include "io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/fail.h"
#include "io/descriptor.h"

namespace fovea {

MappedFile::MappedFile(const std::string& path, std::string_view format)
    : where_(fmt::format("[{}] {}", format, path)) {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    fail("{}: cannot be read: {}", where_, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) fail("{}: is a directory, a file was expected", where_);
  if (!S_ISREG(status.st_mode)) fail("{}: is not a regular file, which was expected", where_);
  if (status.st_size == 0) fail("{}: the file is empty", where_);
  size_ = static_cast<std::size_t>(status.st_size);
  data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data_ == MAP_FAILED) fail("{}: cannot be mapped: {}", where_, std::strerror(errno));
}

void MappedFile::release(std::string_view part) const {
  // With every page that is read, the system maps those around it, 64 KiB in all. Neighbours that are given
  // back with the part come back by themselves when they are read.
  constexpr std::size_t kAround = std::size_t{64} << 10;
  const auto offset = static_cast<std::size_t>(part.data() - static_cast<const char*>(data_));
  const std::size_t begin = offset / kAround * kAround;
  const std::size_t end = std::min(size_, (offset + part.size() + kAround - 1) / kAround * kAround);
  ::madvise(static_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() { ::munmap(data_, size_); }

}  // namespace fovea
