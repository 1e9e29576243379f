// What has to be right in a child of fork(), which has one thread only.
#pragma once

#include <mutex>

namespace fovea {

// Another thread may hold the mutex at the moment of the fork; in the child nobody would ever release it.
// From now on fork() takes it first and releases it in both. To be called while the program starts, by the
// initializer of a variable; the mutex must live to its end, and whoever holds it must not wait for
// another.
bool free_after_fork(std::mutex& mutex);

}  // namespace fovea
