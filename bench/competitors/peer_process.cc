#include "competitors/peer_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/fail.h"

namespace fovea::bench {
namespace {

int memory_file(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) fail("[bench] cannot make a file in memory: {}", std::strerror(errno));
  return file;
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) fail("[bench] cannot make a pipe: {}", std::strerror(errno));
  }
};

// The last line that is not empty.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\r\n ");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

PeerProcess::PeerProcess(std::vector<std::string> command, int threads,
                         const std::vector<std::string>& more)
    : name_(std::filesystem::path(command.front()).filename()),
      file_(memory_file("fovea-bench")),
      errors_(memory_file("fovea-bench-errors")) {
  Pipe commands, answers;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, commands.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, file_, file_);  // inherited by this child only
  command.insert(command.end(), {std::to_string(file_), std::to_string(threads)});
  command.insert(command.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error =
      posix_spawnp(&child_, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(commands.ends[0]);
  close(answers.ends[1]);
  to_ = fdopen(commands.ends[1], "w");
  from_ = fdopen(answers.ends[0], "r");
  if (error != 0) {
    child_ = -1;
    const std::string reason = std::strerror(error);
    std::fclose(to_), std::fclose(from_), close(file_), close(errors_);  // no destructor runs
    fail("cannot start {}: {}", command.front(), reason);
  }
}

PeerProcess::~PeerProcess() {
  std::fclose(to_);  // the end of its input is the end of its work
  std::fclose(from_);
  close(file_);
  close(errors_);
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

PeerProcess::Words PeerProcess::answer() {
  char* line = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = getline(&line, &capacity, from_);
  const std::string text = length > 0 ? std::string(line, static_cast<std::size_t>(length)) : "";
  std::free(line);
  if (text.empty()) gone();
  Words words(1);
  for (const char c : text) {
    if (c == '\t') {
      words.emplace_back();
    } else if (c != '\n') {
      words.back() += c;
    }
  }
  return words;
}

PeerProcess::Words PeerProcess::ask(const std::string& command) {
  if (!how_.empty()) gone();
  // The program ignores SIGPIPE: a process that has gone is noticed here, or by its missing answer.
  if (std::fputs((command + "\n").c_str(), to_) < 0 || std::fflush(to_) != 0) gone();
  Words words = answer();
  if (words.front() == "error") fail("{}", words.size() > 1 ? words[1] : "unknown error");
  return words;
}

void PeerProcess::write(Index at, const void* data, Index bytes) const {
  for (Index done = 0; done < bytes;) {
    const ssize_t written = pwrite(file_, static_cast<const char*>(data) + done,
                                   static_cast<std::size_t>(bytes - done), at + done);
    if (written <= 0) fail("[bench] cannot hand over arrays: {}", std::strerror(errno));
    done += written;
  }
}

void PeerProcess::read(Index at, void* data, Index bytes) const {
  for (Index done = 0; done < bytes;) {
    const ssize_t got =
        pread(file_, static_cast<char*>(data) + done, static_cast<std::size_t>(bytes - done), at + done);
    if (got <= 0) fail("its result is too short");
    done += got;
  }
}

// A process that has closed its output without ending is ended: nothing can be asked of it any more.
std::string PeerProcess::how_it_ended() {
  constexpr auto kStep = std::chrono::milliseconds(10);
  constexpr int kSteps = 500;
  int status = 0, steps = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child_, &status, WNOHANG)) == 0) {
    if (++steps == kSteps) kill(child_, SIGKILL);
    std::this_thread::sleep_for(kStep);
  }
  child_ = -1;
  if (ended < 0) return "no status";
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

std::string PeerProcess::last_words() const {
  std::string said(1 << 16, '\0');
  const off_t size = lseek(errors_, 0, SEEK_END);
  const off_t start = size > static_cast<off_t>(said.size()) ? size - static_cast<off_t>(said.size()) : 0;
  const ssize_t got = pread(errors_, said.data(), said.size(), start);
  said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return last_line(said);
}

void PeerProcess::gone() {
  if (how_.empty()) how_ = how_it_ended();
  const std::string last = last_words();
  throw PeerDied("the process of " + name_ + " died: " + how_ + (last.empty() ? "" : ": ") + last, how_);
}

}  // namespace fovea::bench
