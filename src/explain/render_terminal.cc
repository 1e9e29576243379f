#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/number_text.h"
#include "core/text_layout.h"
#include "explain/headings.h"
#include "fovea/explain.h"

namespace fovea {
namespace {

constexpr int kIndent = 3;
constexpr int kMaxTextWidth = 84;  // longer lines of prose are hard to read

std::string indented(const std::string& block, int indent) {
  std::string result;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = block.find('\n', begin) + 1;
    result += repeat(" ", indent) + block.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

// ── 4  Queries  Q = X·W_q ─────────────────── [3, 4] ──
std::string step_heading(std::size_t number, const Step& step, const RenderOptions& options, int width) {
  const std::string& title = step.title.in(options.language);
  const std::string shape = step.matrix.shape_text();
  const std::string plain = fmt::format("── {}  {}  {} ", number, title, step.formula);
  const int fill = std::max(3, width - display_width(plain) - display_width(shape) - 4);
  return fmt::format(
      "{} {}  {}  {} {} {} {}\n", styled("──", Style::dim, options.color), number,
      styled(title, Style::bold, options.color), styled(step.formula, Style::accent, options.color),
      styled(repeat("─", fill), Style::dim, options.color), shape, styled("──", Style::dim, options.color));
}

std::string head_heading(int head, Index heads, const RenderOptions& options, int width) {
  const std::string text = options.language == Language::chinese
                               ? fmt::format("第 {} 个头（共 {} 个）", head + 1, heads)
                               : fmt::format("Head {} of {}", head + 1, heads);
  const int fill = std::max(3, width - display_width(text) - 4);
  return fmt::format("══ {} {}\n\n", styled(text, Style::bold, options.color), repeat("═", fill));
}

}  // namespace

std::string to_terminal(const Account& account, const RenderOptions& options) {
  const int width = std::max(40, std::min(options.width, kMaxTextWidth));
  const std::string& title = account.title.in(options.language);
  std::string text = styled(title, Style::bold, options.color) + '\n';
  text += styled(repeat("═", display_width(title)), Style::dim, options.color) + '\n';
  text += wrap(summary_of(account, options.language), width);
  text += wrap(orientation(options.language), width) + '\n';

  RenderOptions inner = options;
  inner.width = options.width - kIndent;
  std::size_t number = 0;
  int head = -1;
  for (const Step& step : account.steps) {
    if (step.head != head && step.head >= 0) text += head_heading(step.head, account.heads, options, width);
    if (step.head < 0 && head >= 0) text += styled(repeat("═", width), Style::dim, options.color) + "\n\n";
    head = step.head;
    text += step_heading(++number, step, options, width) + '\n';
    text += indented(
        matrix_to_terminal(step.matrix, step.row_labels, step.column_labels, inner, step.name == "weights"),
        kIndent);
    text += '\n' + wrap(step.sentence.in(options.language), width, kIndent) + '\n';
  }
  for (const Text& note : account.notes) {
    text += wrap(note_mark(options.language) + note.in(options.language), width) + '\n';
  }
  return text;
}

}  // namespace fovea
