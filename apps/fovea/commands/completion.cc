// fovea completion, fovea man: texts about all commands.
#include <fmt/core.h>

#include "described_commands.h"

namespace fovea::command {
namespace {

class CompletionCommand final : public Command {
 public:
  explicit CompletionCommand(CommandFactory all) : all_(all) {}
  std::string name() const override { return "completion"; }
  Message summary() const override { return tr("print the completions for a shell"); }
  Message description() const override {
    return tr(
        "make install puts them where bash and zsh look for them. For the current session: "
        "source <(fovea completion bash)");
  }
  std::vector<HelpExample> examples() const override {
    return {{"fovea completion bash > ~/.local/share/bash-completion/completions/fovea", tr("for bash")},
            {"fovea completion zsh > ~/.zsh/functions/_fovea", tr("for zsh: a folder of its fpath")}};
  }
  void declare(OptionList& options) override {
    options.positional_texts("SHELL", 1, 1, shell_, tr("bash or zsh"));
    options.suggest({"bash", "zsh"});
  }
  void run(const Context& context) override {
    const std::string& shell = shell_.front();
    if (shell != "bash" && shell != "zsh") {
      throw UsageError(fmt::format("SHELL: got \"{}\", expected bash or zsh", one_line(shell)));
    }
    const DescribedProgram program = described_program(all_);
    context.print(shell == "bash" ? bash_completion(program) : zsh_completion(program, context.language));
  }

 private:
  CommandFactory all_;
  std::vector<std::string> shell_;
};

class ManCommand final : public Command {
 public:
  explicit ManCommand(CommandFactory all) : all_(all) {}
  std::string name() const override { return "man"; }
  Message summary() const override { return tr("print the manual page"); }
  std::vector<HelpExample> examples() const override {
    return {{"fovea man | man -l -", tr("read it without installing it")}};
  }
  void declare(OptionList&) override {}
  void run(const Context& context) override {
    context.print(manual_page(described_program(all_), context.language));
  }

 private:
  CommandFactory all_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command(CommandFactory all) {
  return std::make_unique<CompletionCommand>(all);
}
std::unique_ptr<Command> make_man_command(CommandFactory all) { return std::make_unique<ManCommand>(all); }

}  // namespace fovea::command
