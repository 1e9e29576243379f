#include "lessons/live_labels.h"

#include <array>
#include <map>

#include "core/fail.h"
#include "lessons/text_file.h"

namespace fovea {
namespace {

struct MatrixLabels {
  std::string title;
  std::vector<std::string> rows, columns;
};

struct LiveLabels {
  std::string title;
  std::map<std::string, std::string, std::less<>> controls;
  std::map<std::string, MatrixLabels, std::less<>> matrices;
};
using LabelsById = std::map<std::string, LiveLabels, std::less<>>;
using Words = std::map<std::string, std::string, std::less<>>;

// "Title | row, row | column, column"; an empty part: no labels.
MatrixLabels matrix_labels(const std::string& text) {
  const std::vector<std::string> parts = split_trimmed(text, '|');
  const auto list = [&](std::size_t part) {
    return parts.size() > part && !parts[part].empty() ? split_trimmed(parts[part], ',')
                                                       : std::vector<std::string>{};
  };
  return {parts[0], list(1), list(2)};
}

LabelsById read_labels(Language language) {
  const TextFile file = lesson_file(language, "live");
  LabelsById all;
  for (const TextSection& section : file.sections) {
    LiveLabels& labels = all[section.heading];
    for (const TextEntry& entry : section.entries) {
      if (entry.name == "title") {
        labels.title = entry.text;
      } else if (entry.name == "control") {
        const NamedText control = named_text(file, entry);
        labels.controls[control.name] = control.text;
      } else if (entry.name == "matrix") {
        const NamedText matrix = named_text(file, entry);
        labels.matrices[matrix.name] = matrix_labels(matrix.text);
      } else {
        file.fail_at(entry.line, "got \"{}\", expected @title, @control or @matrix",
                     entry.name.empty() ? entry.text : "@" + entry.name);
      }
    }
  }
  return all;
}

Words read_words(Language language) {
  const TextFile file = lesson_file(language, "words");
  Words words;
  for (const TextSection& section : file.sections) {
    for (const TextEntry& entry : section.entries) {
      if (entry.name != "word") file.fail_at(entry.line, "expected \"@word name = text\"");
      const NamedText word = named_text(file, entry);
      words[word.name] = word.text;
    }
  }
  return words;
}

// Files are read once per language.
template <typename Value, Value (*read)(Language)>
const Value& cached(Language language) {
  if (language == Language::chinese) {
    static const Value kChinese = read(Language::chinese);
    return kChinese;
  }
  static const Value kEnglish = read(Language::english);
  return kEnglish;
}

template <typename Map>
const auto& label(const Map& map, const std::string& name, const std::string& id, Language language) {
  const auto found = map.find(name);
  if (found == map.end())
    fail("[lessons] {}/live.md: no label for {} of {}", language_code(language), name, id);
  return found->second;
}

void take_labels(std::vector<std::string>& labels, const std::vector<std::string>& from_text,
                 Index expected, const std::string& what) {
  if (from_text.empty()) return;
  if (static_cast<Index>(from_text.size()) != expected) {
    fail("[lessons] {} labels for {}, expected {}", from_text.size(), what, expected);
  }
  labels = from_text;
}

}  // namespace

void label_live(Live& live, Language language) {
  const LabelsById& all = cached<LabelsById, read_labels>(language);
  const LiveLabels& labels = label(all, live.id, "the live matrices", language);
  live.title = labels.title;
  for (LiveControl& control : live.controls) {
    control.title = label(labels.controls, control.name, live.id, language);
  }
  for (LiveMatrix& matrix : live.matrices) {
    const MatrixLabels& names = label(labels.matrices, matrix.name, live.id, language);
    matrix.title = names.title;
    const std::string what = matrix.name + " of " + live.id;
    take_labels(matrix.row_labels, names.rows, matrix.matrix.rows(), "rows of " + what);
    take_labels(matrix.column_labels, names.columns, matrix.matrix.columns(), "columns of " + what);
  }
}

std::string lesson_word(std::string_view name, Language language) {
  const Words& words = cached<Words, read_words>(language);
  const auto found = words.find(name);
  if (found == words.end()) fail("[lessons] {}/words.md: no word {}", language_code(language), name);
  return found->second;
}

}  // namespace fovea
