#include "command_line.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>

#include "fovea/version.h"
#include "help.h"

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
      added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      options.push_back(added);
    }
    const Positionals& positionals = list.positionals();
    if (positionals.name.empty()) return;
    positional = app->add_option(positionals.name);
    positional->expected(std::max(1, positionals.min), positionals.max);
  }

  void apply() const {
    for (std::size_t i = 0; i < options.size(); ++i) {
      const Option& option = list.options()[i];
      if (options[i]->count() > 0) {
        option.set(option.value.empty() ? "" : options[i]->results().back());
      } else if (option.required) {
        throw UsageError(fmt::format("{} {} is missing", option.names, option.value));
      }
    }
    const Positionals& positionals = list.positionals();
    if (positional == nullptr) return;
    const int given = static_cast<int>(positional->results().size());
    if (given < positionals.min) {
      throw UsageError(fmt::format("{} is missing", positionals.name));
    }
    positionals.set(positional->results());
  }
};

// The language decides how the help is written, so it is looked up before everything is parsed.
Language language_of(const std::vector<std::string>& arguments) {
  Language language = language_of_environment();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string value;
    if (arguments[i] == "--lang" && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with("--lang=")) value = arguments[i].substr(7);
    if (value == "zh") language = Language::chinese;
    if (value == "en") language = Language::english;
  }
  return language;
}

std::string command_names(const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Language language_of_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::string_view(value).starts_with("zh") ? Language::chinese : Language::english;
  }
  return Language::english;
}

void GlobalOptions::declare(OptionList& options) {
  options.choice("--lang", {"en", "zh"}, language,
                 {"the language of the output; default: from LC_ALL, LC_MESSAGES, LANG",
                  "输出语言；默认取自 LC_ALL、LC_MESSAGES、LANG"});
  options.choice("--color", {"auto", "always", "never"}, color,
                 {"colours; auto: on a terminal, unless NO_COLOR is set",
                  "颜色；auto：仅在终端上，且未设置 NO_COLOR"});
  options.integer(
      "--width", "COLUMNS", width, 40, 1000,
      {"the longest line; default: the terminal's, at most 100", "最长行宽；默认取终端宽度，最多 100"});
  options.integer("--threads", "N", threads, 1, 4096,
                  {"threads to compute with; default: OMP_NUM_THREADS, or one per core",
                   "计算线程数；默认取 OMP_NUM_THREADS，或每核一个"});
  options.text(
      "--isa", "NAME", instruction_set,
      {"the instruction set to compute with (fovea info lists them); default: the best, or FOVEA_ISA",
       "计算所用的指令集（fovea info 会列出）；默认最好的，或 FOVEA_ISA"});
}

Request parse_command_line(const std::vector<std::string>& arguments,
                           const std::vector<std::unique_ptr<Command>>& commands, GlobalOptions& global) {
  const Language language = language_of(arguments);
  CLI::App app;
  app.set_help_flag("-h,--help");
  app.set_version_flag("--version", version());
  app.require_subcommand(0, 1);
  Parser global_parser{&app, {}, {}, nullptr};
  global.declare(global_parser.list);
  global_parser.connect();
  std::map<CLI::App*, std::pair<Command*, Parser>> parsers;
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name())->fallthrough();
    auto& [target, parser] = parsers[sub];
    target = command.get();
    parser.app = sub;
    command->declare(parser.list);
    parser.connect();
  }

  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 pops from the back
  Command* named = nullptr;
  const auto find_named = [&] {
    if (!app.get_subcommands().empty()) named = parsers[app.get_subcommands().front()].first;
  };
  const auto hint = [&] {
    return fmt::format("; see fovea {}--help", named == nullptr ? "" : named->name() + " ");
  };
  try {
    app.parse(std::move(reversed));
    find_named();
    global_parser.apply();
    if (named != nullptr) parsers[app.get_subcommands().front()].second.apply();
  } catch (const CLI::CallForHelp&) {
    find_named();
    return {nullptr, named == nullptr
                         ? help_of_program(commands, global_parser.list, language)
                         : help_of_command(*named, parsers[app.get_subcommands().front()].second.list,
                                           global_parser.list, language)};
  } catch (const CLI::CallForVersion&) {
    return {nullptr, fmt::format("fovea {}\n", version())};
  } catch (const CLI::ExtrasError& error) {
    find_named();
    const std::vector<std::string> extras = app.remaining();
    if (named == nullptr && !extras.empty() && !extras.front().starts_with('-')) {
      throw UsageError(fmt::format("there is no command \"{}\"; the commands are {}", extras.front(),
                                   command_names(commands)));
    }
    throw UsageError(error.what() + hint());
  } catch (const CLI::ParseError& error) {
    find_named();
    throw UsageError(error.what() + hint());
  } catch (const UsageError& error) {
    throw UsageError(error.what() + hint());
  }
  return {named, ""};
}

}  // namespace fovea::command
