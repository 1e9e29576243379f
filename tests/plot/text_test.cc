#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/utf8.h"
#include "plot/cairo/pango_text.h"
#include "plot/readable_text.h"
#include "plot/scene.h"
#include "plot/svg_text.h"
#include "plot/text_measure.h"
#include "plot/ticks.h"

namespace fovea {
namespace {

TEST(ReadableToken, marks_spaces_newlines_and_bytes) {
  EXPECT_EQ(readable_token("cat"), "cat");
  EXPECT_EQ(readable_token("Ġcat"), "␣cat");
  EXPECT_EQ(readable_token("▁cat"), "␣cat");
  EXPECT_EQ(readable_token(" cat "), "␣cat␣");
  EXPECT_EQ(readable_token("   "), "␣␣␣");
  EXPECT_EQ(readable_token("ä½ł"), "你");
  EXPECT_EQ(readable_token("ĠcafÃ©"), "␣café");
  EXPECT_EQ(readable_token("café"), "café");  // of a vocabulary of letters
  EXPECT_EQ(readable_token("ä½"), "ä½");      // two bytes of three
  EXPECT_EQ(readable_token("new york"), "new york");
  EXPECT_EQ(readable_token("\n"), "↵");
  EXPECT_EQ(readable_token("Ċ"), "↵");
  EXPECT_EQ(readable_token("a\tb"), "a⇥b");
  EXPECT_EQ(readable_token("\xE6\x88"), "\\xE6\\x88");
  EXPECT_EQ(readable_token(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(readable_token("\x7F"), "\\x7F");
  EXPECT_EQ(readable_token(""), "\"\"");
  EXPECT_EQ(readable_token("[SEP]"), "[SEP]");
}

TEST(ReadableToken, invisible_characters_are_named_joined_emoji_stay) {
  EXPECT_EQ(readable_token("\u200B"), "U+200B");
  EXPECT_EQ(readable_token("a\u202Eb"), "aU+202Eb");
  EXPECT_EQ(readable_token("👩\u200D👧"), "👩\u200D👧");
  EXPECT_EQ(readable_token("Malta \u0120or\u0121"), "Malta Ġorġ");
}

TEST(MeasureText, every_script_takes_room) {
  const scene::Font font{10, false, scene::Family::sans};
  EXPECT_EQ(measure_text("", font).width, 0);
  for (const char* text : {"a", "我", "م", "😀", "한"}) {
    const double one = measure_text(text, font).width;
    EXPECT_GT(one, 1) << text;
    EXPECT_LT(one, 20) << text;
    EXPECT_NEAR(measure_text(text, {20, false, scene::Family::sans}).width, 2 * one, 0.05 * one) << text;
  }
  // Ideographs of a font of 10 points are squares of about 10 points.
  EXPECT_NEAR(measure_text("喜欢", font).width, 20, 1.5);
}

// What is laid out by our tables is drawn by pango: the room must be what the text takes.
TEST(MeasureText, agrees_with_what_pango_draws) {
  const PangoContextPointer context = make_context();
  for (const bool bold : {false, true}) {
    const scene::Font font{10, bold, scene::Family::sans};
    const auto drawn = [&](const char* text) {
      PangoRectangle logical;
      pango_layout_get_extents(make_layout(context.get(), text, font).get(), nullptr, &logical);
      return pango_units_to_double(logical.width);
    };
    for (const char* text : {"attention", "head 3, layer 11",
                             "0.1234",    "1,000",
                             "[SEP]",     "##ing",
                             "√d_k",      "␣cat↵",
                             "naïve",     "привет",
                             "ελληνικά",  "Việt",
                             "שלום",      "喜欢",
                             "我喜欢 AI", "カタカナ",
                             "한국어",    "😀",
                             "👩\u200D👧",  "👍🏽",
                             "🇩🇪",        "1\uFE0F\u20E3",
                             "❤\uFE0F",   "e\u0301te\u0301"}) {
      EXPECT_NEAR(measure_text(text, font).width, drawn(text), 0.025 * drawn(text)) << text;
    }
    // Kerning makes what is drawn narrower, never wider.
    for (const char* text : {"Text", "Tokenizer", "PyTorch", "RoBERTa", "Two"}) {
      EXPECT_GT(measure_text(text, font).width, drawn(text)) << text;
      EXPECT_LT(measure_text(text, font).width, 1.1 * drawn(text)) << text;
    }
  }
}

TEST(MeasureText, mono_letters_are_alike) {
  const scene::Font font{10, false, scene::Family::mono};
  EXPECT_EQ(measure_text("iiii", font).width, measure_text("WWWW", font).width);
}

TEST(ShortenMiddle, keeps_both_ends_and_whole_characters) {
  const scene::Font font{10, false, scene::Family::sans};
  EXPECT_EQ(shorten_middle("short", font, 100), "short");
  const std::string word = "internationalization";
  const std::string shortened = shorten_middle(word, font, 60);
  EXPECT_LE(measure_text(shortened, font).width, 60);
  EXPECT_EQ(shortened.substr(0, 3), "int");
  EXPECT_EQ(shortened.substr(shortened.size() - 2), "on");
  EXPECT_NE(shortened.find("…"), std::string::npos);

  const std::string family = "👩\u200D👩\u200D👧";
  const std::string families = family + family + family + family + family;
  const std::string fewer = shorten_middle(families, font, 45);
  EXPECT_EQ(fewer.substr(0, family.size()), family);
  EXPECT_EQ(fewer.size() % family.size(), std::string("…").size()) << fewer;
  EXPECT_EQ(shorten_middle("字", font, 1), "字");
}

TEST(Xml, nothing_forbidden_remains) {
  EXPECT_EQ(escape_xml("a<b>&\"c\"]]>"), "a&lt;b&gt;&amp;&quot;c&quot;]]&gt;");
  EXPECT_EQ(escape_xml("\x01\xFF\uFFFF\u0085"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escape_xml("我 😀"), "我 😀");
}

TEST(LinePoints, an_arrow_ends_at_the_base_of_its_head) {
  scene::Polyline line;
  line.points = {{0, 0}, {100, 0}};
  line.stroke = scene::Stroke{};
  EXPECT_FALSE(scene::line_points(line).head.has_value());
  EXPECT_EQ(scene::line_points(line).points.back().x, 100);
  line.arrow = true;
  const scene::LinePoints arrow = scene::line_points(line);
  ASSERT_TRUE(arrow.head.has_value());
  EXPECT_EQ(arrow.head->tip.x, 100);
  EXPECT_LT(arrow.points.back().x, 100);
  EXPECT_EQ(arrow.points.back().x, arrow.head->base.x);
}

TEST(Xml, numbers_are_short) {
  EXPECT_EQ(svg_number(12.5), "12.5");
  EXPECT_EQ(svg_number(100), "100");
  EXPECT_EQ(svg_number(-0.0001), "0");
  EXPECT_EQ(svg_number(-1.23456), "-1.235");
}

std::vector<std::string> tick_texts(const std::vector<Tick>& ticks) {
  std::vector<std::string> all;
  for (const Tick& tick : ticks) {
    EXPECT_GE(tick.share, -1e-9);
    EXPECT_LE(tick.share, 1 + 1e-9);
    all.push_back(tick.text);
  }
  return all;
}

TEST(Ticks, are_round_numbers_inside_the_range) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(tick_texts(linear_ticks(0, 1, 6)), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(tick_texts(linear_ticks(0.013, 0.0871, 6)), (Texts{"0.02", "0.04", "0.06", "0.08"}));
  EXPECT_EQ(tick_texts(linear_ticks(-0.5, 0.5, 6)), (Texts{"−0.4", "−0.2", "0.0", "0.2", "0.4"}));
  EXPECT_EQ(tick_texts(linear_ticks(0, 30, 6)), (Texts{"0", "5", "10", "15", "20", "25", "30"}));
  EXPECT_EQ(tick_texts(logarithmic_ticks(1e-4, 1, 6)), (Texts{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"}));
  EXPECT_EQ(tick_texts(logarithmic_ticks(0.015, 0.4, 6)), (Texts{"0.02", "0.05", "0.1", "0.2"}));
  EXPECT_NEAR(logarithmic_ticks(0.01, 1, 6)[3].share, 0.5, 1e-12);
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(100000), "100,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(round_step(0.4), 1);
  EXPECT_EQ(round_step(3), 5);
  EXPECT_EQ(round_step(5.5), 10);
  EXPECT_EQ(round_step(1500), 2000);
}

}  // namespace
}  // namespace fovea
