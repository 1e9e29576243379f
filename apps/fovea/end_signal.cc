#include "end_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "fovea/error.h"
#include "fovea/file.h"

namespace fovea::command {
namespace {

int pipe_ends[2] = {-1, -1};

// The signal ends the program as it would have done, but no unfinished file stays.
void end_now(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // comes when this handler returns
}

struct sigaction action_of(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return action;
}

// Of all that the main thread could wait for, only a write to a pipe is allowed here.
void tell_waiting() {
  const int before = errno;
  static_cast<void>(!::write(pipe_ends[1], "x", 1));
  errno = before;
}

void tell(int signal) {
  const struct sigaction next = action_of(end_now);
  ::sigaction(signal, &next, nullptr);
  tell_waiting();
}

}  // namespace

void remove_files_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // nohup
    const struct sigaction action = action_of(end_now);
    ::sigaction(signal, &action, nullptr);
  }
}

EndSignal::EndSignal() {
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw Error(
        "[serve] cannot wait for signals: cannot create a "
        "pipe");
  const struct sigaction action = action_of(tell);
  ::sigaction(SIGINT, &action, &interrupt_before_);
  ::sigaction(SIGTERM, &action, &terminate_before_);
  ::sigaction(SIGHUP, &action, &hang_up_before_);
  if (hang_up_before_.sa_handler == SIG_IGN) ::sigaction(SIGHUP, &hang_up_before_, nullptr);  // nohup
}

EndSignal::~EndSignal() {
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
  ::sigaction(SIGHUP, &hang_up_before_, nullptr);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

StopOnSignal::StopOnSignal()
    : waiting_([this] {
        end_.wait();
        source_.request_stop();
      }) {}

StopOnSignal::~StopOnSignal() {
  tell_waiting();  // the thread need not wait any longer
  waiting_.join();
}

void EndSignal::wait() const {
  char byte = 0;
  while (::read(pipe_ends[0], &byte, 1) == -1 && errno == EINTR) {
  }
}

}  // namespace fovea::command
