#include "command_line.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "fovea/render.h"
#include "fovea/threads.h"
#include "fovea/version.h"
#include "help.h"
#include "texts/catalogue.h"

namespace fovea::command {
namespace {

// One command as CLI11 sees it. CLI11 collects texts; our own options check and convert them, so that
// every complaint reads alike.
struct Parser {
  CLI::App* app = nullptr;
  OptionList list;
  std::vector<CLI::Option*> options;  // one per entry of the list
  CLI::Option* positional = nullptr;

  void connect() {
    for (const Option& option : list.options()) {
      CLI::Option* added =
          option.value.empty() ? app->add_flag(option.names) : app->add_option(option.names);
      if (option.value.starts_with('[')) added->expected(0, 1);
      added->multi_option_policy(option.repeats ? CLI::MultiOptionPolicy::TakeAll
                                                : CLI::MultiOptionPolicy::TakeLast);
      options.push_back(added);
    }
    const Positionals& positionals = list.positionals();
    if (positionals.name.empty()) return;
    positional = app->add_option(positionals.name);
    positional->expected(-1);  // any number; apply() counts them
    positional->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  // CLI11 says "true" for a value that was left out.
  std::string value_of(std::size_t i) const {
    const std::string& value = list.options()[i].value;
    const std::string given = value.empty() ? "" : options[i]->results().back();
    return value.starts_with('[') && given == "true" ? "" : given;
  }

  // `rest`: what stood after "--", whatever it looks like.
  void apply(const std::vector<std::string>& rest) const {
    for (std::size_t i = 0; i < options.size(); ++i) {
      const Option& option = list.options()[i];
      if (options[i]->count() > 0 && option.repeats) {
        for (const std::string& value : options[i]->results()) option.set(value);
      } else if (options[i]->count() > 0) {
        option.set(value_of(i));
      } else if (option.required) {
        throw UsageError(fmt::format("{} {} is missing", option.names, option.value));
      }
    }
    const Positionals& positionals = list.positionals();
    if (positional == nullptr) {
      if (!rest.empty()) throw UsageError(fmt::format("got {}, which is not expected", rest.front()));
      return;
    }
    std::vector<std::string> words = positional->results();
    words.insert(words.end(), rest.begin(), rest.end());
    const int given = static_cast<int>(words.size());
    if (given < positionals.min) {
      throw UsageError(fmt::format("{} is missing", positionals.name));
    }
    if (given > positionals.max) {
      throw UsageError(
          fmt::format("{}: got {} arguments, expected {}{}; the last is \"{}\"", positionals.name, given,
                      positionals.max > positionals.min ? "at most " : "", positionals.max, words.back()));
    }
    positionals.set(words);
  }
};

// The language decides how the help is written, so it is looked up before everything is parsed.
Language language_of(const std::vector<std::string>& arguments) {
  Language language = language_of_environment();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string value;
    if (arguments[i] == "--lang" && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with("--lang=")) value = arguments[i].substr(7);
    for (const SpokenLanguage& spoken : spoken_languages()) {
      if (value == spoken.code) language = spoken.language;
    }
  }
  return language;
}

// So does the width. One that is wrong is told of later.
int help_width_of(const std::vector<std::string>& arguments) {
  int width = output_width();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string value;
    if (arguments[i] == "--width" && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with("--width=")) value = arguments[i].substr(8);
    const int columns = std::atoi(value.c_str());
    if (columns >= 40 && columns <= 1000) width = std::min(columns, 100);  // longer lines are hard to read
  }
  return width;
}

// The commands that take the option; empty if none does.
std::string commands_with(const std::string& option, const std::vector<std::unique_ptr<Command>>& commands,
                          const std::vector<Parser>& parsers) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    for (const Option& each : parsers[i].list.options()) {
      if (("," + each.names + ",").find("," + option + ",") != std::string::npos) {
        names.push_back(commands[i]->name());
      }
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> language_codes() {
  std::vector<std::string> codes;
  for (const SpokenLanguage& spoken : spoken_languages()) codes.emplace_back(spoken.code);
  return codes;
}

std::string command_names(const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

// CLI11 says "--lang: 1 required TEXT missing".
std::string in_our_words(const std::string& message) {
  const std::size_t required = message.find(": 1 required");
  return required == std::string::npos ? message : message.substr(0, required) + ": its value is missing";
}

}  // namespace

Language language_of_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    for (const SpokenLanguage& spoken : spoken_languages()) {
      if (std::string_view(value).starts_with(spoken.code)) return spoken.language;
    }
    return Language::english;
  }
  return Language::english;
}

void GlobalOptions::declare(OptionList& options) {
  options.choice("--lang", language_codes(), language,
                 tr("output language; default: from LC_ALL, LC_MESSAGES, LANG; errors are in English"));
  options.choice("--color", {"auto", "always", "never"}, color,
                 tr("when to use colour; auto: on a terminal, unless NO_COLOR is set"));
  options.integer("--width", "COLUMNS", width, 40, 1000,
                  tr("maximum line width; default: the terminal's, at most 100"));
  options.integer("--threads", "N", threads, 1, kMostThreads,
                  tr("number of threads; default: OMP_NUM_THREADS, or one per core"));
  options.text("--isa", "NAME", instruction_set,
               tr("instruction set (fovea info lists them); default: the best available, or FOVEA_ISA"));
}

Request parse_command_line(const std::vector<std::string>& arguments,
                           const std::vector<std::unique_ptr<Command>>& commands, GlobalOptions& global) {
  CLI::App app;
  Parser global_parser{&app, {}, {}, nullptr};
  app.set_help_flag("-h,--help");
  app.set_version_flag("--version", version());
  app.require_subcommand(0, 1);
  global.declare(global_parser.list);
  global_parser.connect();
  std::vector<Parser> parsers(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    parsers[i].app = app.add_subcommand(commands[i]->name())->fallthrough();
    commands[i]->declare(parsers[i].list);
    parsers[i].connect();
  }
  // The command that was named, also while the rest of the line is wrong; the number of commands if none.
  const auto named = [&] {
    std::size_t i = 0;
    while (i < parsers.size() && !parsers[i].app->parsed()) ++i;
    return i;
  };
  const Language language = language_of(arguments);
  const int width = help_width_of(arguments);
  try {
    // CLI11 would take what follows "--" from the subcommand. (It pops from the back.)
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    const std::vector<std::string> rest(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
    app.parse(std::vector<std::string>(std::make_reverse_iterator(dashes), arguments.rend()));
    global_parser.apply({});
    if (named() == commands.size()) {
      if (!rest.empty())
        throw UsageError(fmt::format("got {}, expected a command before --", rest.front()));
      return {};
    }
    parsers[named()].apply(rest);
    return {commands[named()].get(), ""};
  } catch (const CLI::CallForHelp&) {
    const std::size_t i = named();
    if (i == commands.size())
      return {nullptr, help_of_program(commands, global_parser.list, language, width)};
    return {nullptr, help_of_command(*commands[i], parsers[i].list, global_parser.list, language, width)};
  } catch (const CLI::CallForVersion&) {
    return {nullptr, fmt::format("fovea {}\n", version())};
  } catch (const std::runtime_error& error) {  // of CLI11, or our own
    const std::size_t i = named();
    const std::vector<std::string> extras = app.remaining(true);
    if (i == commands.size() && !extras.empty() && !extras.front().starts_with('-')) {
      throw UsageError(fmt::format("there is no command \"{}\"; the commands are {}", extras.front(),
                                   command_names(commands)));
    }
    std::string message = in_our_words(error.what());
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {  // CLI11 lists them from the last
      message = fmt::format("got {}, which {} not expected", listed(extras, 10, " "),
                            extras.size() == 1 ? "is" : "are");
      const std::string option = extras.front().substr(0, extras.front().find('='));
      const std::string takers = commands_with(option, commands, parsers);
      if (i == commands.size() && !takers.empty()) {
        throw UsageError(fmt::format("{} is an option of a command: fovea {} {} ..", option,
                                     takers.substr(0, takers.find(',')), listed(extras, 10, " ")));
      }
    }
    throw UsageError(fmt::format("{}; see fovea {}--help", message,
                                 i == commands.size() ? "" : commands[i]->name() + " "));
  }
}

}  // namespace fovea::command
