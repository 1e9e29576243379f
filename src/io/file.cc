#include "fovea/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/fail.h"
#include "io/descriptor.h"
#include "io/file_writer.h"
#include "io/messages.h"

namespace fovea {
namespace {

// What the caller has open already (standard input, bash's <(command)) may be a pipe: somebody chose it.
// Any other pipe or device would be waited for, perhaps for ever.
int open_for_reading(const std::string& path) {
  if (const auto number = open_descriptor(path)) return ::fcntl(*number, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

}  // namespace

std::string read_file(const std::string& path, Index limit) {
  const Descriptor file(open_for_reading(path));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    fail("[file] {}: cannot read the file: {}", path, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) fail("[file] {}: is a directory, expected a file", path);
  if (!S_ISREG(status.st_mode) && !open_descriptor(path)) {
    fail("[file] {}: is {}, expected a regular file", path, file_kind(status));
  }
  const auto longest = static_cast<std::size_t>(std::max<Index>(limit, 0));
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > longest) {
    fail("[file] {}: has {} bytes, the limit is {}", path,
         grouped(static_cast<std::uint64_t>(status.st_size)), grouped(longest));
  }
  // The size tells how much to expect, not how much comes: pipes and /proc say 0.
  std::string bytes;
  std::size_t length = 0;
  while (true) {
    if (length == bytes.size()) {
      const auto expected = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1;
      bytes.resize(std::max({expected, length * 2, std::size_t{4096}}));
    }
    const ssize_t count = ::read(file.get(), bytes.data() + length, bytes.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("[file] {}: cannot read the file: {}", path, std::strerror(errno));
    length += static_cast<std::size_t>(count);
    if (length > longest) fail("[file] {}: has more than {} bytes, the limit", path, grouped(longest));
    if (count == 0) break;
  }
  bytes.resize(length);
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  write_file_atomically(path, [&](FileWriter& writer) { writer.write(bytes); });
}

}  // namespace fovea
