// The lessons themselves: both languages say the same, every number is computed, nothing is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "core/utf8.h"
#include "fovea/exercises.h"
#include "fovea/lessons.h"
#include "lesson_testing.h"
#include "lessons/embedded_texts.h"
#include "lessons/lesson_text.h"
#include "lessons/placeholder.h"
#include "lessons/question_text.h"

namespace fovea {
namespace {

std::set<std::string> exercise_names() {
  const std::vector<std::string> ids = exercise_ids();
  return {ids.begin(), ids.end()};
}

std::multiset<std::string> placeholder_texts(const std::string& text) {
  std::multiset<std::string> texts;
  for (const Placeholder& one : placeholders_in(text)) texts.insert(one.text);
  return texts;
}

bool is_chinese(char32_t point) { return point >= 0x4E00 && point <= 0x9FFF; }

// Words of letters, and Chinese characters, each one word.
int count_words(const std::string& text) {
  int words = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const bool letter = point.value < 0x80 && std::isalnum(static_cast<int>(point.value)) != 0;
    if (is_chinese(point.value) || (letter && !in_word)) ++words;
    in_word = letter || point.value == '\'';
    at += point.bytes;
  }
  return words;
}

std::string without_placeholders(const std::string& text) {
  return std::regex_replace(text, std::regex("\\{[^}]*\\}"), "");
}

std::string all_text(const LessonText& lesson) {
  std::string text;
  for (const StepText& step : lesson.steps) {
    for (const ParagraphText& paragraph : step.paragraphs)
      text += without_placeholders(paragraph.text) + "\n";
  }
  return text;
}

TEST(LessonTexts, both_languages_have_the_same_structure) {
  for (const std::string& id : lesson_ids()) {
    const LessonText en = lesson_text(id, Language::english), zh = lesson_text(id, Language::chinese);
    ASSERT_EQ(en.steps.size(), zh.steps.size()) << id;
    for (std::size_t i = 0; i < en.steps.size(); ++i) {
      const StepText &one = en.steps[i], &other = zh.steps[i];
      const std::string where = id + ", step " + std::to_string(i);
      EXPECT_EQ(one.live, other.live) << where;
      EXPECT_EQ(one.question, other.question) << where;
      EXPECT_EQ(one.exercise, other.exercise) << where;
      ASSERT_EQ(one.view.has_value(), other.view.has_value()) << where;
      if (one.view) {
        EXPECT_EQ(one.view->view + one.view->model + one.view->text,
                  other.view->view + other.view->model + other.view->text);
      }
      ASSERT_EQ(one.paragraphs.size(), other.paragraphs.size()) << where;
      for (std::size_t p = 0; p < one.paragraphs.size(); ++p) {
        const ParagraphText &a = one.paragraphs[p], &b = other.paragraphs[p];
        EXPECT_EQ(a.formula, b.formula) << where;
        EXPECT_EQ(a.with + "|" + a.without, b.with + "|" + b.without) << where;
        EXPECT_EQ(placeholder_texts(a.text), placeholder_texts(b.text)) << where << ", paragraph " << p;
      }
    }
  }
}

TEST(LessonTexts, no_file_is_left_over_or_missing) {
  std::map<std::string, std::set<std::string>> subjects;
  for (const EmbeddedText& file : embedded_texts()) {
    subjects[std::string(file.path.substr(0, 2))].insert(std::string(file.path.substr(3)));
  }
  std::set<std::string> expected = {"questions.md", "checklist.md", "reading.md", "live.md", "words.md"};
  for (const std::string& id : lesson_ids()) expected.insert(id + ".md");
  ASSERT_EQ(subjects.size(), 2u);
  EXPECT_EQ(subjects["en"], expected);
  EXPECT_EQ(subjects["zh"], expected);
}

TEST(LessonTexts, every_lesson_is_computed_with_and_without_models) {
  for (const Language language : kBothLanguages) {
    for (const LessonTitle& title : lessons(language)) {
      const Lesson with = lesson(title.id, language, {.models = own_lesson_model});
      const Lesson without = lesson(title.id, language);
      EXPECT_EQ(with.title, title.title);
      EXPECT_EQ(with.steps.size(), without.steps.size());
      for (const Lesson* one : {&with, &without}) {
        for (const LessonStep& step : one->steps) {
          EXPECT_FALSE(step.paragraphs.empty()) << title.id << ": " << step.title;
          for (const LessonParagraph& paragraph : step.paragraphs) {
            EXPECT_EQ(paragraph.text.find('{'), std::string::npos) << paragraph.text;
            EXPECT_EQ(paragraph.text.find("nan"), std::string::npos) << paragraph.text;
          }
        }
      }
    }
  }
}

TEST(LessonTexts, key_numbers_are_those_of_the_tutorials_corrected) {
  const auto text_of = [](const char* id, Language language) {
    std::string text;
    for (const LessonStep& step : lesson(id, language, {.models = own_lesson_model}).steps) {
      for (const LessonParagraph& paragraph : step.paragraphs) text += paragraph.text + "\n";
    }
    return text;
  };
  for (const Language language : kBothLanguages) {
    const std::string by_hand = text_of("by-hand", language), scale = text_of("why-scale", language);
    for (const char* number :
         {"[0.7071, 0.0000, 0.7071]", "[0.4011, 0.1978, 0.4011]", "[16.0445, 3.9555]"}) {
      EXPECT_NE(by_hand.find(number), std::string::npos) << number;
    }
    for (const char* number : {"[0.0123, 0.0128, 0.9749]", "6.31e-43", "0.0388"}) {
      EXPECT_NE(scale.find(number), std::string::npos) << number;
    }
    EXPECT_NE(text_of("masks", language).find("48.0"), std::string::npos);
    EXPECT_NE(text_of("self-and-cross", language).find("[2, 4, 10, 20]"), std::string::npos);
  }
}

// 300 to 600 English words; Chinese needs about one and a half characters for a word.
TEST(LessonTexts, lengths_are_those_of_a_lesson) {
  for (const std::string& id : lesson_ids()) {
    const int en = count_words(all_text(lesson_text(id, Language::english)));
    const int zh = count_words(all_text(lesson_text(id, Language::chinese)));
    EXPECT_GE(en, 300) << id;
    EXPECT_LE(en, 600) << id;
    EXPECT_GE(zh, 450) << id;
    EXPECT_LE(zh, 900) << id;
    for (const StepText& step : lesson_text(id, Language::english).steps) {
      int words = 0;
      for (const ParagraphText& paragraph : step.paragraphs) words += count_words(paragraph.text);
      EXPECT_LE(words, 220) << id << ": " << step.title << " does not fit on a screen";
    }
  }
}

TEST(LessonTexts, every_lesson_has_something_to_move) {
  for (const std::string& id : lesson_ids()) {
    bool moves = false;
    for (const LessonStep& step : lesson(id, Language::english, {.models = own_lesson_model}).steps) {
      if (!step.live) continue;
      moves = moves || !step.live->controls.empty();
      for (const LiveMatrix& matrix : step.live->matrices) moves = moves || matrix.editable;
    }
    EXPECT_TRUE(moves) << id;
  }
}

// A number with a point is the result of something. Those that are quoted: what a tutorial prints wrongly.
TEST(LessonTexts, no_result_is_typed_by_hand) {
  const std::regex typed("[0-9]\\.[0-9]+");
  for (const Language language : kBothLanguages) {
    for (const std::string& id : lesson_ids()) {
      std::string text = all_text(lesson_text(id, language));
      const std::string quoted = "[0.5, 0, 0.5]";
      if (const std::size_t at = text.find(quoted); at != std::string::npos) text.erase(at, quoted.size());
      std::smatch found;
      EXPECT_FALSE(std::regex_search(text, found, typed)) << id << ": " << found.str();
    }
  }
}

TEST(LessonTexts, exercises_and_questions_exist) {
  std::set<std::string> question_ids;
  for (const Question& one : questions(Language::english)) question_ids.insert(one.id);
  for (const std::string& id : lesson_ids()) {
    for (const StepText& step : lesson_text(id, Language::english).steps) {
      if (!step.exercise.empty()) {
        EXPECT_TRUE(exercise_names().contains(step.exercise)) << step.exercise;
      }
      if (!step.question.empty()) {
        EXPECT_TRUE(question_ids.contains(step.question)) << step.question;
      }
    }
  }
}

TEST(LessonTexts, questions_are_the_same_in_both_languages) {
  const std::vector<Question> en = questions(Language::english), zh = questions(Language::chinese);
  ASSERT_EQ(en.size(), zh.size());
  for (std::size_t i = 0; i < en.size(); ++i) {
    EXPECT_EQ(en[i].id, zh[i].id);
    ASSERT_EQ(en[i].options.size(), zh[i].options.size()) << en[i].id;
    for (std::size_t o = 0; o < en[i].options.size(); ++o) {
      EXPECT_EQ(en[i].options[o].right, zh[i].options[o].right) << en[i].id << ", option " << o;
    }
  }
  // The subjects of the tutorials' questions, to choose and to say in one's own words.
  for (const char* id :
       {"formula", "why-scale", "softmax-jobs", "self-or-cross", "what-heads-learn", "why-several-heads",
        "recurrent-problem", "decoder-only", "encoder-or-decoder", "where-used"}) {
    EXPECT_TRUE(question(id, Language::english).is_choice()) << id;
  }
  for (const char* id : {"say-formula", "say-scale", "say-softmax", "say-self-cross", "say-heads",
                         "say-recurrent", "say-decoder-only", "say-encoder-decoder", "say-uses"}) {
    EXPECT_FALSE(question(id, Language::chinese).is_choice()) << id;
  }
}

// Nobody should pass by always choosing the first answer.
TEST(LessonTexts, right_answers_stand_everywhere) {
  for (const Language language : kBothLanguages) {
    std::map<std::size_t, int> places;
    int choices = 0;
    for (const Question& one : questions(language)) {
      for (std::size_t o = 0; o < one.options.size(); ++o) places[o] += one.options[o].right ? 1 : 0;
      choices += one.is_choice() ? 1 : 0;
    }
    EXPECT_EQ(choices, 14);
    ASSERT_EQ(places.size(), 4u);
    for (const auto& [place, count] : places) EXPECT_LE(count, 5) << "option " << place;
  }
}

// `fovea learn NAME` takes both.
TEST(LessonTexts, lessons_and_exercises_have_different_names) {
  for (const std::string& id : lesson_ids()) EXPECT_FALSE(exercise_names().contains(id)) << id;
}

TEST(LessonTexts, checklist_file_names_every_exercise) {
  for (const Language language : kBothLanguages) {
    std::set<std::string> exercises;
    for (const ChecklistItem& item : parse_checklist(lesson_file(language, "checklist"))) {
      exercises.insert(item.exercises.begin(), item.exercises.end());
    }
    EXPECT_EQ(exercises, exercise_names());
  }
}

TEST(LessonTexts, checklist_names_every_exercise_and_every_choice) {
  const std::vector<ChecklistItem> en = checklist(Language::english), zh = checklist(Language::chinese);
  ASSERT_EQ(en.size(), zh.size());
  std::set<std::string> exercises, asked;
  for (std::size_t i = 0; i < en.size(); ++i) {
    EXPECT_EQ(en[i].id, zh[i].id);
    EXPECT_EQ(en[i].exercises, zh[i].exercises);
    EXPECT_EQ(en[i].questions, zh[i].questions);
    exercises.insert(en[i].exercises.begin(), en[i].exercises.end());
    asked.insert(en[i].questions.begin(), en[i].questions.end());
  }
  const std::vector<std::string> ids = exercise_ids();
  EXPECT_EQ(exercises, std::set<std::string>(ids.begin(), ids.end()));
  for (const Question& one : questions(Language::english)) {
    if (one.is_choice()) {
      EXPECT_TRUE(asked.contains(one.id)) << one.id;
    }
  }
  for (const std::string& id : asked) EXPECT_NO_THROW(question(id, Language::english)) << id;
}

TEST(LessonTexts, reading_lists_have_the_same_addresses) {
  const std::vector<ReadingTip> en = reading_list(Language::english), zh = reading_list(Language::chinese);
  ASSERT_EQ(en.size(), 5u);
  ASSERT_EQ(zh.size(), 5u);
  for (std::size_t i = 0; i < en.size(); ++i) {
    EXPECT_EQ(en[i].id, zh[i].id);
    EXPECT_EQ(en[i].url, zh[i].url);
    EXPECT_EQ(en[i].url.rfind("https://", 0), 0u);
    EXPECT_NE(en[i].sentence, zh[i].sentence);
  }
}

// Names, symbols, and what stands in formulas and programs.
const std::set<std::string>& latin_words_in_chinese() {
  static const std::set<std::string> kWords = {
      "q",       "k",         "head_H",    "Q",           "K",         "V",      "X",           "W_O",
      "d_k",     "d",         "n",         "e",           "i",         "s",      "T",           "H",
      "exp",     "softmax",   "Softmax",   "Attention",   "MultiHead", "Concat", "head",        "Query",
      "Key",     "Value",     "AI",        "BERT",        "GPT",       "GPT-2",  "T5",          "BART",
      "Llama",   "ALiBi",     "RoPE",      "LSTM",        "GRU",       "ELU",    "Transformer", "MASK",
      "Deep-ML", "fovea",     "induction", "coreference", "en-zh",     "I",      "love",        "you",
      "old",     "tree",      "red",       "moon",        "big",       "bird",   "sing",        "new",
      "song",    "sharpness", "slope"};
  return kWords;
}

TEST(LessonTexts, chinese_readers_meet_no_english) {
  const std::regex word("[A-Za-z](?:[A-Za-z0-9_]|-[A-Za-z0-9])*");
  std::set<std::string> unknown;
  for (const EmbeddedText& file : embedded_texts()) {
    if (!file.path.starts_with("zh/")) continue;
    const TextFile parsed = parse_text_file(file.text, file.path);
    std::string text = parsed.title + "\n";
    for (const TextSection& section : parsed.sections) {
      if (std::find(lesson_ids().begin(), lesson_ids().end(), file.path.substr(3, file.path.size() - 6)) !=
          lesson_ids().end()) {
        text += section.heading + "\n";
      }
      for (const TextEntry& entry : section.entries) {
        if (entry.kind != TextEntry::Kind::directive) text += without_placeholders(entry.text) + "\n";
        const std::size_t equals = entry.text.find('=');  // "name = label"
        if (entry.name == "matrix" || entry.name == "control" || entry.name == "word")
          text += entry.text.substr(equals + 1) + "\n";
        if (entry.name == "title" && file.path == "zh/live.md") text += entry.text + "\n";
      }
    }
    for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
      if (!latin_words_in_chinese().contains(at->str()))
        unknown.insert(std::string(file.path) + ": " + at->str());
    }
  }
  for (const std::string& one : unknown) ADD_FAILURE() << one;
}

TEST(LessonTexts, english_is_not_left_in_chinese_nor_the_other_way_round) {
  for (const std::string& id : lesson_ids()) {
    const LessonText en = lesson_text(id, Language::english), zh = lesson_text(id, Language::chinese);
    for (std::size_t i = 0; i < en.steps.size(); ++i) {
      for (std::size_t p = 0; p < en.steps[i].paragraphs.size(); ++p) {
        if (en.steps[i].paragraphs[p].formula) continue;
        EXPECT_NE(en.steps[i].paragraphs[p].text, zh.steps[i].paragraphs[p].text) << id;
      }
    }
  }
}

}  // namespace
}  // namespace fovea
