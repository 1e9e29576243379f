#include "described_commands.h"

#include "command_line.h"

namespace fovea::command {

DescribedProgram described_program(CommandFactory all) {
  DescribedProgram program;
  for (std::unique_ptr<Command>& command : all()) {
    DescribedCommand& added = program.commands.emplace_back();
    added.command = std::move(command);
    added.command->declare(added.options);
  }
  static GlobalOptions targets;  // the list refers to them
  targets.declare(program.global);
  return program;
}

std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names(1);
  for (const char c : option.names) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

}  // namespace fovea::command
