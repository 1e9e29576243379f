#include "end_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "fovea/error.h"

namespace fovea::command {
namespace {

int pipe_ends[2] = {-1, -1};

// Of all that the main thread could wait for, only a write to a pipe is allowed here.
void tell(int /*signal*/) {
  const int before = errno;
  static_cast<void>(!::write(pipe_ends[1], "x", 1));
  errno = before;
}

}  // namespace

EndSignal::EndSignal() {
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) throw Error("[serve] cannot wait for signals: no pipe");
  struct sigaction action = {};
  action.sa_handler = tell;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

EndSignal::~EndSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

StopOnSignal::StopOnSignal()
    : waiting_([this] {
        end_.wait();
        source_.request_stop();
      }) {}

StopOnSignal::~StopOnSignal() {
  tell(0);  // the thread need not wait any longer
  waiting_.join();
}

void EndSignal::wait() const {
  char byte = 0;
  while (::read(pipe_ends[0], &byte, 1) == -1 && errno == EINTR) {
  }
}

}  // namespace fovea::command
