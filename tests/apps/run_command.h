// Runs the built command and collects what it says.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/temporary_directory.h"

namespace fovea {

struct CommandResult {
  int exit_code = -1;  // −1: did not end by itself
  std::string out;
  std::string err;
};

inline const char* const kClosed = "closed";  // a stream that is not there, as after 2>&-

// The environment: that of the test, in the C locale, with `settings` ("LANG=zh_CN.UTF-8") added. Standard
// output goes to a file, or to `stdout_path`; standard error likewise, or nowhere (kClosed).
inline CommandResult run_fovea(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& settings = {}, std::string stdout_path = "",
                               std::string stderr_path = "") {
  const TemporaryDirectory directory;
  const bool own_output = stdout_path.empty();
  if (own_output) stdout_path = directory.file("out");
  if (stderr_path.empty()) stderr_path = directory.file("err");
  std::vector<std::string> words = {FOVEA_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = settings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (text.starts_with("LC_") || text.starts_with("LANG") || text.starts_with("NO_COLOR=")) continue;
    variables.push_back(text);
  }
  std::vector<char*> argv, environment;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : variables) environment.push_back(variable.data());
  argv.push_back(nullptr);
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, stdout_path.c_str(), O_WRONLY | O_CREAT, 0600);
  if (stderr_path == kClosed) {
    posix_spawn_file_actions_addclose(&actions, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, stderr_path.c_str(), O_WRONLY | O_CREAT,
                                     0600);
  }
  pid_t child = 0;
  const int error = posix_spawn(&child, FOVEA_COMMAND, &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  CommandResult result;
  if (error != 0) {
    ADD_FAILURE() << "cannot start " << FOVEA_COMMAND;
    return result;
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (own_output) result.out = text_of(stdout_path);
  result.err = text_of(directory.file("err"));
  return result;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace fovea
