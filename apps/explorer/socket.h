// An open socket that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace fovea::explorer {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int number) : number_(number) {}
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Socket() {
    if (number_ >= 0) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }  // somebody else closes it

 private:
  int number_ = -1;
};

}  // namespace fovea::explorer
