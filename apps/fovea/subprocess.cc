#include "subprocess.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fovea/error.h"

namespace fovea::command {
namespace {

std::string read_to_end(int descriptor) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

// 0, or the error; the child's number in `child`.
int spawn(const std::vector<std::string>& words, const posix_spawn_file_actions_t& actions, int flags,
          pid_t& child) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  // This program ignores SIGPIPE; others expect its usual effect.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF | flags));
  const int error = ::posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

bool start_program(const std::vector<std::string>& words) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;  // nobody waits for it: it may well outlive us
  const int error = spawn(words, actions, POSIX_SPAWN_SETSID, child);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

ProgramResult run_program(const std::vector<std::string>& words, const std::stop_token& stop) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(fmt::format("[run] cannot create a pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  // A group of its own: it is ended with everything that it has started.
  const bool can_be_ended = stop.stop_possible();
  const int error = spawn(words, actions, can_be_ended ? POSIX_SPAWN_SETPGROUP : 0, child);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    if (error == ENOENT) return {127, ""};
    throw Error(fmt::format("[run] cannot start {}: {}", words.front(), std::strerror(error)));
  }
  ProgramResult result;
  {
    const std::stop_callback end_it(stop, [&] {
      if (can_be_ended) ::kill(-child, SIGTERM);
    });
    result.out = read_to_end(ends[0]);
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace fovea::command
