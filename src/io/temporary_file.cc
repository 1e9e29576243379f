#include "io/temporary_file.h"

#include <fcntl.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>

#include "core/fail.h"
#include "fovea/file.h"

namespace fovea {
namespace {

// Names of unfinished files, where a signal handler can read them: no locks, no allocation.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> set{false};
  std::array<char, 4096> name = {};  // the longest path the system takes
};
std::array<Slot, 16> unfinished;

// -1: all are taken, or the name is too long; then a signal leaves the file.
int remember(const std::string& name) {
  if (name.size() >= unfinished[0].name.size()) return -1;
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    if (unfinished[i].taken.exchange(true)) continue;
    name.copy(unfinished[i].name.data(), name.size());
    unfinished[i].name[name.size()] = '\0';
    unfinished[i].set = true;
    return static_cast<int>(i);
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  unfinished[static_cast<std::size_t>(slot)].set = false;
  unfinished[static_cast<std::size_t>(slot)].taken = false;
}

std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace

bool TemporaryFile::nameless_is_possible = true;

void remove_unfinished_files() noexcept {
  for (const Slot& slot : unfinished) {
    if (slot.set) ::unlink(slot.name.data());
  }
}

UnfinishedName::UnfinishedName(const std::string& name) : slot_(remember(name)) {}
UnfinishedName::~UnfinishedName() { forget(slot_); }

TemporaryFile::TemporaryFile(const std::filesystem::path& target, const std::string& where)
    : target_(target), where_(where), file_(create()) {}

TemporaryFile::TemporaryFile(const std::filesystem::path& target, const std::string& where,
                             const std::filesystem::path& name)
    : target_(target), where_(where), name_(name), slot_(remember(name.string())), file_(open_named()) {
  if (file_.get() >= 0) return;
  forget_name();
  fail_with("cannot be written");
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
  forget(slot_);
}

// Names do not grow with the target's, which may be as long as a name can be. They are drawn: whoever knows
// a name removes the file, so a process on another machine with the same number must not use it.
std::filesystem::path TemporaryFile::new_name(const std::filesystem::path& target) {
  std::random_device draw;
  return target.parent_path() / fmt::format(".fovea-{}-{:08x}{:08x}.tmp", ::getpid(), draw(), draw());
}

// The name is known as unfinished before the file is there: a signal between the two finds it.
template <typename Make>
bool TemporaryFile::make_name(const Make& make) {
  bool made = false;
  do {
    forget(slot_);
    name_ = new_name(target_);
    slot_ = remember(name_.string());
    made = make();
  } while (!made && errno == EEXIST);
  if (!made) forget_name();
  return made;
}

void TemporaryFile::forget_name() {
  const int before = errno;
  forget(slot_);
  slot_ = -1;
  name_.clear();
  errno = before;
}

int TemporaryFile::open_named() const {
  return ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int TemporaryFile::create() {
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  // It gets its name through /proc, so without that it would never get one.
  if (nameless_is_possible && ::access("/proc/self/fd", X_OK) == 0) {
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
  }
  int descriptor = -1;
  if (!make_name([&] { return (descriptor = open_named()) >= 0; })) fail_with("cannot be written");
  return descriptor;
}

void TemporaryFile::move_to_target() {
  // EINVAL: a file system that cannot synchronise; then there is nothing more to be had.
  if (::fsync(file_.get()) != 0 && errno != EINVAL) fail_with("cannot be flushed to disk");
  if (name_.empty()) {
    const auto link_to = [&](const std::filesystem::path& name) {
      return ::linkat(AT_FDCWD, path_of(file_.get()).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
             0;
    };
    if (link_to(target_)) return;
    // A link replaces nothing, a renaming does: for these two calls the file has another name.
    if (errno != EEXIST || !make_name([&] { return link_to(name_); })) fail_with("cannot be written");
  }
  if (!file_.close()) fail_with("cannot be written");
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail_with("cannot be replaced");
  forget_name();
}

void TemporaryFile::fail_with(const char* what) const {
  fail("{}: {}: {}", where_, what, std::strerror(errno));
}

}  // namespace fovea
