#include "io/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/fail.h"
#include "io/descriptor.h"
#include "io/temporary_file.h"

namespace fovea {
namespace {

void write_directly(int descriptor, const std::string& where,
                    const std::function<void(FileWriter&)>& write) {
  if (descriptor < 0) fail("{}: cannot write the file: {}", where, std::strerror(errno));
  Descriptor file(descriptor);
  FileWriter writer(file.get(), where);
  write(writer);
  if (!file.close()) fail("{}: cannot write the file: {}", where, std::strerror(errno));
}

// Where a symbolic link, or a link to a link, leads; the file itself need not exist.
std::filesystem::path end_of_links(std::filesystem::path path, const std::string& where) {
  constexpr int kLongestChain = 40;  // as the system allows
  for (int link = 0; link < kLongestChain; ++link) {
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) return path;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) fail("{}: cannot write the file: {}", where, error.message());
    path = path.parent_path() / target;
  }
  fail("{}: cannot write the file: {}", where, std::strerror(ELOOP));
}

// Renaming asks for permission to write the folder only, so the file's own is asked for here. The
// superuser may write everything: there, too, a file that nobody may write is left alone.
void check_writable(const std::string& path, const struct stat& status, const std::string& where) {
  if ((status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) {
    fail("{}: cannot write the file: it is read-only", where);
  }
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("{}: cannot write the file: {}", where, std::strerror(errno));
  }
}

}  // namespace

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("{}: cannot write the file: {}", where_, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    written_ += static_cast<std::uint64_t>(count);
  }
}

void write_file_atomically(const std::string& path, const std::function<void(FileWriter&)>& write) {
  const std::string where = "[file] " + path;
  if (const auto number = open_descriptor(path)) {
    return write_directly(::fcntl(*number, F_DUPFD_CLOEXEC, 0), where, write);
  }
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("{}: cannot write the file: {}", where, std::strerror(errno));
  if (exists && S_ISDIR(status.st_mode)) fail("{}: cannot write the file: it is a directory", where);
  if (exists && !S_ISREG(status.st_mode)) {
    return write_directly(::open(path.c_str(), O_WRONLY | O_CLOEXEC), where, write);
  }
  if (exists) check_writable(path, status, where);

  TemporaryFile file(end_of_links(path, where), where);
  if (exists) ::fchmod(file.descriptor(), status.st_mode & 07777);
  FileWriter writer(file.descriptor(), where);
  write(writer);
  file.move_to_target();
}

}  // namespace fovea
