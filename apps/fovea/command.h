// A subcommand: its options, its help, its work.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/language.h"
#include "fovea/render.h"
#include "options.h"
#include "output/output.h"
#include "texts/message.h"

namespace fovea::command {

// Nothing else has a translation; in particular no {"english", "chinese"} in the middle of the code.
template <class T>
concept Sayable = std::same_as<T, Message> || std::same_as<T, Text>;

// What the options of every command settled, and where the result goes.
struct Context {
  Language language = Language::english;
  bool color = false;
  int width = 100;
  Output& out;

  RenderOptions render(int digits = 4) const { return {language, color, digits, width}; }
  int text_width() const { return std::min(width, 84); }  // of prose and rules, as in the accounts

  // A text of the command, or one of the library.
  template <Sayable T>
  std::string say(const T& text) const {
    return text.in(language);
  }

  void print(std::string_view text) const { out.print(text); }
  void line(std::string_view text) const;
  void line() const { out.gap(); }          // an empty one, if something follows
  void block(std::string_view text) const;  // lines of the library, followed by one empty line
  // A name, and from `column` on its value, wrapped there.
  void entry(std::string_view name, std::string_view value, int column) const;
  template <Sayable T>
  void heading(const T& title) const {  // a ruled title, before a part of the output
    print_heading(say(title));
  }
  template <Sayable T>
  void subheading(const T& title) const {  // one step below
    print_subheading(say(title));
  }
  template <Sayable T>
  void paragraph(const T& text) const {  // wrapped to the width, followed by an empty line
    print_paragraph(say(text));
  }

 private:
  void print_heading(const std::string& title) const;
  void print_subheading(const std::string& title) const;
  void print_paragraph(const std::string& text) const;
};

struct HelpExample {
  std::string line;  // "fovea mask 'causal & window(2)'"
  Message what;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  virtual Message summary() const = 0;  // one line, for the list of commands
  virtual Message description() const { return {}; }
  virtual std::vector<HelpExample> examples() const = 0;
  virtual void declare(OptionList& options) = 0;
  virtual void run(const Context& context) = 0;  // throws Error (exit 1) or UsageError (exit 2)
  virtual int exit_code() const { return 0; }    // of a run that did not throw: a wrong answer is no Error
};

std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_demo_command();
std::unique_ptr<Command> make_mask_command();
std::unique_ptr<Command> make_analyze_command();
std::unique_ptr<Command> make_attend_command();
std::unique_ptr<Command> make_plot_command();
std::unique_ptr<Command> make_tokens_command();
std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_model_command();
std::unique_ptr<Command> make_generate_command();
std::unique_ptr<Command> make_predict_command();
std::unique_ptr<Command> make_whatif_command();
std::unique_ptr<Command> make_sweep_command();
std::unique_ptr<Command> make_translate_command();
std::unique_ptr<Command> make_align_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_view_command();
std::unique_ptr<Command> make_bench_command();
std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_learn_command();
std::unique_ptr<Command> make_corpus_command();
std::unique_ptr<Command> make_study_command();
// Both describe the commands that `all` makes: these themselves, too.
using CommandFactory = std::vector<std::unique_ptr<Command>> (*)();
std::unique_ptr<Command> make_completion_command(CommandFactory all);
std::unique_ptr<Command> make_man_command(CommandFactory all);

}  // namespace fovea::command
