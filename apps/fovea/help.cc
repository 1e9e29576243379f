#include "help.h"

#include <fmt/core.h>

#include <algorithm>

#include "fovea/render.h"
#include "fovea/version.h"

namespace fovea::command {
namespace {

// Two columns: what is typed, what it does.
struct Entry {
  std::string left;
  std::string right;
};

std::string table(const std::vector<Entry>& entries, int width) {
  const int max_left = std::min(30, width / 3);  // longer ones have a line of their own
  int left = 0;
  for (const Entry& entry : entries) left = std::max(left, std::min(max_left, display_width(entry.left)));
  std::string text;
  for (const Entry& entry : entries) {
    const int column = left + 4;
    std::string line = fmt::format("  {}", entry.left);
    if (display_width(entry.left) > left) {
      text += line + "\n";
      line.clear();
    }
    text += pad_right(line, column) + wrapped(entry.right, width, column, column) + "\n";
  }
  return text;
}

std::string option_left(const Option& option) {
  std::string left;
  for (const char c : option.names) {
    left += c;
    if (c == ',') left += ' ';
  }
  return option.value.empty() ? left : fmt::format("{} {}", left, option.value);
}

std::vector<Entry> option_entries(const OptionList& list, Language language) {
  std::vector<Entry> entries;
  if (!list.positionals().name.empty()) {
    entries.push_back({list.positionals().name, list.positionals().help.in(language)});
  }
  for (const Option& option : list.options())
    entries.push_back({option_left(option), option.help.in(language)});
  return entries;
}

std::vector<Entry> global_entries(const OptionList& global, Language language) {
  std::vector<Entry> entries = option_entries(global, language);
  entries.push_back({"-h, --help", tr("show this help").in(language)});
  entries.push_back({"--version", tr("show the version").in(language)});
  return entries;
}

// A command line, cut at its spaces; what stands in quotes stays whole.
std::vector<std::string> words_of_command(const std::string& line) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (const char c : line) {
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
    if (c == ' ' && quote == '\0') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// A command line that begins at column 2, continued with "\\" where it is too long.
std::string command_text(const std::string& line, int width) {
  std::string text;
  int column = 2;
  for (const std::string& word : words_of_command(line)) {
    const int size = display_width(word);
    if (!text.empty() && column + 1 + size > width - 2) {  // 2: of " \\"
      text += " \\\n      ";
      column = 6;
    } else if (!text.empty()) {
      text += ' ';
      ++column;
    }
    text += word;
    column += size;
  }
  return text;
}

std::string examples_text(const std::vector<HelpExample>& examples, Language language, int width) {
  std::string text = tr("Examples").in(language) + "\n";
  for (const HelpExample& example : examples) {
    text += fmt::format("  {}\n      {}\n", command_text(example.line, width),
                        wrapped(example.what.in(language), width, 6, 6));
  }
  return text;
}

std::string exit_codes(Language language, int width) {
  return tr("Exit codes").in(language) + "\n" +
         table(
             {{"0", tr("done").in(language)},
              {"1",
               tr("failure: mismatched shapes, a file that cannot be read, an unknown word").in(language)},
              {"2", tr("invalid command line").in(language)}},
             width);
}

std::string usage_of(const Command& command, const OptionList& own) {
  std::string usage = fmt::format("fovea {}", command.name());
  const Positionals& positionals = own.positionals();
  if (!positionals.name.empty()) {
    const std::string dots = positionals.max > 1 ? "..." : "";
    usage += positionals.min == 0 ? fmt::format(" [{}{}]", positionals.name, dots)
                                  : fmt::format(" {}{}", positionals.name, dots);
  }
  for (const Option& option : own.options()) {
    if (option.required)
      usage += fmt::format(" {} {}", option.names.substr(0, option.names.find(',')), option.value);
  }
  return usage;
}

}  // namespace

std::string help_of_program(const std::vector<std::unique_ptr<Command>>& commands, const OptionList& global,
                            Language language, int width) {
  std::vector<Entry> entries;
  for (const auto& command : commands)
    entries.push_back({command->name(), command->summary().in(language)});
  const std::vector<HelpExample> examples = {
      {"fovea", tr("explains \"I love AI\" step by step, every matrix printed")},
      {"fovea demo all", tr("all worked examples of attention")},
      {"fovea mask 'causal & window(2)' --n 8", tr("prints a mask")},
      {"fovea attend q.npy k.npy v.npy --mask causal -o out.npz", tr("computes attention from files")}};
  const std::string title =
      fmt::format("fovea {} — {}", version(), tr("attention in C++: exact, fast, explained").in(language));
  return fmt::format("{}\n\n{}\n\n{}\n{}\n{}\n{}\n{}\n{}", wrapped(title, width, 2),
                     tr("Usage: fovea [COMMAND] [options]").in(language),
                     wrapped(tr("Commands (see fovea COMMAND --help)").in(language), width),
                     table(entries, width), tr("Options for every command").in(language),
                     table(global_entries(global, language), width),
                     examples_text(examples, language, width), exit_codes(language, width));
}

std::string help_of_command(const Command& command, const OptionList& own, const OptionList& global,
                            Language language, int width) {
  std::string description = command.description().in(language);
  if (!description.empty()) description = fmt::format("\n{}\n", wrapped(description, width));
  const std::string title = fmt::format("fovea {} — {}", command.name(), command.summary().in(language));
  const std::string usage = tr("Usage: {0} [options]", usage_of(command, own)).in(language);
  return fmt::format(
      "{}\n\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", wrapped(title, width, 2), wrapped(usage, width, 4),
      description, tr("Options").in(language), table(option_entries(own, language), width),
      examples_text(command.examples(), language, width), tr("Options for every command").in(language),
      table(global_entries(global, language), width), exit_codes(language, width));
}

}  // namespace fovea::command
