// Completions for bash and zsh, from the same declarations as the help.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "described_commands.h"

namespace fovea::command {
namespace {

bool takes_value(const Option& option) {  // "[NAME]" may be left out: the next word may be anything
  return !option.value.empty() && !option.value.starts_with('[');
}

// The words of an option list: all names, then those of every command.
std::string option_words(const OptionList& own, const OptionList& global) {
  std::string words;
  for (const OptionList* list : {&own, &global}) {
    for (const Option& option : list->options()) {
      for (const std::string& name : names_of(option)) words += name + " ";
    }
  }
  return words + "-h --help --version";
}

// What follows an option, as branches of `case $command:$previous`.
std::string bash_values(const std::string& command, const OptionList& list) {
  std::string text;
  for (const Option& option : list.options()) {
    if (!takes_value(option)) continue;
    std::string pattern;
    for (const std::string& name : names_of(option)) {
      pattern += fmt::format("{}{}:{}", pattern.empty() ? "" : "|", command, name);
    }
    const std::string words = fmt::format("{}", fmt::join(option.words, " "));
    text += fmt::format("    {}) _fovea_words \"{}\"; {}return ;;\n", pattern, words,
                        option.file ? "_fovea_files; " : "");
  }
  return text;
}

std::string escaped_for_zsh(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

// How zsh completes a value: given words, files, both, or nothing.
std::string zsh_action(const std::vector<std::string>& words, bool file) {
  const std::string list = fmt::format("({})", fmt::join(words, " "));
  if (words.empty()) return file ? "_files" : " ";
  return file ? fmt::format("{{_alternative \"names\\:name\\:{}\" \"files\\:file\\:_files\"}}", list)
              : list;
}

std::string zsh_options(const OptionList& list, Language language) {
  std::string text;
  for (const Option& option : list.options()) {
    for (const std::string& name : names_of(option)) {
      text += fmt::format("    '{}[{}]", name, escaped_for_zsh(option.help.in(language)));
      if (!option.value.empty()) {
        const bool optional = option.value.starts_with('[');
        const bool choices = !option.words.empty() && !option.file;
        text +=
            fmt::format("{}{}:{}", optional ? "::" : ":", choices ? "value" : escaped_for_zsh(option.value),
                        zsh_action(option.words, option.file));
      }
      text += "' \\\n";
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(const DescribedProgram& program) {
  std::vector<std::string> names;
  for (const DescribedCommand& each : program.commands) names.push_back(each.command->name());
  std::string values, lists;
  for (const DescribedCommand& each : program.commands) {
    values += bash_values(each.command->name(), each.options);
    const Positionals& positionals = each.options.positionals();
    lists += fmt::format("    {}) options=\"{}\"; words=\"{}\"; files={} ;;\n", each.command->name(),
                         option_words(each.options, program.global), fmt::join(positionals.words, " "),
                         positionals.file ? "yes" : "no");
  }
  values += bash_values("*", program.global);
  return fmt::format(R"(# bash completion for fovea, printed by `fovea completion bash`
_fovea_words() {{  # adds those that begin as the current word does
  local word
  for word in $1; do [[ $word != "$current"* ]] || COMPREPLY+=("$word"); done
}}
_fovea_files() {{
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$current")
}}
_fovea() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command="" word
  local options="{0}" words="{1}" files=no
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {2}) command=$word; break ;; esac
  done
  COMPREPLY=()
  case $command:$previous in
{3}  esac
  case $command in
{4}  esac
  if [[ $current == -* ]]; then
    _fovea_words "$options"
    return
  fi
  _fovea_words "$words"
  if [[ $files == yes ]]; then _fovea_files; fi
}}
complete -F _fovea fovea
)",
                     option_words({}, program.global), fmt::join(names, " "), fmt::join(names, "|"), values,
                     lists);
}

std::string zsh_completion(const DescribedProgram& program, Language language) {
  std::string commands, branches;
  const std::string global = zsh_options(program.global, language) + "    '(-)'{-h,--help}'[" +
                             escaped_for_zsh(tr("show this help").in(language)) + "]' \\\n";
  for (const DescribedCommand& each : program.commands) {
    commands += fmt::format("    '{}:{}'\n", each.command->name(),
                            escaped_for_zsh(each.command->summary().in(language)));
    const Positionals& positionals = each.options.positionals();
    std::string arguments;
    if (!positionals.name.empty()) {
      arguments = fmt::format("    '*:{}:{}'", escaped_for_zsh(positionals.name),
                              zsh_action(positionals.words, positionals.file));
    }
    branches += fmt::format("  {}) _arguments -s \\\n{}{}{} ;;\n", each.command->name(),
                            zsh_options(each.options, language), global, arguments);
  }
  return fmt::format(R"(#compdef fovea
# zsh completion for fovea, printed by `fovea completion zsh`
_fovea() {{
  local -a commands=(
{0}  )
  local state line
  typeset -A opt_args
  _arguments -C -s \
{1}    '(-)--version[{2}]' \
    '1:command:->command' '*::argument:->argument'
  [[ $state == command ]] && _describe -t commands command commands
  [[ $state == argument ]] || return
  case $line[1] in
{3}  esac
}}
if [[ $funcstack[1] == _fovea ]]; then _fovea "$@"; else compdef _fovea fovea; fi
)",
                     commands, global, escaped_for_zsh(tr("show the version").in(language)), branches);
}

}  // namespace fovea::command
