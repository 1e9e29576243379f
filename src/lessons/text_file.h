// The form that all files of src/lessons/texts share.
//
//   # Title of the file          once, first
//   ## Heading                   begins a section: a step, a question, ..
//   A paragraph, over as many    ends at a blank line, or where one of the following begins
//   lines as it needs.
//       a formula                four spaces: kept as it is
//   @name argument               a directive
//   + right  - wrong  : reason  = answer     marks of questions, at the beginning of a line
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fail.h"
#include "fovea/language.h"

namespace fovea {

struct TextEntry {
  enum class Kind { paragraph, formula, directive, mark };
  Kind kind = Kind::paragraph;
  std::string name;  // of a directive ("live"), or the mark ("+")
  std::string text;
  int line = 0;
};

struct TextSection {
  std::string heading;
  int line = 0;
  std::vector<TextEntry> entries;
};

struct TextFile {
  std::string name;  // "en/softmax.md", for messages
  std::string title;
  std::vector<TextSection> sections;

  // Throws Error "[lessons] en/softmax.md, line 12: message".
  template <typename... Args>
  [[noreturn]] void fail_at(int line, fmt::format_string<Args...> message, Args&&... args) const {
    fail("[lessons] {}, line {}: {}", name, line, fmt::format(message, std::forward<Args>(args)...));
  }
};

// Throws Error for whatever does not have that form; tabs and bytes that are no UTF-8 included.
TextFile parse_text_file(std::string_view text, std::string_view name);

const char* language_code(Language language);                       // "en": the name of the folder
TextFile lesson_file(Language language, std::string_view subject);  // "softmax", "questions", ..

// "name = text": what a directive says of a name. Throws Error without an equals sign.
struct NamedText {
  std::string name, text;
};
NamedText named_text(const TextFile& file, const TextEntry& entry);

// Parts between separators, without the white space around them.
std::vector<std::string> split_trimmed(std::string_view text, char separator);

}  // namespace fovea
