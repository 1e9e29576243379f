// man fovea, from the same declarations as the help.
#include <fmt/core.h>

#include "described_commands.h"
#include "fovea/version.h"

namespace fovea::command {
namespace {

constexpr const char* kDate = "2026-11-17";  // of these texts

// A line of text: what roff would take for its own is escaped.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\n') {
      result += ' ';
    } else {
      result += c;
    }
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

struct Page {
  Language language;
  std::string text;

  std::string say(const Message& message) const { return message.in(language); }
  void line(const std::string& line) { text += line + "\n"; }
  void section(const Message& title) { line(".SH " + say(title)); }
  void paragraph(const std::string& words) {
    line(".PP");
    line(roff(words));
  }
  // A tag and what it means, indented below it.
  void entry(const std::string& tag, const std::string& meaning) {
    line(".TP");
    line(tag);
    line(roff(meaning));
  }
  void options(const OptionList& list) {
    for (const Option& option : list.options()) {
      std::string tag;
      for (const std::string& name : names_of(option)) {
        tag += (tag.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
      }
      if (!option.value.empty()) tag += " \\fI" + roff(option.value) + "\\fR";
      entry(tag, say(option.help));
    }
  }
  void command(const DescribedCommand& each) {
    line(".SS fovea " + each.command->name());
    line(roff(say(each.command->summary())));
    const std::string description = say(each.command->description());
    if (!description.empty()) paragraph(description);
    const Positionals& positionals = each.options.positionals();
    if (!positionals.name.empty()) {
      const std::string dots = positionals.max > 1 ? "..." : "";
      entry("\\fI" + roff(positionals.name) + dots + "\\fR", say(positionals.help));
    }
    options(each.options);
    for (const HelpExample& example : each.command->examples()) {
      line(".PP");
      line(roff(say(example.what)) + ":");
      line(".RS 4");
      line(".nf");
      line(roff(example.line));
      line(".fi");
      line(".RE");
    }
  }
};

}  // namespace

std::string manual_page(const DescribedProgram& program, Language language) {
  Page page{language, ""};
  const std::string what = page.say(tr("attention in C++: exact, fast, explained"));
  page.line(
      fmt::format(".TH FOVEA 1 {} \"fovea {}\" \"{}\"", kDate, version(), page.say(tr("User Commands"))));
  page.section(tr("NAME"));
  page.line("fovea \\- " + roff(what));
  page.section(tr("SYNOPSIS"));
  page.line(".B fovea");
  page.line("[\\fICOMMAND\\fR] [\\fIoptions\\fR]");
  page.section(tr("DESCRIPTION"));
  page.line(roff(page.say(
      tr("fovea computes attention exactly, runs published models, shows what every head looks at, and "
         "explains each step. Without a command it explains a worked example."))));
  page.section(tr("OPTIONS FOR EVERY COMMAND"));
  page.options(program.global);
  page.entry("\\fB\\-h\\fR, \\fB\\-\\-help\\fR", page.say(tr("show this help")));
  page.entry("\\fB\\-\\-version\\fR", page.say(tr("show the version")));
  page.section(tr("COMMANDS"));
  for (const DescribedCommand& each : program.commands) page.command(each);
  page.section(tr("EXIT STATUS"));
  page.entry("0", page.say(tr("done")));
  page.entry("1", page.say(tr("failure: mismatched shapes, a file that cannot be read, an unknown word")));
  page.entry("2", page.say(tr("invalid command line")));
  page.entry("130", page.say(tr("stopped by Ctrl-C")));
  page.section(tr("ENVIRONMENT"));
  page.entry("OMP_NUM_THREADS", page.say(tr("number of threads, unless --threads is given")));
  page.entry("FOVEA_ISA", page.say(tr("instruction set, unless --isa is given")));
  page.entry("FOVEA_VERBOSE", page.say(tr("1: report shapes, path and time of every computation")));
  page.entry("NO_COLOR", page.say(tr("if set: no colours")));
  page.entry("XDG_CACHE_HOME", page.say(tr("downloaded models are kept below it; default: ~/.cache")));
  return page.text;
}

}  // namespace fovea::command
