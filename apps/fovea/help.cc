#include "help.h"

#include <fmt/core.h>

#include <algorithm>

#include "fovea/render.h"
#include "fovea/version.h"
#include "output/layout.h"

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
  entries.push_back({"-h, --help", Text{"this text", "显示本说明"}.in(language)});
  entries.push_back({"--version", Text{"the version", "显示版本"}.in(language)});
  return entries;
}

// A command line, continued with "\\" where it is too long; never inside quotes.
std::string command_text(const std::string& line, int width) {
  constexpr std::string_view kHardSpace = "\u00a0";
  std::string text;
  char quote = '\0';
  for (const char c : line) {
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
    if (c == ' ' && quote != '\0') {
      text += kHardSpace;
    } else {
      text += c;
    }
  }
  text = wrapped(text, width - 2, 6, 2);  // 2: of " \\"
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, kHardSpace.size(), kHardSpace) == 0) {
      result += ' ';
      at += kHardSpace.size();
      continue;
    }
    if (text[at] == '\n') result += " \\";
    result += text[at++];
  }
  return result;
}

std::string examples_text(const std::vector<HelpExample>& examples, Language language, int width) {
  std::string text = Text{"Examples\n", "示例\n"}.in(language);
  for (const HelpExample& example : examples) {
    text += fmt::format("  {}\n      {}\n", command_text(example.line, width),
                        wrapped(example.what.in(language), width, 6, 6));
  }
  return text;
}

std::string exit_codes(Language language, int width) {
  return Text{"Exit codes\n", "退出码\n"}.in(language) +
         table({{"0", Text{"done", "成功"}.in(language)},
                {"1", Text{"the work failed: shapes that do not fit, a file, an unknown word",
                           "执行失败：形状不符、文件问题、未知词语"}
                          .in(language)},
                {"2", Text{"the command line was not understood", "命令行有误"}.in(language)}},
               width);
}

std::string usage_of(const Command& command, const OptionList& own, Language language) {
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
  return usage + Text{" [options]", " [选项]"}.in(language);
}

}  // namespace

std::string help_of_program(const std::vector<std::unique_ptr<Command>>& commands, const OptionList& global,
                            Language language, int width) {
  const auto say = [&](const char* en, const char* zh) { return Text{en, zh}.in(language); };
  std::vector<Entry> entries;
  for (const auto& command : commands)
    entries.push_back({command->name(), command->summary().in(language)});
  const std::vector<HelpExample> examples = {
      {"fovea",
       {"explains \"I love AI\" step by step, every matrix printed",
        "逐步讲解 “I love AI”，打印每一个矩阵"}},
      {"fovea demo all",
       {"the worked examples of attention, one after the other", "依次演示全部注意力示例"}},
      {"fovea mask 'causal & window(2)' --n 8", {"the picture of a mask", "画出一个掩码"}},
      {"fovea attend q.npy k.npy v.npy --mask causal -o out.npz",
       {"computes attention from files", "对文件中的 Q、K、V 计算注意力"}}};
  const std::string title =
      fmt::format("fovea {} — {}", version(),
                  say("attention in C++: exact, fast, explained", "C++ 注意力机制：精确、快速、讲得清楚"));
  return fmt::format(
      "{}\n\n{}\n\n{}\n{}\n{}\n{}\n{}\n{}", wrapped(title, width, 2),
      say("Usage: fovea [COMMAND] [options]", "用法：fovea [命令] [选项]"),
      wrapped(say("Commands (fovea COMMAND --help says more)", "命令（fovea 命令 --help 查看详情）"),
              width),
      table(entries, width), say("Options of every command", "通用选项"),
      table(global_entries(global, language), width), examples_text(examples, language, width),
      exit_codes(language, width));
}

std::string help_of_command(const Command& command, const OptionList& own, const OptionList& global,
                            Language language, int width) {
  const auto say = [&](const char* en, const char* zh) { return Text{en, zh}.in(language); };
  std::string description = command.description().in(language);
  if (!description.empty()) description = fmt::format("\n{}\n", wrapped(description, width));
  const std::string title = fmt::format("fovea {} — {}", command.name(), command.summary().in(language));
  const std::string usage = say("Usage: ", "用法：") + usage_of(command, own, language);
  return fmt::format(
      "{}\n\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", wrapped(title, width, 2), wrapped(usage, width, 4),
      description, say("Options", "选项"), table(option_entries(own, language), width),
      examples_text(command.examples(), language, width), say("Options of every command", "通用选项"),
      table(global_entries(global, language), width), exit_codes(language, width));
}

}  // namespace fovea::command
