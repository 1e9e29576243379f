// What fovea throws.
#pragma once

#include <stdexcept>
#include <string>

namespace fovea {

// Thrown by every public function for bad shapes, values, files and texts. The message names the
// function, what was got and what was expected: "[attention] keys have width 64, queries 32".
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// Long work was stopped from outside, by the std::stop_token in its options.
class Stopped : public Error {
 public:
  explicit Stopped(const std::string& message) : Error(message) {}
};

}  // namespace fovea
