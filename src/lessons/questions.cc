#include "fovea/questions.h"

#include <algorithm>

#include "core/fail.h"
#include "fovea/exercises.h"
#include "lessons/question_text.h"

namespace fovea {
namespace {

using Kind = TextEntry::Kind;

// A text that a section must have exactly once.
void take_once(const TextFile& file, const TextEntry& entry, const char* what, std::string& into) {
  if (!into.empty()) file.fail_at(entry.line, "a second {}", what);
  into = entry.text;
}

void take_mark(const TextFile& file, const TextEntry& entry, Question& question) {
  if (question.text.empty()) file.fail_at(entry.line, "expected the question before its answers");
  if (entry.name == "=") return take_once(file, entry, "answer", question.answer);
  if (entry.name != ":") {
    question.options.push_back({entry.text, entry.name == "+", ""});
    return;
  }
  if (question.options.empty() || !question.options.back().reason.empty()) {
    file.fail_at(entry.line, "a reason without an option before it");
  }
  question.options.back().reason = entry.text;
}

void check_question(const TextFile& file, const TextSection& section, const Question& question) {
  const std::string& id = question.id;
  if (question.options.empty() == question.answer.empty()) {
    file.fail_at(section.line, "{} needs options, or a model answer (=), but not both", id);
  }
  if (question.options.empty()) return;
  const auto right = std::count_if(question.options.begin(), question.options.end(),
                                   [](const Option& option) { return option.right; });
  if (right != 1 || question.options.size() < 2) {
    file.fail_at(section.line, "{} has {} options, {} of them right; expected one right and others", id,
                 question.options.size(), right);
  }
  for (const Option& option : question.options) {
    if (option.reason.empty()) file.fail_at(section.line, "{}: no reason for \"{}\"", id, option.text);
  }
}

template <typename Item>
void check_ids(const TextFile& file, const std::vector<Item>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (items[i].id == items[j].id) file.fail_at(1, "{} appears twice", items[i].id);
    }
  }
}

}  // namespace

std::vector<Question> parse_questions(const TextFile& file) {
  std::vector<Question> all;
  for (const TextSection& section : file.sections) {
    Question question;
    question.id = section.heading;
    for (const TextEntry& entry : section.entries) {
      if (entry.kind == Kind::mark) {
        take_mark(file, entry, question);
      } else if (entry.kind == Kind::paragraph) {
        take_once(file, entry, "question", question.text);
      } else {
        file.fail_at(entry.line, "got \"{}\", expected text, +, -, : or =", entry.text);
      }
    }
    check_question(file, section, question);
    all.push_back(question);
  }
  check_ids(file, all);
  return all;
}

std::vector<ChecklistItem> parse_checklist(const TextFile& file) {
  std::vector<ChecklistItem> items;
  for (const TextSection& section : file.sections) {
    ChecklistItem item;
    item.id = section.heading;
    for (const TextEntry& entry : section.entries) {
      if (entry.kind == Kind::paragraph) {
        take_once(file, entry, "text", item.text);
      } else if (entry.name == "exercise" || entry.name == "question") {
        (entry.name == "exercise" ? item.exercises : item.questions).push_back(entry.text);
      } else {
        file.fail_at(entry.line, "got \"{}\", expected text, @exercise or @question", entry.text);
      }
    }
    if (item.text.empty()) file.fail_at(section.line, "{} has no text", item.id);
    if (item.exercises.empty() && item.questions.empty()) {
      file.fail_at(section.line, "nothing ticks {}", item.id);
    }
    items.push_back(item);
  }
  check_ids(file, items);
  return items;
}

std::vector<ReadingTip> parse_reading_list(const TextFile& file) {
  std::vector<ReadingTip> tips;
  for (const TextSection& section : file.sections) {
    ReadingTip tip;
    tip.id = section.heading;
    for (const TextEntry& entry : section.entries) {
      if (entry.kind == Kind::paragraph) {
        take_once(file, entry, "sentence", tip.sentence);
      } else if (entry.name == "title" || entry.name == "url") {
        take_once(file, entry, entry.name.c_str(), entry.name == "title" ? tip.title : tip.url);
      } else {
        file.fail_at(entry.line, "got \"{}\", expected text, @title or @url", entry.text);
      }
    }
    if (tip.title.empty() || tip.url.empty() || tip.sentence.empty()) {
      file.fail_at(section.line, "{} needs a title, a url and a sentence", tip.id);
    }
    tips.push_back(tip);
  }
  check_ids(file, tips);
  return tips;
}

std::vector<Question> questions(Language language) {
  return parse_questions(lesson_file(language, "questions"));
}

Question question(std::string_view id, Language language) {
  std::vector<std::string> ids;
  for (Question& one : questions(language)) {
    if (one.id == id) return std::move(one);
    ids.push_back(one.id);
  }
  fail("[questions] no question named {}; there are: {}", id, listed(ids, 40));
}

bool ChecklistItem::is_ticked(const std::set<std::string>& exercises_done,
                              const std::set<std::string>& questions_done) const {
  const auto all_in = [](const std::vector<std::string>& needed, const std::set<std::string>& done) {
    return std::all_of(needed.begin(), needed.end(),
                       [&](const std::string& one) { return done.contains(one); });
  };
  return all_in(exercises, exercises_done) && all_in(questions, questions_done);
}

std::vector<ChecklistItem> checklist(Language language) {
  std::vector<ChecklistItem> items = parse_checklist(lesson_file(language, "checklist"));
  // What nobody can do here, because the exercise needs a model that does not come with this version, does
  // not keep an item open.
  const std::vector<std::string> known = exercise_ids();
  for (ChecklistItem& item : items) {
    std::erase_if(item.exercises, [&](const std::string& id) {
      return std::find(known.begin(), known.end(), id) == known.end();
    });
  }
  return items;
}

std::vector<ReadingTip> reading_list(Language language) {
  return parse_reading_list(lesson_file(language, "reading"));
}

}  // namespace fovea
