#include <fmt/format.h>

#include "core/number_text.h"
#include "core/utf8.h"
#include "explain/headings.h"
#include "fovea/explain.h"

namespace fovea {
namespace {

// Text that Markdown shows as it is, in a table cell too.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

std::string table(const Step& step, int digits) {
  const Matrix& m = step.matrix;
  const NumberFormat format = choose_format(m.values(), digits);
  const bool named = !step.row_labels.empty();
  std::string head = named ? "| |" : "|", rule = named ? "|---|" : "|";
  for (Index j = 0; j < m.columns(); ++j) {
    if (!step.column_labels.empty()) head += ' ' + escaped(step.column_labels[static_cast<std::size_t>(j)]);
    head += " |";
    rule += "---:|";
  }
  std::string text = head + '\n' + rule + '\n';
  for (Index i = 0; i < m.rows(); ++i) {
    text += named ? fmt::format("| **{}** |", escaped(step.row_labels[static_cast<std::size_t>(i)])) : "|";
    for (Index j = 0; j < m.columns(); ++j) text += ' ' + format_number(m(i, j), format) + " |";
    text += '\n';
  }
  return text;
}

}  // namespace

std::string to_markdown(const Account& account, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  std::string text = fmt::format("# {}\n\n{}. {}\n", escaped(account.title.in(options.language)),
                                 summary_of(account, options.language), orientation(options.language));
  std::size_t number = 0;
  for (const Step& step : account.steps) {
    const std::string head = step.head < 0 ? ""
                             : chinese     ? fmt::format("第 {} 个头：", step.head + 1)
                                           : fmt::format("Head {}: ", step.head + 1);
    text += fmt::format("\n## {}. {}{}\n\n`{}`, {}\n\n{}\n{}\n", ++number, head,
                        step.title.in(options.language), step.formula, step.matrix.shape_text(),
                        table(step, options.digits), escaped(step.sentence.in(options.language)));
  }
  for (const Text& note : account.notes) {
    text += fmt::format("\n> {}{}\n", note_mark(options.language), escaped(note.in(options.language)));
  }
  return text;
}

}  // namespace fovea
