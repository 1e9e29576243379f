// The files of the lessons: what they may look like, and what is said of those that do not.
#include <gtest/gtest.h>

#include "lessons/lesson_text.h"
#include "lessons/question_text.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

std::string file_error(const std::string& text) {
  return message_of([&] { parse_text_file(text, "en/x.md"); });
}

std::string lesson_error(const std::string& steps) {
  return message_of([&] { parse_lesson(parse_text_file("# T\n" + steps, "en/x.md"), "x"); });
}

std::string question_error(const std::string& sections) {
  return message_of([&] { parse_questions(parse_text_file("# T\n" + sections, "en/q.md")); });
}

TEST(LessonFiles, sections_and_entries) {
  const TextFile file = parse_text_file(
      "# Title\n\n## One\nA line\nand another.\n    a = b\n@live x y\n## 二\n中文，\n接着写。\n- a\nb\n: c",
      "en/x.md");
  EXPECT_EQ(file.title, "Title");
  ASSERT_EQ(file.sections.size(), 2u);
  const std::vector<TextEntry>& one = file.sections[0].entries;
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one[0].text, "A line and another.");
  EXPECT_EQ(one[1].kind, TextEntry::Kind::formula);
  EXPECT_EQ(one[1].text, "a = b");
  EXPECT_EQ(one[2].name, "live");
  EXPECT_EQ(one[2].text, "x y");
  EXPECT_EQ(one[2].line, 7);
  const std::vector<TextEntry>& two = file.sections[1].entries;
  ASSERT_EQ(two.size(), 3u);
  EXPECT_EQ(two[0].text, "中文，接着写。");  // no space between Chinese lines
  EXPECT_EQ(two[1].name, "-");
  EXPECT_EQ(two[1].text, "a b");
  EXPECT_EQ(two[2].text, "c");
}

TEST(LessonFiles, what_is_wrong_is_named_with_its_line) {
  EXPECT_EQ(file_error(""), "[lessons] en/x.md, line 1: expected a title, \"# ..\"");
  EXPECT_EQ(file_error("# T\n"), "[lessons] en/x.md, line 1: the file has no sections, \"## ..\"");
  EXPECT_EQ(file_error("## S\na\n"),
            "[lessons] en/x.md, line 1: expected a title, \"# ..\", before the first section");
  EXPECT_EQ(file_error("# T\ntext\n"),
            "[lessons] en/x.md, line 2: text before the first section, \"## ..\"");
  EXPECT_EQ(file_error("# T\n# U\n"), "[lessons] en/x.md, line 2: a second title");
  EXPECT_EQ(file_error("# T\n## S\n\n## U\na"), "[lessons] en/x.md, line 2: the section S is empty");
  EXPECT_EQ(file_error("# T\n### S\n"),
            "[lessons] en/x.md, line 2: expected \"# title\" or \"## heading\"");
  EXPECT_EQ(file_error("# T\n## S\n  x\n"),
            "[lessons] en/x.md, line 3: got an indented line, expected none or four spaces (a formula)");
  EXPECT_EQ(file_error("# T\n## S\na\tb\n"), "[lessons] en/x.md, line 3: got a tab, expected spaces");
  EXPECT_EQ(file_error("# T\n## S\na \n"), "[lessons] en/x.md, line 3: the line ends with a space");
  EXPECT_EQ(file_error("# T\n## S\n\xff\n"), "[lessons] en/x.md, line 3: not UTF-8");
  EXPECT_EQ(file_error("# T\n## S\n@ x\n"), "[lessons] en/x.md, line 3: expected a name after @");
}

TEST(LessonFiles, a_step_has_one_thing_at_most) {
  const LessonText lesson = parse_lesson(
      parse_text_file(
          "# T\n## A\ntext\n@view grid induction old tree\n## B\n@with m\nx\n@without m\ny\n@live z", "x"),
      "id");
  ASSERT_EQ(lesson.steps.size(), 2u);
  EXPECT_EQ(lesson.steps[0].view->view, "grid");
  EXPECT_EQ(lesson.steps[0].view->model, "induction");
  EXPECT_EQ(lesson.steps[0].view->text, "old tree");
  EXPECT_EQ(lesson.steps[1].paragraphs[0].with, "m");
  EXPECT_EQ(lesson.steps[1].paragraphs[1].without, "m");
  EXPECT_EQ(lesson.steps[1].live, "z");

  EXPECT_EQ(lesson_error("## A\nx\n@live a\n@question b"),
            "[lessons] en/x.md, line 5: a second thing in one step: @question b");
  EXPECT_EQ(lesson_error("## A\n@live a"), "[lessons] en/x.md, line 2: the step A has no text");
  EXPECT_EQ(lesson_error("## A\nx\n@live"), "[lessons] en/x.md, line 4: expected something after @live");
  EXPECT_EQ(
      lesson_error("## A\nx\n@picture a"),
      "[lessons] en/x.md, line 4: got @picture, expected @live, @question, @exercise, @view, @with or @without");
  EXPECT_EQ(lesson_error("## A\nx\n@view grid model"),
            "[lessons] en/x.md, line 4: got \"@view grid model\", expected \"@view VIEW MODEL TEXT\"");
  EXPECT_EQ(lesson_error("## A\nx\n@with m"),
            "[lessons] en/x.md, line 4: expected a paragraph after @with or @without");
  EXPECT_EQ(lesson_error("## A\nx\n@with m\n@without m\ny"),
            "[lessons] en/x.md, line 5: two conditions in a row");
  EXPECT_EQ(lesson_error("## A\nx\n- y"),
            "[lessons] en/x.md, line 4: got \"- y\": options belong to questions");
}

TEST(LessonFiles, a_question_needs_one_right_answer_and_reasons) {
  const std::vector<Question> questions =
      parse_questions(parse_text_file("# T\n## a\nQ?\n- w\n: because\n+ r\n: yes\n## b\nWhy?\n= So.", "x"));
  ASSERT_EQ(questions.size(), 2u);
  EXPECT_TRUE(questions[0].is_choice());
  EXPECT_FALSE(questions[0].options[0].right);
  EXPECT_TRUE(questions[0].options[1].right);
  EXPECT_EQ(questions[0].options[0].reason, "because");
  EXPECT_EQ(questions[1].answer, "So.");

  EXPECT_EQ(question_error("## a\nQ?"),
            "[lessons] en/q.md, line 2: a needs options, or a model answer (=), but not both");
  EXPECT_EQ(question_error("## a\nQ?\n+ r\n: y\n+ s\n: y"),
            "[lessons] en/q.md, line 2: a has 2 options, 2 of them right; expected one right and others");
  EXPECT_EQ(question_error("## a\nQ?\n+ r\n- w\n: n"), "[lessons] en/q.md, line 2: a: no reason for \"r\"");
  EXPECT_EQ(question_error("## a\nQ?\n: n"),
            "[lessons] en/q.md, line 4: a reason without an option before it");
  EXPECT_EQ(question_error("## a\n+ r\nQ?"),
            "[lessons] en/q.md, line 3: expected the question before its answers");
  EXPECT_EQ(question_error("## a\nQ?\n\nR?"), "[lessons] en/q.md, line 5: a second question");
  EXPECT_EQ(question_error("## a\nQ?\n= x\n## a\nQ?\n= x"), "[lessons] en/q.md, line 1: a appears twice");
}

TEST(LessonFiles, checklist_and_reading_list) {
  const auto checklist_error = [](const std::string& text) {
    return message_of([&] { parse_checklist(parse_text_file("# T\n" + text, "c")); });
  };
  EXPECT_EQ(checklist_error("## a\nText"), "[lessons] c, line 2: nothing ticks a");
  EXPECT_EQ(checklist_error("## a\n@exercise b"), "[lessons] c, line 2: a has no text");
  EXPECT_EQ(checklist_error("## a\nText\n@live b"),
            "[lessons] c, line 4: got \"b\", expected text, @exercise or @question");
  const auto reading_error = [](const std::string& text) {
    return message_of([&] { parse_reading_list(parse_text_file("# T\n" + text, "r")); });
  };
  EXPECT_EQ(reading_error("## a\n@title T\nText"),
            "[lessons] r, line 2: a needs a title, a url and a sentence");
  EXPECT_EQ(reading_error("## a\n@title T\n@title U"), "[lessons] r, line 4: a second title");
}

TEST(LessonFiles, an_item_is_ticked_by_all_that_it_names) {
  const ChecklistItem item{"a", "text", {"x", "y"}, {"q"}};
  EXPECT_TRUE(item.is_ticked({"x", "y", "z"}, {"q"}));
  EXPECT_FALSE(item.is_ticked({"x"}, {"q"}));
  EXPECT_FALSE(item.is_ticked({"x", "y"}, {}));
}

}  // namespace
}  // namespace fovea
