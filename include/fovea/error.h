// What fovea throws.
#pragma once

#include <stdexcept>
#include <string>

#include "fovea/api.h"

namespace fovea {

// Thrown by every public function for bad shapes, values, files and texts. The message names the
// function, what was got and what was expected: "[attention] keys have width 64, queries 32".
class FOVEA_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  ~Error() override;  // in one library, so that there is one type to catch
};

// Long work was stopped from outside, by the std::stop_token in its options.
class FOVEA_API Stopped : public Error {
 public:
  explicit Stopped(const std::string& message) : Error(message) {}
};

}  // namespace fovea
