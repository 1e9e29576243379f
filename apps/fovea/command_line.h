// From argv to a command that is ready to run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace fovea::command {

// The options of every command. They may stand before or after the subcommand's name.
struct GlobalOptions {
  std::string language;  // "en", "zh"; default: from the environment
  std::string color = "auto";
  std::optional<Index> threads;
  std::optional<std::string> instruction_set;
  std::optional<Index> width;

  void declare(OptionList& options);
};

// LC_ALL, LC_MESSAGES, LANG, the first that is set; English if nobody speaks that language here.
Language language_of_environment();

// What the command line asked for: a command to run, or a text to print (--help, --version).
struct Request {
  Command* command = nullptr;
  std::string text;
};

// Fills `global` and the targets of the command that was named. Throws UsageError. `arguments` are those
// after the program's name. Only the file behind this function includes CLI11, which compiles slowly.
Request parse_command_line(const std::vector<std::string>& arguments,
                           const std::vector<std::unique_ptr<Command>>& commands, GlobalOptions& global);

}  // namespace fovea::command
