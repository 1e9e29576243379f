#include "limited_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "fovea/error.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace fovea::command {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("[run] cannot create a pipe");
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
};

// A file without a name: a program that does not read its input cannot make us wait.
std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_with(std::string_view input) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(input.data(), 1, input.size(), file.get()) != input.size() ||
      std::fflush(file.get()) != 0) {
    throw Error("[run] cannot write the program's input to a temporary file");
  }
  std::rewind(file.get());
  return file;
}

// Children that lose their parent become ours, so that none can get away by leaving its group.
class Subreaper {
 public:
  Subreaper() { set(1); }
  ~Subreaper() { set(0); }
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

 private:
  static void set([[maybe_unused]] unsigned long on) {
#ifdef __linux__
    ::prctl(PR_SET_CHILD_SUBREAPER, on, 0, 0, 0);
#endif
  }
};

std::vector<pid_t> children_of_ours() {
  std::vector<pid_t> children;
#ifdef __linux__
  std::ifstream list(fmt::format("/proc/self/task/{}/children", ::getpid()));
  for (pid_t child = 0; list >> child;) children.push_back(child);
#endif
  return children;
}

// Whoever was left to us, again until there are none. `before` were there before.
void kill_those_left(pid_t program, const std::vector<pid_t>& before) {
  for (int round = 0; round < 1000; ++round) {
    bool any = false;
    for (const pid_t child : children_of_ours()) {
      if (child == program || std::find(before.begin(), before.end(), child) != before.end()) continue;
      any = true;
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    if (!any) return;
  }
}

// In the child, between fork and exec: only what is allowed there.
[[noreturn]] void become(char* const* argv, int input, int out, int err, int report, std::size_t memory) {
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // if we are killed ourselves
#endif
  ::dup2(input, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  const rlimit none = {0, 0}, bytes = {memory, memory};
  ::setrlimit(RLIMIT_CORE, &none);
  // Data, not address space: what a run time only reserves does not count.
  ::setrlimit(RLIMIT_DATA, &bytes);
  ::execvp(argv[0], argv);
  const int error = errno;
  static_cast<void>(!::write(report, &error, sizeof error));
  ::_exit(127);
}

// Reads what is there. False: the end.
bool read_some(Descriptor& from, std::string& text, std::size_t most, bool& too_much) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const std::size_t room = most - std::min(most, text.size());
  too_much = too_much || static_cast<std::size_t>(count) > room;
  text.append(buffer.data(), std::min(static_cast<std::size_t>(count), room));
  return true;
}

// Until both streams have ended, or a limit is met. A program that closes its streams and goes on is waited
// for, too: `ended` asks.
template <typename Ended>
ProgramEnd collect(Descriptor& out, Descriptor& err, const ProgramLimits& limits,
                   const std::stop_token& stop, Clock::time_point begin, LimitedResult& result,
                   const Ended& ended) {
  bool too_much = false, ignored = false;
  while (true) {
    if (stop.stop_requested()) return ProgramEnd::stopped;
    if (Clock::now() - begin > limits.time) return ProgramEnd::time;
    std::array<pollfd, 2> watched = {{{out.number(), POLLIN, 0}, {err.number(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), 20);
    if (watched[0].revents != 0 && !read_some(out, result.out, limits.out, too_much)) out.close();
    if (watched[1].revents != 0 && !read_some(err, result.err, limits.err, ignored)) err.close();
    if (too_much) return ProgramEnd::output;
    const bool nothing_new = watched[0].revents == 0 && watched[1].revents == 0;
    // Whoever the program left behind may hold the streams open: its own end is the end.
    if ((nothing_new || (!out.is_open() && !err.is_open())) && ended()) break;
  }
  // What came between the last look and the end.
  std::array<pollfd, 1> last = {{{out.number(), POLLIN, 0}}};
  while (!too_much && ::poll(last.data(), 1, 0) > 0 && read_some(out, result.out, limits.out, too_much)) {
  }
  last[0].fd = err.number();
  while (!ignored && ::poll(last.data(), 1, 0) > 0 && read_some(err, result.err, limits.err, ignored)) {
  }
  return too_much ? ProgramEnd::output : ProgramEnd::exited;
}

bool speaks_of_memory(const std::string& err) {
  for (const char* const words :
       {"MemoryError", "bad_alloc", "annot allocate memory", "ut of memory", "nable to allocate"}) {
    if (err.find(words) != std::string::npos) return true;
  }
  return false;
}

void judge(int status, LimitedResult& result) {
  if (WIFEXITED(status)) {
    result.exit_code = WEXITSTATUS(status);
  } else {
    result.end = ProgramEnd::killed;
    result.signal = WTERMSIG(status);
  }
  const bool failed = result.end == ProgramEnd::killed || result.exit_code != 0;
  if (failed && speaks_of_memory(result.err)) result.end = ProgramEnd::memory;
}

// What exec said, if it failed; 0 if it did not.
int error_of_exec(const Descriptor& report) {
  int error = 0;
  ssize_t count = 0;
  do count = ::read(report.number(), &error, sizeof error);
  while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof error) ? error : 0;
}

}  // namespace

LimitedResult run_limited(const std::vector<std::string>& words, std::string_view input,
                          const ProgramLimits& limits, const std::stop_token& stop) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto file = file_with(input);
  Pipe out, err, report;
  const Subreaper subreaper;
  const std::vector<pid_t> before = children_of_ours();
  const Clock::time_point begin = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw Error(fmt::format("[run] cannot start {}: {}", words.front(), std::strerror(errno)));
  if (child == 0) {
    become(argv.data(), ::fileno(file.get()), out.write.number(), err.write.number(), report.write.number(),
           limits.memory);
  }
  ::setpgid(child, child);  // whichever of the two is first
  out.write.close();
  err.write.close();
  report.write.close();
  LimitedResult result;
  int status = 0;
  if (const int error = error_of_exec(report.read); error != 0) {
    ::waitpid(child, &status, 0);
    result.end = error == ENOENT ? ProgramEnd::not_found : ProgramEnd::not_run;
    result.reason = std::strerror(error);
    return result;
  }
  // It stays a zombie until its group is killed: nobody else can have that number by then.
  const auto ended = [&] {
    siginfo_t info = {};
    const int failed = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    return failed != 0 || info.si_pid == child;
  };
  result.end = collect(out.read, err.read, limits, stop, begin, result, ended);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  ::kill(-child, SIGKILL);
  kill_those_left(child, before);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill_those_left(child, before);  // whom the child's end left to us
  if (result.end == ProgramEnd::exited) judge(status, result);
  return result;
}

}  // namespace fovea::command
