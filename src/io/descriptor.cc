#include "io/descriptor.h"

#include <charconv>
#include <filesystem>

namespace fovea {

const char* file_kind(const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a pipe";
    case S_IFSOCK:
      return "a socket";
    case S_IFCHR:
    case S_IFBLK:
      return "a device";
    default:
      return "not a regular file";
  }
}

std::optional<int> open_descriptor(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kLongestChain = 40;  // of links, as the system allows
  const fs::path own = "/proc/" + std::to_string(::getpid()) + "/fd";
  fs::path at = path;
  for (int link = 0; link < kLongestChain; ++link) {
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error) return std::nullopt;
    if (folder == own) {
      const std::string name = at.filename().string();
      int number = -1;
      const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
      const bool is_number = problem == std::errc() && end == name.data() + name.size();
      return is_number && number >= 0 ? std::optional(number) : std::nullopt;
    }
    const fs::path target = fs::read_symlink(folder / at.filename(), error);
    if (error) return std::nullopt;
    at = folder / target;
  }
  return std::nullopt;
}

}  // namespace fovea
