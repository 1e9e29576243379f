// The message of the Error that a call throws.
#pragma once

#include <functional>
#include <string>

#include "fovea/error.h"

namespace fovea::testing {

inline std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace fovea::testing
