#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/fail.h"
#include "io/messages.h"

namespace fovea {

std::string ByteSource::bytes(std::uint64_t at, std::size_t count) const {
  std::string bytes(count, '\0');
  read(at, bytes.data(), count);
  return bytes;
}

InputFile::InputFile(const std::string& path, std::string_view format) : InputFile(open(path, format)) {}

InputFile::InputFile(Opened opened)
    : ByteSource(std::move(opened.where), opened.size), file_(opened.descriptor) {}

InputFile::Opened InputFile::open(const std::string& path, std::string_view format) {
  const std::string where = fmt::format("[{}] {}", format, path);
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status = {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    fail("{}: cannot read the file: {}", where, std::strerror(errno));
  }
  Descriptor file(descriptor);  // closes it where it is refused
  if (S_ISDIR(status.st_mode)) fail("{}: is a directory, expected a file", where);
  if (!S_ISREG(status.st_mode)) fail("{}: is {}, expected a regular file", where, file_kind(status));
  if (status.st_size == 0) fail("{}: the file is empty", where);
  return {file.release(), static_cast<std::uint64_t>(status.st_size), where};
}

void InputFile::read(std::uint64_t at, char* to, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(file_.get(), to, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("{}: cannot read the file: {}", where(), std::strerror(errno));
    if (got == 0) {
      fail("{}: was truncated while being read: it had {} bytes, now {} or fewer", where(), grouped(size()),
           grouped(at));
    }
    to += got;
    at += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

void MemorySource::read(std::uint64_t at, char* to, std::size_t count) const {
  bytes_.copy(to, count, static_cast<std::size_t>(at));
}

}  // namespace fovea
