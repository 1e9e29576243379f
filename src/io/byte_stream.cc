#include "io/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/fail.h"
#include "io/descriptor.h"

namespace fovea {
inline namespace internal {
namespace {

class FileStream final : public ByteStream {
 public:
  FileStream(int descriptor, const std::string& where) : ByteStream(where), file_(descriptor) {}

  std::size_t read(char* to, std::size_t count) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), to, count);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail("{}: cannot read: {}", where(), std::strerror(errno));
    }
  }

 private:
  Descriptor file_;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::string_view bytes, const std::string& where) : ByteStream(where), left_(bytes) {}

  std::size_t read(char* to, std::size_t count) override {
    const std::size_t got = left_.copy(to, count);
    left_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view left_;
};

// What was read to look at it comes first.
class PrefixedStream final : public ByteStream {
 public:
  PrefixedStream(std::string prefix, std::unique_ptr<ByteStream> rest)
      : ByteStream(rest->where()), prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t count) override {
    if (at_ == prefix_.size()) return rest_->read(to, count);
    const std::size_t got = prefix_.copy(to, count, at_);
    at_ += got;
    return got;
  }

 private:
  std::string prefix_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);

std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> stream) {
  std::string magic(kZstdMagic.size(), '\0');
  std::size_t length = 0;
  while (length < magic.size()) {
    const std::size_t got = stream->read(magic.data() + length, magic.size() - length);
    if (got == 0) break;
    length += got;
  }
  magic.resize(length);
  auto whole = std::make_unique<PrefixedStream>(magic, std::move(stream));
  if (magic.starts_with(kGzipMagic)) return unpack_gzip(std::move(whole));
  if (magic == kZstdMagic) return unpack_zstd(std::move(whole));
  return whole;
}

}  // namespace

std::unique_ptr<ByteStream> open_stream(const std::string& path, const std::string& where) {
  const std::optional<int> own = path == "-" ? STDIN_FILENO : open_descriptor(path);
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  Descriptor file(own ? ::fcntl(*own, F_DUPFD_CLOEXEC, 0)
                      : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    fail("{}: cannot read the file: {}", where, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) fail("{}: is a directory, expected a file", where);
  if (!S_ISREG(status.st_mode) && !own)
    fail("{}: is {}, expected a regular file", where, file_kind(status));
  return unpacked(std::make_unique<FileStream>(file.release(), where));
}

std::unique_ptr<ByteStream> stream_of(std::string_view bytes, const std::string& where) {
  return unpacked(std::make_unique<MemoryStream>(bytes, where));
}

void read_exactly(ByteStream& stream, char* to, std::size_t count) {
  while (count > 0) {
    const std::size_t got = stream.read(to, count);
    if (got == 0) fail("{}: ends too early", stream.where());
    to += got;
    count -= got;
  }
}

}  // namespace internal
}  // namespace fovea
