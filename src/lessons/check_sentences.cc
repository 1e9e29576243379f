#include "lessons/check_sentences.h"

#include <fmt/core.h>

#include <cmath>

#include "core/number_text.h"
#include "lessons/check_matching.h"

namespace fovea {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? short_number(value, 6) : format_number(value, {});
}

std::string cell_text(const std::string& part, const std::vector<Index>& cell) {
  std::string text = part;
  for (const Index i : cell) text += fmt::format("[{}]", i);
  return text;
}

// The same numbers with rows and columns exchanged.
bool is_transposed(const NumberArray& got, const NumberArray& expected) {
  const std::vector<Index> a = plain_shape(got.shape), b = plain_shape(expected.shape);
  if (a.size() != 2 || b.size() != 2 || a[0] != b[1] || a[1] != b[0]) return false;
  for (Index i = 0; i < b[0]; ++i) {
    for (Index j = 0; j < b[1]; ++j) {
      const double x = got.values[static_cast<std::size_t>(j * b[0] + i)],
                   y = expected.values[static_cast<std::size_t>(i * b[1] + j)];
      if (!near(x, y, 1e-3 * std::max(1.0, std::abs(y)))) return false;
    }
  }
  return true;
}

Text first_number(const Difference& first, std::size_t inputs) {
  const std::string cell = cell_text(first.part, first.cell);
  const std::string expected = number(first.expected), got = number(first.got);
  const bool by = std::isfinite(first.got) && std::isfinite(first.expected);
  const std::string off = by ? number(std::abs(first.got - first.expected)) : "";
  const std::string of_en = inputs > 1 ? fmt::format("of input {} ", first.input + 1) : "";
  const std::string of_zh = inputs > 1 ? fmt::format("（第 {} 组输入）", first.input + 1) : " ";
  return {fmt::format("The first number that shows it: {} {}should be {}, yours is {}{}.", cell, of_en,
                      expected, got, by ? fmt::format(", {} off", off) : ""),
          fmt::format("最先看出来的数：{}{}应为 {}，你的是 {}{}。", cell, of_zh, expected, got,
                      by ? fmt::format("，相差 {}", off) : "")};
}

void add_one(const std::vector<std::string>& explanation, std::vector<Text>& sentences) {
  if (explanation.size() > 1) sentences.push_back({"Two mistakes at once:", "同时犯了两个错误："});
  for (const std::string& id : explanation) {
    const Mistake& each = mistake(id);
    sentences.push_back({each.title.en + " " + each.reason.en, each.title.zh + each.reason.zh});
  }
}

void add_several(const std::vector<std::vector<std::string>>& explanations, std::vector<Text>& sentences) {
  sentences.push_back({"On these numbers several mistakes look alike; it is one of these:",
                       "在这组数上，几种错误的结果一样；是其中之一："});
  for (const std::vector<std::string>& explanation : explanations) {
    Text line = {"-", "-"};
    for (const std::string& id : explanation) {
      line.en += " " + mistake(id).title.en;
      line.zh += " " + mistake(id).title.zh;
    }
    sentences.push_back(std::move(line));
  }
}

}  // namespace

Text sentence_of_missing_output() {
  return {"There is no \"output\": the answer needs one, the weights alone are not enough.",
          "缺少 \"output\"：答案里必须有输出，只有权重还不够。"};
}

Text sentence_of_shape(bool weights, const NumberArray& got, const NumberArray& expected) {
  const bool transposed = is_transposed(got, expected);
  const std::string g = got.shape.to_string(), e = expected.shape.to_string();
  return {fmt::format("The {} {} the shape {}, expected {}.{}", weights ? "weights" : "output",
                      weights ? "have" : "has", g, e,
                      transposed ? " The numbers are right, but rows and columns are exchanged." : ""),
          fmt::format("{}的形状是 {}，应为 {}。{}", weights ? "权重" : "输出", g, e,
                      transposed ? "数是对的，只是行和列互换了。" : "")};
}

Text sentence_of_decimals(int decimals) {
  return {
      fmt::format("This may be right, but it is too rough to tell. Give at least {} decimals.", decimals),
      fmt::format("可能是对的，但位数太少，无法判断。请至少给出 {} 位小数。", decimals)};
}

std::vector<Text> sentences_of(const Diagnosis& diagnosis, std::size_t inputs) {
  std::vector<Text> sentences;
  if (diagnosis.explanations.size() == 1) {
    add_one(diagnosis.explanations.front(), sentences);
  } else if (!diagnosis.explanations.empty()) {
    add_several(diagnosis.explanations, sentences);
  } else if (diagnosis.verdict == Verdict::not_a_number) {
    sentences.push_back(
        {"There are numbers that are not finite. Somewhere 0 was divided by 0, or exp "
         "overflowed: look at the first such row.",
         "有的数不是有限值。某处用 0 除以了 0，或者 exp 溢出了：请看第一个出问题的行。"});
  } else {
    sentences.push_back(
        {"This is wrong, but not one of the mistakes I know.", "不对，但不是我认识的错误。"});
  }
  if (diagnosis.first) sentences.push_back(first_number(*diagnosis.first, inputs));
  return sentences;
}

}  // namespace fovea
