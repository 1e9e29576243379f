#include "lessons/text_file.h"

#include "core/lines.h"
#include "core/utf8.h"
#include "lessons/embedded_texts.h"

namespace fovea {
namespace {

using Kind = TextEntry::Kind;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// A line break is a space, but not between Chinese characters.
void join_line(std::string& text, std::string_view line) {
  if (is_ascii(text.back()) || is_ascii(line.front())) text += ' ';
  text += line;
}

// "@live softmax" → live, softmax.
TextEntry directive(std::string_view line, int number) {
  const std::size_t space = std::min(line.find(' '), line.size());
  return {Kind::directive, std::string(line.substr(1, space - 1)), std::string(trimmed(line.substr(space))),
          number};
}

bool is_mark(std::string_view line) {
  return line.size() > 2 && line[1] == ' ' &&
         std::string_view("+-:=").find(line[0]) != std::string_view::npos;
}

class TextFileReader {
 public:
  explicit TextFileReader(std::string_view name) { file_.name = name; }

  TextFile read(std::string_view text) {
    for (const std::string_view line : lines_of(text)) {
      ++number_;
      check(line);
      take(line);
    }
    if (file_.title.empty()) file_.fail_at(1, "expected a title, \"# ..\"");
    if (file_.sections.empty()) file_.fail_at(number_, "the file has no sections, \"## ..\"");
    for (const TextSection& section : file_.sections) {
      if (section.entries.empty()) file_.fail_at(section.line, "the section {} is empty", section.heading);
    }
    return std::move(file_);
  }

 private:
  void check(std::string_view line) const {
    if (!is_utf8(line)) file_.fail_at(number_, "not UTF-8");
    if (line.find('\t') != std::string_view::npos) file_.fail_at(number_, "got a tab, expected spaces");
    if (line.ends_with(' ')) file_.fail_at(number_, "the line ends with a space");
  }

  void take(std::string_view line) {
    const bool continues = std::exchange(open_, false);
    if (line.empty()) return;
    if (line.starts_with("# ")) return title(line.substr(2));
    if (line.starts_with("## ")) {
      if (file_.title.empty())
        file_.fail_at(number_, "expected a title, \"# ..\", before the first section");
      file_.sections.push_back({std::string(line.substr(3)), number_, {}});
      return;
    }
    if (line.starts_with('#')) file_.fail_at(number_, "expected \"# title\" or \"## heading\"");
    if (file_.sections.empty()) file_.fail_at(number_, "text before the first section, \"## ..\"");
    entry(line, continues);
  }

  void title(std::string_view text) {
    if (!file_.title.empty()) file_.fail_at(number_, "a second title");
    file_.title = text;
  }

  void entry(std::string_view line, bool continues) {
    std::vector<TextEntry>& entries = file_.sections.back().entries;
    if (line.starts_with("    ")) {
      entries.push_back({Kind::formula, "", std::string(line.substr(4)), number_});
    } else if (line.starts_with(' ')) {
      file_.fail_at(number_, "got an indented line, expected none or four spaces (a formula)");
    } else if (line.starts_with('@')) {
      entries.push_back(directive(line, number_));
      if (entries.back().name.empty()) file_.fail_at(number_, "expected a name after @");
    } else if (is_mark(line)) {
      entries.push_back({Kind::mark, std::string(line.substr(0, 1)), std::string(line.substr(2)), number_});
      open_ = true;
    } else {
      if (continues) {
        join_line(entries.back().text, line);
      } else {
        entries.push_back({Kind::paragraph, "", std::string(line), number_});
      }
      open_ = true;
    }
  }

  TextFile file_;
  int number_ = 0;
  bool open_ = false;  // the last entry goes on in the next line
};

}  // namespace

TextFile parse_text_file(std::string_view text, std::string_view name) {
  return TextFileReader(name).read(text);
}

const char* language_code(Language language) { return language == Language::chinese ? "zh" : "en"; }

TextFile lesson_file(Language language, std::string_view subject) {
  const std::string path = fmt::format("{}/{}.md", language_code(language), subject);
  for (const EmbeddedText& file : embedded_texts()) {
    if (file.path == path) return parse_text_file(file.text, path);
  }
  fail("[lessons] there is no text {}", path);
}

NamedText named_text(const TextFile& file, const TextEntry& entry) {
  const std::size_t equals = entry.text.find('=');
  if (equals == std::string::npos) {
    file.fail_at(entry.line, "got \"{}\", expected \"@{} name = text\"", entry.text, entry.name);
  }
  return {std::string(trimmed(std::string_view(entry.text).substr(0, equals))),
          std::string(trimmed(std::string_view(entry.text).substr(equals + 1)))};
}

std::vector<std::string> split_trimmed(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace fovea
