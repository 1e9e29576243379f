// The command `fovea`: chooses the subcommand and turns what happens into an exit code.
#include <exception>
#include <new>

#include "command_line.h"
#include "end_signal.h"
#include "fovea/error.h"
#include "fovea/instruction_set.h"
#include "fovea/threads.h"
#include "texts/catalogue.h"

namespace fovea::command {
namespace {

constexpr int kDone = 0, kFailed = 1, kUsage = 2;
constexpr int kStopped = 130;  // by Ctrl-C, as a shell tells it

// However long a name in a file is, its message can be read.
int complain(std::string message, int code) {
  constexpr std::size_t kLongest = 4000;
  if (message.size() > kLongest) {
    std::size_t end = kLongest;  // not within a character
    while (end > kLongest - 4 && (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80) --end;
    message = message.substr(0, end) + "…";
  }
  print_message("fovea: " + message);
  return code;
}

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_explain_command());  // the first is the one that runs if none is named
  commands.push_back(make_demo_command());
  commands.push_back(make_learn_command());
  commands.push_back(make_mask_command());
  commands.push_back(make_plot_command());
  commands.push_back(make_analyze_command());
  commands.push_back(make_attend_command());
  commands.push_back(make_tokens_command());
  commands.push_back(make_model_command());
  commands.push_back(make_generate_command());
  commands.push_back(make_predict_command());
  commands.push_back(make_whatif_command());
  commands.push_back(make_sweep_command());
  commands.push_back(make_translate_command());
  commands.push_back(make_align_command());
  commands.push_back(make_train_command());
  commands.push_back(make_corpus_command());
  commands.push_back(make_study_command());
  commands.push_back(make_serve_command());
  commands.push_back(make_view_command());
  commands.push_back(make_bench_command());
  commands.push_back(make_info_command());
  commands.push_back(make_man_command(all_commands));
  commands.push_back(make_completion_command(all_commands));
  return commands;
}

Context context_of(const GlobalOptions& global, Output& out) {
  Language language = language_of_environment();
  for (const SpokenLanguage& spoken : spoken_languages()) {
    if (global.language == spoken.code) language = spoken.language;
  }
  const Color color = global.color == "always"  ? Color::always
                      : global.color == "never" ? Color::never
                                                : Color::automatic;
  if (global.threads) set_thread_count(static_cast<int>(*global.threads));
  if (global.instruction_set) {
    try {
      force_instruction_set(*global.instruction_set);
    } catch (const Error& error) {
      throw UsageError(std::string("--isa: ") + error.what());
    }
  }
  const int width = global.width ? static_cast<int>(*global.width) : output_width();
  return {language, use_color(color), width, out};
}

int run(const std::vector<std::string>& arguments) {
  const std::vector<std::unique_ptr<Command>> commands = all_commands();
  GlobalOptions global;
  Output out;
  const Request request = parse_command_line(arguments, commands, global);
  int code = kDone;
  if (!request.text.empty()) {
    out.print(request.text);
  } else {
    Command* command = request.command == nullptr ? commands.front().get() : request.command;
    command->run(context_of(global, out));
    code = command->exit_code();
  }
  out.flush();
  return code;
}

int exit_code_of(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const ReaderGone&) {
    return kDone;
  } catch (const UsageError& error) {
    return complain(error.what(), kUsage);
  } catch (const Stopped&) {
    return complain("stopped", kStopped);
  } catch (const Error& error) {
    return complain(error.what(), kFailed);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace
}  // namespace fovea::command

int main(int count, char** values) {
  fovea::command::remove_files_on_signals();
  fovea::command::prepare_standard_streams();
  return fovea::command::exit_code_of({values + 1, values + count});
}
