#include "mpirun_guard.h"

#include <unistd.h>

#ifdef __linux__
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#endif

namespace fovea::command {

#ifdef __linux__
namespace {

constexpr int kGrace = 20000, kBetweenLooks = 1000, kLooks = 30;  // milliseconds

struct ProcessState {
  std::string name;
  char state = 'X';  // X: there is none
  pid_t parent = 0;
};

// PID (NAME) STATE PARENT ...; the name may hold anything.
ProcessState state_of(pid_t process) {
  char text[512] = {};
  const int file = ::open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t length = ::read(file, text, sizeof(text) - 1);
  ::close(file);
  const char *first = std::strchr(text, '('), *last = std::strrchr(text, ')');
  if (length <= 0 || first == nullptr || last == nullptr) return {};
  ProcessState found{std::string(first + 1, last)};
  if (std::sscanf(last + 1, " %c %d", &found.state, &found.parent) != 2) return {};
  return found;
}

bool has_living_child(pid_t parent) {
  DIR* processes = ::opendir("/proc");
  if (processes == nullptr) return true;  // not known: then nobody is ended
  bool found = false;
  while (const dirent* entry = found ? nullptr : ::readdir(processes)) {
    const ProcessState state = state_of(static_cast<pid_t>(std::atoi(entry->d_name)));
    found = state.parent == parent && state.state != 'Z' && state.state != 'X';
  }
  ::closedir(processes);
  return found;
}

// True if `file` can be read, or is closed, within so many milliseconds; < 0: whenever that is.
bool wait_for(int file, int milliseconds) {
  pollfd wanted{file, POLLIN, 0};
  return ::poll(&wanted, 1, milliseconds) != 0;
}

// The rest of the guard's life, in a process of its own that holds nothing open.
[[noreturn]] void guard(pid_t launcher, int launcher_ends, int rank_ends) {
  ::setsid();  // signals to the ranks and their groups are not for it
  ::prctl(PR_SET_NAME, "fovea-guard");
  for (int file = 0; file < 1024; ++file) {
    if (file != launcher_ends && file != rank_ends) ::close(file);
  }
  wait_for(rank_ends, -1);
  char byte = 0;
  if (::read(rank_ends, &byte, 1) == 1 || wait_for(launcher_ends, kGrace)) ::_exit(0);
  for (int look = 0; look < kLooks; ++look) {
    if (!has_living_child(launcher)) {
      ::syscall(SYS_pidfd_send_signal, launcher_ends, SIGKILL, nullptr, 0);
      break;
    }
    if (wait_for(launcher_ends, kBetweenLooks)) break;
  }
  ::_exit(0);
}

bool is_launcher(const std::string& name) {
  return name == "mpirun" || name == "mpiexec" || name == "orterun" || name == "orted";
}

}  // namespace

MpirunGuard::MpirunGuard() {
  const char* rank_here = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  const pid_t launcher = ::getppid();
  if (rank_here == nullptr || std::strcmp(rank_here, "0") != 0 || !is_launcher(state_of(launcher).name))
    return;
  const int launcher_ends = static_cast<int>(::syscall(SYS_pidfd_open, launcher, 0));
  if (launcher_ends < 0) return;  // an older kernel
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) == 0) {
    // Twice, so that nobody has to wait for the guard: it belongs to init.
    const pid_t child = ::fork();
    if (child == 0) {
      if (::fork() == 0) guard(launcher, launcher_ends, ends[0]);
      ::_exit(0);
    }
    if (child > 0) ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    rank_lives_ = ends[1];
  }
  ::close(launcher_ends);
}

MpirunGuard::~MpirunGuard() {
  if (rank_lives_ >= 0) ::close(rank_lives_);
}

void MpirunGuard::all_went_well() {
  if (rank_lives_ >= 0) static_cast<void>(!::write(rank_lives_, "x", 1));
}
#else
MpirunGuard::MpirunGuard() = default;
MpirunGuard::~MpirunGuard() = default;
void MpirunGuard::all_went_well() {}
#endif

}  // namespace fovea::command
