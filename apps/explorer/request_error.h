// What was asked for cannot be answered.
#pragma once

#include <stdexcept>
#include <string>

namespace fovea::explorer {

// Becomes {"error": {"message": .., "status": ..}} with that HTTP status.
class RequestError : public std::runtime_error {
 public:
  RequestError(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace fovea::explorer
