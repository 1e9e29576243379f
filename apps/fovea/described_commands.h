// Every command with its options, for texts about all of them: the manual page, completions.
#pragma once

#include <memory>
#include <vector>

#include "command.h"

namespace fovea::command {

struct DescribedCommand {
  std::unique_ptr<Command> command;  // the options write to it
  OptionList options;
};

struct DescribedProgram {
  std::vector<DescribedCommand> commands;
  OptionList global;  // without --help and --version; only to be read
};

DescribedProgram described_program(CommandFactory all);

// "-o,--output" as {"-o", "--output"}.
std::vector<std::string> names_of(const Option& option);

// What the shell reads: completions for all commands, options and the values that are known.
std::string bash_completion(const DescribedProgram& program);
std::string zsh_completion(const DescribedProgram& program, Language language);

// A page for man(1), in the macros of man(7).
std::string manual_page(const DescribedProgram& program, Language language);

}  // namespace fovea::command
