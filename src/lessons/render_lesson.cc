#include <fmt/format.h>

#include <algorithm>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "fovea/lessons.h"
#include "lessons/live_labels.h"

namespace fovea {
namespace {

constexpr int kLiveIndent = 3;
constexpr int kReadableWidth = 84;  // longer lines of prose are hard to read

int text_width(const RenderOptions& options) {
  return std::max(40, std::min(options.width, kReadableWidth));
}

// ── 2/5  Title ─────────
std::string step_line(std::size_t step, std::size_t steps, const std::string& title,
                      const RenderOptions& options) {
  const std::string number = fmt::format("{}/{}", step + 1, steps);
  const int fill = std::max(3, text_width(options) - display_width(number) - display_width(title) - 7);
  return fmt::format("{} {}  {} {}\n\n", styled("──", Style::dim, options.color), number,
                     styled(title, Style::bold, options.color),
                     styled(repeat("─", fill), Style::dim, options.color));
}

// Chinese has a wide colon, with no space behind it.
std::string colon_in(Language language) {
  const std::string colon = lesson_word("colon", language);
  return display_width(colon) == 1 ? colon + " " : colon;
}

// "Exercise: fovea learn softmax"
std::string labelled(const char* word, const std::string& text, const RenderOptions& options) {
  return wrap(lesson_word(word, options.language) + colon_in(options.language) + text, text_width(options));
}

// **strong** becomes bold where there are colours; the marks go in any case, and so do those of *names*.
std::string without_marks(std::string_view text, bool color) {
  std::string result;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('*'), text.size());
    result += text.substr(0, mark);
    text.remove_prefix(mark);
    const std::string_view marks = text.starts_with("**") ? "**" : "*";
    const std::size_t end = text.empty() ? text.npos : text.find(marks, marks.size());
    if (end == text.npos) break;
    const std::string_view inside = text.substr(marks.size(), end - marks.size());
    result += marks.size() == 2 ? styled(inside, Style::bold, color) : std::string(inside);
    text.remove_prefix(end + marks.size());
  }
  return result += text;
}

std::vector<std::string> lines_in(const std::string& block) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = std::min(block.find('\n', begin), block.size());
    lines.push_back(block.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Blocks of lines, as many beside each other as fit into the width, an empty line between the rows of them.
class BlockRows {
 public:
  BlockRows(int width, int indent) : width_(width), indent_(indent) {}

  void add(const std::vector<std::string>& block) {
    int width = 0;
    for (const std::string& line : block) width = std::max(width, display_width(line));
    if (used_ > 0 && used_ + kGap + width > width_ - indent_) end_row();
    const std::size_t old_lines = row_.size();
    row_.resize(std::max(old_lines, block.size()));
    const int start = used_ > 0 ? used_ + kGap : 0;
    for (std::size_t i = 0; i < block.size(); ++i) row_[i] = pad_right(row_[i], start) + block[i];
    used_ = start + width;
  }

  std::string take() {
    end_row();
    return std::move(text_);
  }

 private:
  static constexpr int kGap = 4;

  void end_row() {
    if (row_.empty()) return;
    text_ += '\n';
    for (const std::string& line : row_) text_ += repeat(" ", indent_) + line + '\n';
    row_.clear();
    used_ = 0;
  }

  int width_, indent_;
  std::vector<std::string> row_;  // the lines of the blocks so far
  int used_ = 0;                  // columns
  std::string text_;
};

std::vector<std::string> matrix_block(const LiveMatrix& matrix, const RenderOptions& options) {
  const std::string mark = matrix.editable ? fmt::format("  [{}]", matrix.name) : "";
  std::vector<std::string> block = {matrix.title + styled(mark, Style::dim, options.color)};
  for (std::string& line : lines_in(matrix_to_terminal(matrix.matrix, matrix.row_labels,
                                                       matrix.column_labels, options, matrix.weights))) {
    block.push_back(std::move(line));
  }
  return block;
}

std::string control_line(const LiveControl& control, const RenderOptions& options) {
  return wrap(fmt::format("{} = {} ({}–{}){}{}", control.name, short_number(control.value),
                          short_number(control.lowest), short_number(control.highest),
                          colon_in(options.language), control.title),
              text_width(options), kLiveIndent);
}

// The lines behind the first begin where the text of the first does.
std::string hanging(const std::string& mark, const std::string& text, int indent, int width) {
  const int inside = indent + display_width(mark) + 1;
  return repeat(" ", indent) + mark + " " + wrapped(text, width, inside, inside) + "\n";
}

std::string lettered_option(std::size_t number, const Option& option, const RenderOptions& options,
                            bool answers) {
  const std::string letter = {static_cast<char>('a' + number), ')'};
  const int width = text_width(options);
  std::string text = hanging(letter, without_marks(option.text, options.color), kLiveIndent, width);
  if (answers) text += hanging(option.right ? "✓" : "✗", option.reason, 2 * kLiveIndent, width);
  return text;
}

std::string thing_of(const LessonStep& step, const RenderOptions& options) {
  if (step.live) return to_terminal(*step.live, options);
  if (step.question) return to_terminal(*step.question, options);
  if (step.view) {
    return labelled("view", fmt::format("fovea serve --model {} \"{}\"", step.view->model, step.view->text),
                    options) +
           labelled("view-name", lesson_word("view-" + step.view->view, options.language), options);
  }
  if (!step.exercise.empty()) return labelled("exercise", "fovea learn " + step.exercise, options);
  return "";
}

}  // namespace

std::string to_terminal(const Live& live, const RenderOptions& options) {
  if (!live.missing.empty()) {
    return wrap(fmt::format("{} {}", lesson_word("missing-model", options.language), live.missing),
                text_width(options), kLiveIndent);
  }
  RenderOptions inner = options;
  inner.width = options.width - kLiveIndent;
  std::string text = repeat(" ", kLiveIndent) + styled(live.title, Style::accent, options.color) + "\n";
  BlockRows rows(options.width, kLiveIndent);
  for (const LiveMatrix& matrix : live.matrices) rows.add(matrix_block(matrix, inner));
  text += rows.take();
  std::string editable;
  for (const LiveMatrix& matrix : live.matrices) {
    if (matrix.editable) editable += fmt::format("{}[{}]", editable.empty() ? "" : " ", matrix.name);
  }
  if (live.controls.empty() && editable.empty()) return text;
  text += "\n" + repeat(" ", kLiveIndent) + lesson_word("move", options.language) + "\n";
  if (!editable.empty()) {
    text += wrap(fmt::format("{} {}", lesson_word("editable", options.language), editable),
                 text_width(options), kLiveIndent);
  }
  for (const LiveControl& control : live.controls) text += control_line(control, options);
  return text;
}

std::string to_terminal(const Question& question, const RenderOptions& options,
                        const QuestionRendering& rendering) {
  std::string text = labelled("question", without_marks(question.text, options.color), options);
  if (question.is_choice()) {
    for (std::size_t i = 0; i < question.options.size(); ++i) {
      text += lettered_option(i, question.options[i], options, rendering.answers);
    }
  } else if (rendering.answers) {
    text += labelled("model-answer", question.answer, options);
  }
  return text;
}

std::string to_terminal(const std::vector<ReadingTip>& tips, const RenderOptions& options) {
  std::string text;
  for (const ReadingTip& tip : tips) {
    text +=
        (text.empty() ? "" : "\n") + styled(tip.title, Style::bold, options.color) + "\n" + tip.url + "\n";
    text += wrap(tip.sentence, text_width(options));
  }
  return text;
}

std::string render_step(const Lesson& lesson, std::size_t number, const RenderOptions& options) {
  if (number >= lesson.steps.size()) {
    fail("[lessons] step {} of {}: there are {}, counted from 0", number, lesson.id, lesson.steps.size());
  }
  const LessonStep& step = lesson.steps[number];
  std::string text = step_line(number, lesson.steps.size(), step.title, options);
  for (const LessonParagraph& paragraph : step.paragraphs) {
    if (paragraph.formula) {
      text += repeat(" ", kLiveIndent) + styled(paragraph.text, Style::accent, options.color) + "\n\n";
    } else {
      text += wrap(without_marks(paragraph.text, options.color), text_width(options)) + "\n";
    }
  }
  const std::string thing = thing_of(step, options);
  return thing.empty() ? text : text + thing + "\n";
}

std::string render_lesson(const Lesson& lesson, const RenderOptions& options) {
  std::string text = styled(lesson.title, Style::bold, options.color) + "\n";
  text += styled(repeat("═", display_width(lesson.title)), Style::dim, options.color) + "\n\n";
  for (std::size_t step = 0; step < lesson.steps.size(); ++step) text += render_step(lesson, step, options);
  return text;
}

}  // namespace fovea
