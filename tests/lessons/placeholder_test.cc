#include "lessons/placeholder.h"

#include <gtest/gtest.h>

#include "lesson_testing.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

std::string resolved(const std::string& text, Language language = Language::english) {
  const ModelFinder models = own_lesson_model;
  return LessonNumbers(language, models).resolved(text);
}

TEST(Placeholder, has_parts) {
  const Placeholder one = parse_placeholder("softmax(temperature=0.5,b=-2).weights[1,20]|%");
  EXPECT_EQ(one.id, "softmax");
  EXPECT_EQ(one.input.controls.at("temperature"), 0.5);
  EXPECT_EQ(one.input.controls.at("b"), -2);
  EXPECT_EQ(one.item, "weights");
  EXPECT_EQ(one.row, 1);
  EXPECT_EQ(one.column, 20);
  EXPECT_EQ(one.format, '%');
  const Placeholder plain = parse_placeholder("linear-time.pairs");
  EXPECT_EQ(plain.id, "linear-time");
  EXPECT_EQ(plain.row, -1);
  EXPECT_EQ(plain.format, '4');
}

TEST(Placeholder, becomes_the_number) {
  EXPECT_EQ(resolved("a {worked-example.weights[0,1]} b"), "a 0.1978 b");
  EXPECT_EQ(resolved("{worked-example.weights[0]|2}{worked-example.scores[0]|0}"),
            "[0.40, 0.20, 0.40][1, 0, 1]");
  EXPECT_EQ(resolved("{worked-example.weights[0,0]|8}"), "0.40111209");
  EXPECT_EQ(resolved("{worked-example.weights[0,0]|%}"), "40.1 %");
  EXPECT_EQ(resolved("{worked-example.weights[0,0]|%}", Language::chinese), "40.1%");
  EXPECT_EQ(resolved("{saturation.raw_gradient|s}"), "6.31e-43");
  EXPECT_EQ(resolved("{variance.draws|i}"), "4,000");
  EXPECT_EQ(resolved("{masks(causal=0,pads=1).share|2} {masks.pads|0}"), "0.80 2");
  EXPECT_EQ(resolved("{{x} and {{"), "{x} and {");
}

TEST(Placeholder, that_is_malformed_is_an_error) {
  for (const char* text : {"", "softmax", ".x", "softmax.", "softmax.x|9", "softmax.x|", "softmax.x[a]",
                           "softmax.x[0,1,2]", "softmax.x[0", "softmax(a=1.x", "softmax(a).x",
                           "softmax(=1).x", "softmax(a=b).x", "softmax.x[0]y", "(a=1).x", "softmax.[0]"}) {
    EXPECT_EQ(message_of([&] { parse_placeholder(text); }).rfind("[lessons] got {", 0), 0u) << text;
  }
  EXPECT_EQ(message_of([] { resolved("see {softmax.weights[0,0]"); }),
            "[lessons] a { is not closed: \"{softmax.weights[0,0]\"");
}

TEST(Placeholder, that_names_nothing_is_an_error) {
  EXPECT_EQ(message_of([] { resolved("{soft.x}"); }).rfind("[live] got soft; there are:", 0), 0u);
  EXPECT_EQ(
      message_of([] { resolved("{softmax.x}"); }).rfind("[live] softmax has no number x; there are:", 0),
      0u);
  EXPECT_EQ(message_of([] { resolved("{softmax.weights[1,0]}"); }),
            "[lessons] {softmax.weights[1,0]}: the matrix is [1, 4]");
  const ModelFinder no_models = [](const std::string&) { return std::string(); };
  LessonNumbers numbers(Language::english, no_models);
  EXPECT_EQ(message_of([&] { numbers.resolved("{coreference.right}"); }),
            "[lessons] {coreference.right} needs the model coreference, which is not installed");
}

}  // namespace
}  // namespace fovea
