#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "fovea/examples.h"
#include "fovea/explain.h"
#include "fovea/render.h"

namespace fovea {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const Language kLanguages[] = {Language::english, Language::chinese};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void expect_one_width(const std::string& block) {
  std::set<int> widths;
  for (const std::string& line : lines_of(block)) widths.insert(display_width(line));
  EXPECT_EQ(widths.size(), 1u) << block;
}

Account masked_heads() {
  Random random = Random::numpy(1);
  const Matrix x = Matrix::normal(random, 4, 4);
  return explain(x, Projections{.w_o = Matrix::normal(random, 4, 4), .heads = 2},
                 {.tokens = {"我", "喜欢|\\", "a\nb", "👀é"}, .mask = Mask::causal()});
}

TEST(DisplayWidth, wide_narrow_combining_emoji) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("love"), 4);
  EXPECT_EQ(display_width("喜欢"), 4);
  EXPECT_EQ(display_width("，。（）"), 8);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);  // e and a combining acute
  EXPECT_EQ(display_width("🎯👀📌"), 6);
  EXPECT_EQ(display_width("│█…√ᵀ₁"), 6);
  EXPECT_EQ(display_width("한국"), 4);
  EXPECT_EQ(display_width("\x1b[1mbold\x1b[0m"), 4);
  EXPECT_EQ(display_width("\xFF\xFE"), 2);
  EXPECT_EQ(pad_right("喜", 4), "喜  ");
  EXPECT_EQ(pad_left("喜欢", 3), "喜欢");
}

TEST(MatrixText, lines_are_aligned_with_wide_labels) {
  const std::string text =
      matrix_to_terminal({{0.5, -1.25}, {-kInf, 10}}, {"我", "learning"}, {"喜欢", "👀"});
  expect_one_width(text);
  EXPECT_EQ(text,
            "            喜欢     👀  \n"
            "         ┌              ┐\n"
            "我       │  0.50  -1.25 │\n"
            "learning │  -inf  10.00 │\n"
            "         └              ┘\n")
      << text;
}

TEST(MatrixText, as_many_decimals_as_needed) {
  EXPECT_NE(matrix_to_terminal({{1, 2}}).find("│  1  2 │"), std::string::npos);
  EXPECT_NE(matrix_to_terminal({{1, 2.5}}).find("│  1.0  2.5 │"), std::string::npos);
  EXPECT_NE(matrix_to_terminal({{1.0 / 3}}).find("│  0.3333 │"), std::string::npos);
  EXPECT_NE(matrix_to_terminal({{1.0 / 3}}, {}, {}, {.digits = 8}).find("│  0.33333333 │"),
            std::string::npos);
  EXPECT_NE(matrix_to_terminal({{-1e-9, 0.25}}).find("│  0.0000  0.2500 │"), std::string::npos);
  EXPECT_NE(matrix_to_terminal({{5.07e-43, 0}}).find("5.0700e-43"), std::string::npos);
  EXPECT_NE(matrix_to_terminal({{std::nan(""), kInf}}).find("nan  inf"), std::string::npos);
}

TEST(MatrixText, up_to_seventeen_decimals) {
  const auto third = [](int digits) {
    return matrix_to_terminal({{1.0 / 3, 0.5}}, {}, {}, {.digits = digits});
  };
  EXPECT_NE(third(13).find("│  0.3333333333333  0.5000000000000 │"), std::string::npos) << third(13);
  EXPECT_NE(third(17).find("│  0.33333333333333331  0.50000000000000000 │"), std::string::npos)
      << third(17);
  EXPECT_EQ(third(18), third(17));
  const Matrix inexact{{0.1 + 0.2}};
  EXPECT_NE(matrix_to_terminal(inexact, {}, {}, {.digits = 12}).find("│  0.3 │"), std::string::npos);
  EXPECT_NE(matrix_to_terminal(inexact, {}, {}, {.digits = 17}).find("0.30000000000000004"),
            std::string::npos);
  EXPECT_NE(matrix_to_terminal({{0.25, 3}}, {}, {}, {.digits = 17}).find("│  0.25  3.00 │"),
            std::string::npos);
}

TEST(Wrapping, tokens_stay_whole) {
  const Matrix x{{1, 0, 0.3}, {0, 1, 0.2}, {0.5, 0.5, 0.1}, {0.1, 0.7, 0.2}};
  const Account account = explain(x, {}, {.tokens = {"我们", "喜欢", "编程", "机器学习"}});
  for (const Language language : kLanguages) {
    for (int width = 40; width < 90; ++width) {
      for (const std::string& line :
           lines_of(to_terminal(account, {.language = language, .width = width}))) {
        for (const auto& [open, close] : {std::pair("“", "”"), std::pair("v(", ")")}) {
          const std::size_t at = line.rfind(open);
          if (at == std::string::npos) continue;
          EXPECT_NE(line.find(close, at), std::string::npos) << width << ": " << line;
        }
      }
    }
  }
}

TEST(MatrixText, too_wide_is_shortened_and_says_so) {
  Random random(3);
  const std::string text = matrix_to_terminal(Matrix::normal(random, 3, 40), {}, {}, {.width = 60});
  expect_one_width(text);
  EXPECT_LE(display_width(lines_of(text).front()), 60);
  EXPECT_NE(text.find("…"), std::string::npos);
  const std::string tall = matrix_to_terminal(Matrix::normal(random, 200, 2));
  expect_one_width(tall);
  EXPECT_NE(tall.find("⋮"), std::string::npos);
}

TEST(MatrixText, colour_only_if_asked_and_it_keeps_the_widths) {
  const Matrix m{{0.2, 0.8}, {0.9, 0.1}};
  EXPECT_EQ(matrix_to_terminal(m, {}, {}, {}, true).find('\x1b'), std::string::npos);
  const std::string shaded = matrix_to_terminal(m, {"a", "b"}, {"a", "b"}, {.color = true}, true);
  EXPECT_NE(shaded.find("\x1b[48;2;"), std::string::npos);
  expect_one_width(shaded);
}

TEST(MatrixText, empty_and_wrong_labels) {
  expect_one_width(matrix_to_terminal(Matrix(0, 3)));
  expect_one_width(matrix_to_terminal(Matrix(2, 0)));
  EXPECT_THROW(matrix_to_terminal(Matrix(2, 2), {"a"}), Error);
}

TEST(Terminal, every_matrix_of_every_example_is_aligned_and_every_line_fits) {
  for (const Example& one : examples()) {
    for (const Language language : kLanguages) {
      const std::string text = to_terminal(one.account, {.language = language});
      EXPECT_EQ(text.find('\x1b'), std::string::npos);
      for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 100) << line;
      // From a ┌ line to the └ line all lines are as wide.
      const auto lines = lines_of(text);
      int width = 0;
      for (const std::string& line : lines) {
        if (line.find("┌") != std::string::npos) width = display_width(line);
        const bool in_matrix = line.find("│") != std::string::npos || line.find("└") != std::string::npos;
        if (in_matrix) {
          EXPECT_EQ(display_width(line), width) << line;
        }
      }
    }
  }
}

TEST(Terminal, says_titles_formulas_shapes_and_sentences) {
  const Account account = i_love_ai();
  for (const Language language : kLanguages) {
    const std::string text = to_terminal(account, {.language = language, .digits = 8});
    EXPECT_NE(text.find(account.title.in(language)), std::string::npos);
    for (const Step& step : account.steps) {
      EXPECT_NE(text.find(step.title.in(language)), std::string::npos) << step.name;
      EXPECT_NE(text.find(step.formula), std::string::npos) << step.name;
      EXPECT_NE(text.find(step.matrix.shape_text()), std::string::npos) << step.name;
    }
    EXPECT_NE(text.find("0.86724101"), std::string::npos);
  }
  EXPECT_NE(to_terminal(account).find("scale 1/√4 = 0.5"), std::string::npos);
}

TEST(Terminal, strange_tokens_do_not_break_the_layout) {
  const std::string text = to_terminal(masked_heads());
  EXPECT_NE(text.find("a␊b"), std::string::npos);
  EXPECT_NE(text.find("Head 2 of 2"), std::string::npos);
  EXPECT_NE(text.find("-inf"), std::string::npos);
}

TEST(Markdown, tables_are_well_formed) {
  for (const Language language : kLanguages) {
    const std::string text = to_markdown(masked_heads(), {.language = language});
    std::size_t columns = 0, tables = 0;
    for (const std::string& line : lines_of(text)) {
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
          ++i;
        } else {
          bars += line[i] == '|' ? 1 : 0;
        }
      }
      if (bars == 0) {
        columns = 0;
        continue;
      }
      if (columns == 0) {
        ++tables;
      } else {
        EXPECT_EQ(bars, columns) << line;
      }
      columns = bars;
    }
    EXPECT_EQ(tables, masked_heads().steps.size());
    EXPECT_EQ(text.find("a\nb"), std::string::npos);
  }
}

TEST(Json, parses_and_keeps_every_digit) {
  for (const Example& one : examples()) {
    const auto json = nlohmann::json::parse(to_json(one.account));
    EXPECT_EQ(json["title"]["zh"], one.title.zh);
    ASSERT_EQ(json["steps"].size(), one.account.steps.size());
    for (std::size_t s = 0; s < one.account.steps.size(); ++s) {
      const Step& step = one.account.steps[s];
      EXPECT_EQ(json["steps"][s]["name"], step.name);
      EXPECT_EQ(json["steps"][s]["shape"], (std::vector<Index>{step.matrix.rows(), step.matrix.columns()}));
      for (Index i = 0; i < step.matrix.rows(); ++i) {
        EXPECT_EQ(json["steps"][s]["matrix"][static_cast<std::size_t>(i)].get<std::vector<double>>(),
                  step.matrix.row(i));
      }
    }
  }
}

TEST(Json, infinity_is_a_string_and_tokens_are_escaped) {
  const Account account = masked_heads();
  const auto json = nlohmann::json::parse(to_json(account));
  EXPECT_EQ(json["tokens"].get<std::vector<std::string>>(), account.tokens);
  bool found = false;
  for (const auto& step : json["steps"]) {
    if (step["name"] != "masked") continue;
    found = true;
    EXPECT_EQ(step["matrix"][0][1], "-inf");
    EXPECT_TRUE(step["matrix"][0][0].is_number());
    EXPECT_TRUE(step["head"].is_number_integer());
  }
  EXPECT_TRUE(found);
}

TEST(Json, broken_utf8_still_gives_valid_json) {
  const Account account = explain(Matrix{{1}}, Projections{}, {.tokens = {"\xFF\"\\\x01"}});
  const auto json = nlohmann::json::parse(to_json(account));
  EXPECT_EQ(json["tokens"][0], "\xEF\xBF\xBD\"\\\x01");
}

}  // namespace
}  // namespace fovea
