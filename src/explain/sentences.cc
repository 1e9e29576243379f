#include "explain/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/number_text.h"
#include "core/utf8.h"

namespace fovea {
namespace {

using fmt::format;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMaxTerms = 5;  // terms of a sum, rows of a list: what an eye takes in at once

std::string numbers(Index count) { return format("{} number{}", count, count == 1 ? "" : "s"); }

const std::string& name_of(const Tokens& tokens, Index index) {
  return tokens[static_cast<std::size_t>(index)];
}

// What Q, K and V are for.
Text role(char which) {
  if (which == 'q') return {"what a token is looking for", "这个词在找什么"};
  if (which == 'k') return {"what a token can be found by", "这个词凭什么被找到"};
  return {"what a token hands over", "这个词交出的内容"};
}
Text noun(char which) {
  if (which == 'q') return {"query", "查询"};
  if (which == 'k') return {"key", "键"};
  return {"value", "值"};
}

// 1·0.5 + 0·(-0.2): the dot product of row i of a and column j of b, written out.
std::string dot_text(const Matrix& a, const Matrix& b, Index i, Index j) {
  const auto factor = [](double value, bool leads) {
    const std::string number = short_number(value);
    return number[0] == '-' && !leads ? format("({})", number) : number;
  };
  std::string text;
  const auto shown = std::min<Index>(a.columns(), static_cast<Index>(kMaxTerms));
  for (Index k = 0; k < shown; ++k) {
    text += format("{}{}·{}", k == 0 ? "" : " + ", factor(a(i, k), k == 0), factor(b(k, j), false));
  }
  return text + (a.columns() > shown ? " + …" : "");
}

struct Place {
  Index row = 0, column = 0;
  double value = 0;
};

// The largest (sign = 1) or smallest (sign = −1) finite entry; row −1 if there is none.
Place extreme(const Matrix& m, int sign) {
  Place best{-1, -1, 0};
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.columns(); ++j) {
      if (!std::isfinite(m(i, j))) continue;
      if (best.row < 0 || sign * m(i, j) > sign * best.value) best = {i, j, m(i, j)};
    }
  }
  return best;
}

// The row of a token that sees nothing is 0, and a poor example. −1: all are.
Index first_row_not_zero(const Matrix& m) {
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.columns(); ++j) {
      if (m(i, j) != 0) return i;
    }
  }
  return -1;
}

std::string pair_text(const Place& place, const Tokens& tokens, const Tokens& keys) {
  return quoted(name_of(tokens, place.row)) + " · " + quoted(name_of(keys, place.column));
}

// “I” looks most at “love” (52.6 %); of one row of weights.
Text look(const Matrix& weights, Index row, const Tokens& tokens, const Tokens& keys) {
  const std::string token = quoted(name_of(tokens, row));
  double best = -1;
  Index seen = 0;
  for (Index j = 0; j < weights.columns(); ++j) {
    if (std::isnan(weights(row, j))) {
      return {format("{} has no weights (its scores are NaN)", token),
              format("{}没有权重（输入中有 NaN）", token)};
    }
    best = std::max(best, weights(row, j));
    seen += weights(row, j) > 0 ? 1 : 0;
  }
  if (seen == 0)
    return {format("{} sees nothing: its row is 0", token), format("{}什么也看不到，整行为 0", token)};
  Text names;
  Index ties = 0;
  for (Index j = 0; j < weights.columns(); ++j) {
    if (weights(row, j) < best - 1e-12 || ++ties > static_cast<Index>(kMaxTerms)) continue;
    names.en += (ties == 1 ? "" : " and ") + quoted(name_of(keys, j));
    names.zh += (ties == 1 ? "" : "和") + quoted(name_of(keys, j));
  }
  if (ties > static_cast<Index>(kMaxTerms)) {
    names.en += format(" and {} more", ties - static_cast<Index>(kMaxTerms));
    names.zh += format("等 {} 个词", ties);
  }
  const std::string share = percent(best), share_zh = fixed(100 * best, 1) + "%";
  if (ties == seen && ties > 2) {
    return {format("{} looks at {} keys equally ({} each)", token, ties, share),
            format("{}对 {} 个键一视同仁（各 {}）", token, ties, share_zh)};
  }
  return {format("{} looks most at {} ({}{})", token, names.en, share, ties > 1 ? " each" : ""),
          format("{}最关注{}（{}{}）", token, names.zh, ties > 1 ? "各 " : "", share_zh)};
}

}  // namespace

std::string quoted(const std::string& token) { return format("“{}”", printable(token)); }

Text input_sentence(const Matrix& x, const Tokens& tokens) {
  const Index row = std::min<Index>(1, x.rows() - 1);
  const std::string token = quoted(name_of(tokens, row)), vector = short_vector(x.row(row));
  return {format("Each token is one row of {}; {} is {}.", numbers(x.columns()), token, vector),
          format("每个词是一行，共 {} 个数；{}是 {}。", x.columns(), token, vector)};
}

Text memory_sentence(const Matrix& memory, const Tokens& tokens) {
  const std::string first = quoted(tokens.front()), last = quoted(tokens.back());
  return {format("Keys and values come from here: {} rows of {}, from {} to {}.", memory.rows(),
                 numbers(memory.columns()), first, last),
          format("键和值来自另一个序列：共 {} 行，每行 {} 个数，从{}到{}。", memory.rows(),
                 memory.columns(), first, last)};
}

Text weight_sentence(char which, const Matrix& w) {
  return {format("Turns a row into its {}, {}: {} in, {} out.", noun(which).en, role(which).en,
                 numbers(w.rows()), w.columns()),
          format("把每一行变成{}（{}）：输入 {} 个数，输出 {} 个数。", noun(which).zh, role(which).zh,
                 w.rows(), w.columns())};
}

Text projected_sentence(char which, const Matrix& input, const Matrix& w, const Matrix& result,
                        const Tokens& tokens) {
  if (w.empty()) {
    return {format("No projection: the rows themselves serve as {} ({}).",
                   which == 'q' ? "queries" : noun(which).en + "s", role(which).en),
            format("没有投影：各行本身就是{}（{}）。", noun(which).zh, role(which).zh)};
  }
  const std::string sum = format("{} = {}", dot_text(input, w, 0, 0), short_number(result(0, 0)));
  const std::string token = quoted(tokens.front());
  return {format("One {} per row: {}. The first number of {} is {}.", noun(which).en, role(which).en, token,
                 sum),
          format("每行一个{}：{}。{}的第一个数是 {}。", noun(which).zh, role(which).zh, token, sum)};
}

Text given_sentence(char which, const Matrix& matrix) {
  const bool one = matrix.rows() == 1;
  const std::string plural = one ? noun(which).en : which == 'q' ? "queries" : noun(which).en + "s";
  return {format("{} {} of {}: {}.", matrix.rows(), plural, numbers(matrix.columns()), role(which).en),
          format("{} 个{}，{} {} 个数：{}。", matrix.rows(), noun(which).zh, one ? "有" : "每个有",
                 matrix.columns(), role(which).zh)};
}

Text split_sentence(char which, Index head, Index heads, Index begin, Index end) {
  const char letter = static_cast<char>(which - 'a' + 'A');
  const bool one = end - begin == 1;
  return {format("Head {} of {} works with column{} of {}.", head + 1, heads,
                 one ? format(" {}", begin + 1) : format("s {} to {}", begin + 1, end), letter),
          format("第 {} 个头（共 {} 个）使用 {} 的第 {} 列。", head + 1, heads, letter,
                 one ? format("{}", begin + 1) : format("{} 到 {}", begin + 1, end))};
}

Text scores_sentence(const Matrix& scores, const Tokens& tokens, const Tokens& keys) {
  Text text{"How well each query matches each key: their dot product.",
            "每个查询与每个键有多匹配：两者的点积。"};
  const Place high = extreme(scores, 1), low = extreme(scores, -1);
  if (high.row < 0) return text;
  if (high.value == low.value) {
    if (scores.rows() * scores.columns() == 1) return text;
    return {text.en + format(" All are {}.", short_number(high.value)),
            text.zh + format("全部都是 {}。", short_number(high.value))};
  }
  const std::string best = pair_text(high, tokens, keys), worst = pair_text(low, tokens, keys);
  return {text.en + format(" The highest is {} = {}, the lowest {} = {}.", best, short_number(high.value),
                           worst, short_number(low.value)),
          text.zh + format("最高的是{} = {}，最低的是{} = {}。", best, short_number(high.value), worst,
                           short_number(low.value))};
}

Text scaled_sentence(const Matrix& scores, const Matrix& scaled, Index d_k, bool by_root, double scale) {
  const std::string root = short_number(std::sqrt(static_cast<double>(d_k)));
  if (by_root && d_k == 1) {
    return {format("Divided by √{} = {}: with one number per key nothing changes.", d_k, root),
            format("除以 √{} = {}：每个键只有一个数，结果不变。", d_k, root)};
  }
  const Place high = extreme(scores, 1);
  Text change;
  if (high.row >= 0) {
    const std::string before = short_number(high.value),
                      after = short_number(scaled(high.row, high.column));
    change = {format(": the highest score {} becomes {}", before, after),
              format("：最高分 {} 变为 {}", before, after)};
  }
  if (!by_root) {
    return {format("Multiplied by {}{}.", short_number(scale, 6), change.en),
            format("乘以 {}{}。", short_number(scale, 6), change.zh)};
  }
  return {
      format("Divided by √{} = {}, so that long vectors do not drive softmax to all or nothing{}.", d_k,
             root, change.en),
      format("除以 √{} = {}，以免向量一长分数就变大，让 softmax 走向非此即彼{}。", d_k, root, change.zh)};
}

Text capped_sentence(const Matrix& before, const Matrix& after, double cap) {
  const Place high = extreme(before, 1);
  const std::string limit = short_number(cap);
  Text change;
  if (high.row >= 0) {
    const std::string a = short_number(high.value), b = short_number(after(high.row, high.column));
    change = {format(": the highest score {} becomes {}", a, b), format("：最高分 {} 变为 {}", a, b)};
  }
  return {format("Limited smoothly to the range -{} to {}{}.", limit, limit, change.en),
          format("用一条平滑曲线把分数限制在 -{} 与 {} 之间{}。", limit, limit, change.zh)};
}

Text bias_sentence(const Matrix& bias) {
  const Place high = extreme(bias, 1), low = extreme(bias, -1);
  const std::string from = short_number(low.value), to = short_number(high.value);
  return {format("Depends on the positions only, not on the tokens: from {} to {}.", from, to),
          format("按位置加上的偏置，与词的内容无关：从 {} 到 {}。", from, to)};
}

Text biased_sentence(const Matrix& before, const Matrix& after, const Tokens& tokens, const Tokens& keys) {
  const Place high = extreme(after, 1);
  if (high.row < 0) return {"The scores with the bias added.", "加上偏置后的分数。"};
  const std::string pair = pair_text(high, tokens, keys), was = short_number(before(high.row, high.column)),
                    now = short_number(high.value);
  return {format("The scores with the bias added; the highest is now {} = {} (it was {}).", pair, now, was),
          format("加上偏置后的分数；现在最高的是{} = {}（原来是 {}）。", pair, now, was)};
}

Text mask_sentence(const Matrix& mask, const Tokens& tokens, const Tokens& keys) {
  Index hidden = 0, first_row = -1;
  bool other_values = false;
  for (Index i = 0; i < mask.rows(); ++i) {
    for (Index j = 0; j < mask.columns(); ++j) {
      const bool hides = mask(i, j) == -kInfinity;
      hidden += hides ? 1 : 0;
      if (hides && first_row < 0) first_row = i;
      other_values = other_values || (!hides && mask(i, j) != 0);
    }
  }
  const Index pairs = mask.rows() * mask.columns(), visible = pairs - hidden;
  const double visible_share = static_cast<double>(visible) / static_cast<double>(pairs);
  Text text{format("0 leaves a score as it is, -inf hides it{}: {} of {} pairs are visible ({}).",
                   other_values ? ", other values are added" : "", visible, pairs, percent(visible_share)),
            format("0 保留分数，-inf 将其隐藏{}：{} 对中可见 {} 对（{}）。",
                   other_values ? "，其他数值直接相加" : "", pairs, visible,
                   fixed(100 * visible_share, 1) + "%")};
  if (first_row < 0) return text;
  std::string list_en, list_zh;
  std::size_t listed = 0;
  for (Index j = 0; j < mask.columns(); ++j) {
    if (mask(first_row, j) != -kInfinity || ++listed > kMaxTerms) continue;
    list_en += (listed == 1 ? "" : ", ") + quoted(name_of(keys, j));
    list_zh += (listed == 1 ? "" : "、") + quoted(name_of(keys, j));
  }
  const char* rest = listed > kMaxTerms ? " …" : "";
  const std::string token = quoted(name_of(tokens, first_row));
  return {text.en + format(" {} does not see {}{}.", token, list_en, rest),
          text.zh + format("{}看不到{}{}。", token, list_zh, rest)};
}

Text masked_sentence(const Matrix& masked) {
  const auto& values = masked.values();
  if (std::find(values.begin(), values.end(), -kInfinity) == values.end()) {
    return {"The values of the mask are added; nothing is hidden.", "加上掩码的数值；没有任何位置被隐藏。"};
  }
  return {"exp(-inf) = 0: a hidden key gets no share, however high its score was.",
          "exp(-inf) = 0：被隐藏的键，无论原来分数多高，都分不到权重。"};
}

Text weights_sentence(const Matrix& weights, const Tokens& tokens, const Tokens& keys) {
  Text text{"exp of each score, divided by the sum of its row: shares that add up to 1. ",
            "每个分数取 exp，再除以本行之和，成为总和为 1 的份额。"};
  const auto shown = std::min<Index>(weights.rows(), static_cast<Index>(kMaxTerms));
  for (Index i = 0; i < shown; ++i) {
    const Text one = look(weights, i, tokens, keys);
    text.en += (i == 0 ? "" : ", ") + one.en;
    text.zh += (i == 0 ? "" : "，") + one.zh;
  }
  text.en += weights.rows() > shown ? ", …" : ".";
  text.zh += weights.rows() > shown ? "……" : "。";
  return text;
}

Text mixture_sentence(const Matrix& weights, const Matrix& output, const Tokens& tokens,
                      const Tokens& keys) {
  const Index shown = first_row_not_zero(weights);
  if (shown < 0) {
    return {"Each row mixes the value rows by its weights; here no row sees anything, and all are 0.",
            "每一行按权重把各行的值混合起来；这里每一行都什么也看不到，结果全为 0。"};
  }
  std::string sum;
  std::size_t terms = 0;
  for (Index j = 0; j < weights.columns(); ++j) {
    if (weights(shown, j) == 0) continue;
    if (++terms > kMaxTerms) continue;
    sum += format("{}{}·v({})", terms == 1 ? "" : " + ", short_number(weights(shown, j)),
                  printable(name_of(keys, j)));
  }
  if (terms > kMaxTerms) sum += " + …";
  const std::string row = quoted(name_of(tokens, shown)), vector = short_vector(output.row(shown));
  return {format("Each row mixes the value rows by its weights: {} = {} = {}.", row, sum, vector),
          format("每一行按权重把各行的值混合起来：{} = {} = {}。", row, sum, vector)};
}

Text concat_sentence(Index heads, Index width) {
  return {format("What the {} heads found, side by side: {} × {} = {} per row.", heads, heads, width,
                 numbers(heads * width)),
          format("把 {} 个头的结果并排拼接：每行 {} × {} = {} 个数。", heads, heads, width, heads * width)};
}

Text output_weight_sentence(const Matrix& w) {
  return {format("Mixes what the heads found: {} in, {} out.", numbers(w.rows()), w.columns()),
          format("把各个头的结果混合起来：输入 {} 个数，输出 {} 个数。", w.rows(), w.columns())};
}

Text output_sentence(const Matrix& output, const Tokens& tokens) {
  const Index shown = std::max<Index>(0, first_row_not_zero(output));  // one that sees something, if any
  const std::string token = quoted(name_of(tokens, shown)), vector = short_vector(output.row(shown));
  return {format("The result: one new row per token; {} is now {}.", token, vector),
          format("最终结果：每个词得到新的一行；{}变为 {}。", token, vector)};
}

}  // namespace fovea
