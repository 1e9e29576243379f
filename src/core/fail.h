// fail("[op] got {}, expected {}", a, b): formats and throws Error.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "fovea/error.h"

namespace fovea {

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw Error(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace fovea
