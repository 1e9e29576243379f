#include "io/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/fail.h"
#include "io/descriptor.h"

namespace fovea {
namespace {

// A new file in the folder of `target`, removed again unless it is moved there.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& target, const std::string& where)
      : target_(target), where_(where), file_(create()) {}
  ~TemporaryFile() {
    if (!moved_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return file_.get(); }

  void move_to_target() {
    // EINVAL: a file system that cannot synchronise; then there is nothing more to be had.
    if (::fsync(file_.get()) != 0 && errno != EINVAL) fail_with("cannot be synchronised");
    if (!file_.close()) fail_with("cannot be written");
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail_with("cannot be replaced");
    moved_ = true;
  }

 private:
  // The name does not grow with the target's, which may be as long as a name can be.
  int create() {
    static std::atomic<unsigned> counter{0};
    int descriptor = -1;
    do {
      path_ = target_.parent_path() / fmt::format(".fovea-{}-{}.tmp", ::getpid(), counter++);
      descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) fail_with("cannot be written");
    return descriptor;
  }
  [[noreturn]] void fail_with(const char* what) const {
    fail("{}: {}: {}", where_, what, std::strerror(errno));
  }

  std::filesystem::path target_;
  const std::string& where_;
  std::filesystem::path path_;
  bool moved_ = false;
  Descriptor file_;
};

void write_directly(const std::string& path, const std::string& where,
                    const std::function<void(FileWriter&)>& write) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) fail("{}: cannot be written: {}", where, std::strerror(errno));
  FileWriter writer(file.get(), where);
  write(writer);
  if (!file.close()) fail("{}: cannot be written: {}", where, std::strerror(errno));
}

}  // namespace

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("{}: cannot be written: {}", where_, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    written_ += static_cast<std::uint64_t>(count);
  }
}

void write_file_atomically(const std::string& path, const std::function<void(FileWriter&)>& write) {
  const std::string where = "[file] " + path;
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("{}: is a directory, cannot be written", where);
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, where, write);

  // A symbolic link stays; the file it points to is replaced.
  std::error_code error;
  std::filesystem::path target = path;
  if (exists) target = std::filesystem::canonical(path, error);
  if (error) fail("{}: cannot be written: {}", where, error.message());

  TemporaryFile file(target, where);
  if (exists) ::fchmod(file.descriptor(), status.st_mode & 07777);
  FileWriter writer(file.descriptor(), where);
  write(writer);
  file.move_to_target();
}

}  // namespace fovea
