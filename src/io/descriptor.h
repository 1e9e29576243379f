// An open file that closes itself.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

namespace fovea {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }  // the caller closes it
  // False if the system reports that something was not written after all.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

// "a pipe", "a device", ..: what is not a regular file, for messages.
const char* file_kind(const struct stat& status);

// N, if the path names what this process has open under that number: /dev/stdin, /dev/fd/N,
// /proc/self/fd/N, or a link to one of them.
std::optional<int> open_descriptor(const std::string& path);

}  // namespace fovea
