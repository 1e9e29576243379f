// Lessons as text for the terminal and as JSON.
#include <gtest/gtest.h>

#include "fovea/lessons.h"
#include "io/json.h"
#include "lesson_testing.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(LessonRendering, keeps_to_the_width) {
  for (const Language language : kBothLanguages) {
    for (const LessonTitle& title : lessons(language)) {
      const Lesson one = lesson(title.id, language, {.models = own_lesson_model});
      const std::string text = render_lesson(one, {.language = language, .width = 80});
      EXPECT_EQ(text.find('*'), std::string::npos) << title.id;
      for (const std::string& line : lines_of_text(text)) EXPECT_LE(display_width(line), 80) << line;
    }
  }
}

TEST(LessonRendering, shows_every_part_of_a_step) {
  const Lesson softmax = lesson("shares", Language::english);
  const std::string text = render_lesson(softmax);
  for (const char* part :
       {"Softmax\n═══════\n", "── 1/5  Three jobs at once ──", "   softmax(s)ᵢ = exp(sᵢ)", "0.6439",
        "temperature = 1 (0.1–10)", "Question: Which of these", ") Give unsuitable",
        "Exercise: fovea learn softmax"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("✓"), std::string::npos);  // the answers are not told
  EXPECT_NE(render_lesson(softmax, {.color = true}).find("\x1b[1mnormalises\x1b[0m"), std::string::npos);
  const std::string heads =
      render_lesson(lesson("several-heads", Language::chinese), {.language = Language::chinese});
  EXPECT_NE(heads.find("打开浏览页面：fovea serve --model induction \"old tree"), std::string::npos)
      << heads;
  EXPECT_NE(heads.find("视图：网格"), std::string::npos);
  EXPECT_EQ(message_of([&] { render_step(softmax, 5); }),
            "[lessons] step 5 of shares: there are 5, counted from 0");
}

TEST(LessonRendering, small_matrices_stand_beside_each_other) {
  const std::string text = to_terminal(live("worked-example", Language::english), {.width = 100});
  EXPECT_NE(text.find("Scores Q·Kᵀ"), std::string::npos);
  const std::vector<std::string> lines = lines_of_text(text);
  EXPECT_LT(lines.size(), 30u) << text;
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 100) << line;
}

TEST(LessonRendering, answers_come_on_request) {
  const Question choice = question("formula", Language::english);
  const std::string text = to_terminal(choice, {}, {.answers = true});
  EXPECT_NE(text.find("✓ Compare, scale"), std::string::npos) << text;
  EXPECT_NE(text.find("✗ Keys and values are swapped"), std::string::npos);
  const Question say = question("say-softmax", Language::chinese);
  EXPECT_EQ(to_terminal(say, {.language = Language::chinese}).find("归一"), std::string::npos);
  EXPECT_NE(to_terminal(say, {.language = Language::chinese}, {.answers = true}).find("参考答案：归一"),
            std::string::npos);
  EXPECT_NE(to_terminal(reading_list(Language::english)).find("https://arxiv.org/abs/1706.03762"),
            std::string::npos);
}

TEST(LessonRendering, input_reaches_what_is_live) {
  const Lesson cold = lesson("shares", Language::english, {.input = {.controls = {{"temperature", 0.1}}}});
  const Lesson usual = lesson("shares", Language::english);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < cold.steps.size(); ++i) {
    if (!cold.steps[i].live) continue;
    EXPECT_GT(cold.steps[i].live->matrix("weights")(0, 0), 0.99);
    EXPECT_LT(usual.steps[i].live->matrix("weights")(0, 0), 0.7);
    EXPECT_EQ(cold.steps[i].paragraphs[0].text, usual.steps[i].paragraphs[0].text);
    ++compared;
  }
  EXPECT_EQ(compared, 1u);
  EXPECT_EQ(message_of([] {
              lesson("shares", Language::english, {.input = {.controls = {{"heat", 1}}}});
            }),
            "[lessons] nothing in shares is called heat; what can be changed: scores, temperature");
  EXPECT_EQ(message_of([] {
              lesson("hard", Language::english);
            }).rfind("[lessons] no lesson named hard; there are: picture, ", 0),
            0u);
}

TEST(LessonRendering, json_has_every_step) {
  const Lesson softmax = lesson("shares", Language::chinese);
  const Json json = parse_json(to_json(softmax), "lesson");
  EXPECT_EQ(json["id"], "shares");
  ASSERT_EQ(json["steps"].size(), softmax.steps.size());
  EXPECT_EQ(json["steps"][0]["paragraphs"][2]["formula"],
            "softmax(s)ᵢ = exp(sᵢ) / (exp(s₁) + exp(s₂) + …)");
  const Json& live = json["steps"][2]["live"];
  EXPECT_EQ(live["id"], "softmax");
  EXPECT_EQ(live["controls"][0]["name"], "temperature");
  EXPECT_EQ(live["matrices"][0]["editable"], true);
  EXPECT_EQ(live["matrices"][1]["columns"][0], "甲");
  EXPECT_DOUBLE_EQ(live["matrices"][1]["values"][0][0].get<double>(),
                   softmax.steps[2].live->matrix("weights")(0, 0));
  const Json& choice = json["steps"][3]["question"]["options"];
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(choice[i]["right"], softmax.steps[3].question->options[i].right);
  }
  EXPECT_EQ(json["steps"][4]["exercise"], "softmax");
}

}  // namespace
}  // namespace fovea
