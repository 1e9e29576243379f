// explain(): runs attention in double, and keeps every matrix on the way.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/fail.h"
#include "core/number_text.h"
#include "explain/arithmetic.h"
#include "explain/score_terms.h"
#include "explain/sentences.h"
#include "fovea/ascii.h"
#include "fovea/explain.h"
#include "fovea/render.h"

namespace fovea {
namespace {

Tokens numbered(char letter, Index count) {
  Tokens tokens;
  for (Index i = 1; i <= count; ++i) tokens.push_back(letter + std::to_string(i));
  return tokens;
}

// The names of `count` rows: those given, or letter1, letter2, ..
Tokens names_for(const Tokens& given, Index count, char letter, const char* what) {
  if (given.empty()) return numbered(letter, count);
  if (static_cast<Index>(given.size()) != count) {
    fail("[explain] {} {} for {} rows", given.size(), what, count);
  }
  return given;
}

void check_not_empty(const char* name, const Matrix& m) {
  if (m.rows() == 0 || m.columns() == 0)
    fail("[explain] {} is {}: nothing to explain", name, m.shape_text());
}

void check_projection(const char* input_name, const Matrix& input, const char* name, const Matrix& w) {
  if (w.empty()) return;
  check_not_empty(name, w);
  if (w.rows() != input.columns()) {
    fail("[explain] {} is {}, {} is {}: {} needs {} rows, one per column of {}", input_name,
         input.shape_text(), name, w.shape_text(), name, input.columns(), input_name);
  }
}

void check_qkv(const Matrix& q, const Matrix& k, const Matrix& v, Index heads) {
  check_not_empty("Q", q);
  check_not_empty("K", k);
  check_not_empty("V", v);
  if (q.columns() != k.columns()) {
    fail("[explain] Q is {}, K is {}: queries and keys need the same width", q.shape_text(),
         k.shape_text());
  }
  if (k.rows() != v.rows()) {
    fail("[explain] K is {}, V is {}: every key needs one value", k.shape_text(), v.shape_text());
  }
  if (heads < 1) fail("[explain] got {} heads, expected at least 1", heads);
  if (q.columns() % heads != 0 || v.columns() % heads != 0) {
    fail("[explain] {} heads do not evenly divide the columns of Q {} and V {}", heads, q.shape_text(),
         v.shape_text());
  }
}

void check_options(const ExplainOptions& options) {
  if (options.scale && !std::isfinite(*options.scale)) fail("[explain] scale is {}", *options.scale);
  if (options.scale && !options.scaled) fail("[explain] a scale is given, but scaled is false");
  if (!(options.softcap >= 0) || std::isinf(options.softcap)) {
    fail("[explain] softcap is {}, expected 0 (off) or a positive number", options.softcap);
  }
}

// Collects the steps. Queries are rows, keys are columns, everywhere.
class Narrator {
 public:
  Narrator(Account& account, const ExplainOptions& options) : account_(account), options_(options) {}

  void add(std::string name, Text title, std::string formula, const Matrix& matrix, const Tokens& rows,
           const Tokens& columns, Text sentence, int head = -1) {
    account_.steps.push_back({std::move(name), std::move(title), std::move(formula), matrix, rows, columns,
                              std::move(sentence), head});
  }

  // Q = X·W_q and its like; returns the matrix. W empty: the input itself.
  Matrix project(char which, const char* input_name, const Matrix& input, const Tokens& tokens,
                 const Matrix& w) {
    const Matrix result = w.empty() ? input : product(input, w);
    const char letter = static_cast<char>(which - 'a' + 'A');
    const std::string formula = w.empty() ? fmt::format("{} = {}", letter, input_name)
                                          : fmt::format("{} = {}·W_{}", letter, input_name, which);
    add(std::string(1, which), title_of(which), formula, result, tokens, {},
        projected_sentence(which, input, w, result, tokens));
    return result;
  }

  void weight(char which, const Matrix& w) {
    if (w.empty()) return;
    const Text title = title_of(which);
    add(fmt::format("w_{}", which), {"Weights of the " + lower(title.en), title.zh + "的权重矩阵"},
        fmt::format("W_{}", which), w, {}, {}, weight_sentence(which, w));
  }

  // From Q, K, V to the output; the Projections' heads and W_o.
  void attend(const Matrix& q, const Matrix& k, const Matrix& v, Index heads, const Matrix& w_o) {
    account_.heads = heads;
    account_.d_k = q.columns() / heads;
    account_.scale =
        !options_.scaled ? 1 : options_.scale.value_or(1 / std::sqrt(static_cast<double>(account_.d_k)));
    const ScoreTerms terms = score_terms(options_.bias, options_.mask, heads, q.rows(), k.rows());
    if (heads == 1) {
      const Matrix output = one_head(q, k, v, terms, 0, -1, w_o.empty());
      if (!w_o.empty()) project_output(output, w_o, "O");
      return;
    }
    std::vector<Matrix> outputs;
    for (Index h = 0; h < heads; ++h) outputs.push_back(split_head(q, k, v, terms, h));
    const Matrix concat = side_by_side(outputs);
    const std::string formula = heads == 2   ? "Concat(O₁, O₂)"
                                : heads == 3 ? "Concat(O₁, O₂, O₃)"
                                             : fmt::format("Concat(O₁, …, O{})", subscript(heads));
    const bool last = w_o.empty();
    add(last ? "output" : "concat",
        last ? Text{"Output: the heads concatenated", "输出：拼接各个头"}
             : Text{"Heads concatenated", "拼接各个头"},
        formula, concat, account_.tokens, {}, concat_sentence(heads, v.columns() / heads));
    if (!last) project_output(concat, w_o, formula);
  }

  static Text title_of(char which) {
    if (which == 'q') return {"Queries", "查询（Query）"};
    if (which == 'k') return {"Keys", "键（Key）"};
    return {"Values", "值（Value）"};
  }

 private:
  static std::string lower(std::string text) {
    text[0] = ascii_lower_case(text[0]);
    return text;
  }

  Matrix split_head(const Matrix& q, const Matrix& k, const Matrix& v, const ScoreTerms& terms, Index h) {
    const auto part = [&](char which, const Matrix& whole, const Tokens& tokens) {
      const Index width = whole.columns() / account_.heads, begin = h * width, end = begin + width;
      const Matrix columns = whole.columns_between(begin, end);
      const char letter = static_cast<char>(which - 'a' + 'A');
      add(std::string(1, which), title_of(which),
          fmt::format("{}{} = {}[:, {}:{}]", letter, subscript(h + 1), letter, begin, end), columns, tokens,
          {}, split_sentence(which, h, account_.heads, begin, end), static_cast<int>(h));
      return columns;
    };
    const Matrix q_head = part('q', q, account_.tokens);
    const Matrix k_head = part('k', k, account_.memory_tokens);
    const Matrix v_head = part('v', v, account_.memory_tokens);
    return one_head(q_head, k_head, v_head, terms, h, static_cast<int>(h), false);
  }

  // softmax(softcap(scale · QKᵀ) + bias + mask) V; `last`: this is the output of the whole.
  Matrix one_head(const Matrix& q, const Matrix& k, const Matrix& v, const ScoreTerms& terms, Index h,
                  int head, bool last) {
    const Tokens &tokens = account_.tokens, &keys = account_.memory_tokens;
    const std::string sub = head < 0 ? "" : subscript(head + 1);
    const std::string s = "S" + sub;
    const Matrix raw = product_transposed(q, k);
    add("scores", {"Scores", "分数"}, fmt::format("{} = Q{}·K{}ᵀ", s, sub, sub), raw, tokens, keys,
        scores_sentence(raw, tokens, keys), head);
    Matrix scores = raw;
    std::string formula = s;
    if (options_.scaled) formula = scale_step(scores, formula, head);
    if (options_.softcap > 0) formula = cap_step(scores, formula, head);
    if (!terms.bias.empty())
      formula = bias_step(scores, terms.bias[static_cast<std::size_t>(h)], formula, head);
    if (!terms.mask.empty())
      formula = mask_step(scores, terms.mask[static_cast<std::size_t>(h)], formula, head);

    const Matrix weights = row_softmax(scores);
    add("weights", {"Attention weights", "注意力权重"}, fmt::format("A{} = softmax({})", sub, formula),
        weights, tokens, keys, weights_sentence(weights, tokens, keys), head);
    const Matrix output = mix_values(weights, scores, v);
    const Text title = last       ? Text{"Output", "输出"}
                       : head < 0 ? Text{"Mixed values", "加权求和"}
                                  : Text{"Output of the head", "本头的输出"};
    add(last ? "output" : "head", title, fmt::format("O{} = A{}·V{}", sub, sub, sub), output, tokens, {},
        mixture_sentence(weights, output, tokens, keys), head);
    return output;
  }

  // Each of these changes the scores, tells it, and returns the formula so far.
  std::string scale_step(Matrix& scores, const std::string& formula, int head) {
    const bool by_root = !options_.scale;
    const Matrix scaled = scaled_by(scores, account_.scale);
    const std::string now =
        by_root ? formula + "/√d_k" : fmt::format("{}·{}", short_number(account_.scale, 6), formula);
    add("scaled", {"Scaled scores", "缩放后的分数"}, now, scaled, account_.tokens, account_.memory_tokens,
        scaled_sentence(scores, scaled, account_.d_k, by_root, account_.scale), head);
    scores = scaled;
    return now;
  }

  std::string cap_step(Matrix& scores, const std::string& formula, int head) {
    const Matrix capped = softcapped(scores, options_.softcap);
    const std::string c = short_number(options_.softcap);
    const std::string now = fmt::format("{}·tanh({}/{})", c, formula, c);
    add("capped", {"Softcapped scores", "软上限后的分数"}, now, capped, account_.tokens,
        account_.memory_tokens, capped_sentence(scores, capped, options_.softcap), head);
    scores = capped;
    return now;
  }

  std::string bias_step(Matrix& scores, const Matrix& bias, const std::string& formula, int head) {
    const Tokens &tokens = account_.tokens, &keys = account_.memory_tokens;
    add("bias", {"Bias", "偏置"}, "bias", bias, tokens, keys, bias_sentence(bias), head);
    const Matrix biased = sum(scores, bias);
    const std::string now = formula + " + bias";
    add("biased", {"Scores with bias", "加偏置的分数"}, now, biased, tokens, keys,
        biased_sentence(scores, biased, tokens, keys), head);
    scores = biased;
    return now;
  }

  std::string mask_step(Matrix& scores, const Matrix& mask, const std::string& formula, int head) {
    const Tokens &tokens = account_.tokens, &keys = account_.memory_tokens;
    add("mask", {"Mask", "掩码"}, "mask", mask, tokens, keys, mask_sentence(mask, tokens, keys), head);
    scores = add_mask(scores, mask);
    const std::string now = formula + " + mask";
    add("masked", {"Masked scores", "加掩码的分数"}, now, scores, tokens, keys, masked_sentence(scores),
        head);
    return now;
  }

  void project_output(const Matrix& heads, const Matrix& w_o, const std::string& formula) {
    if (w_o.rows() != heads.columns()) {
      fail("[explain] the heads give {} columns, W_o is {}: W_o needs {} rows", heads.columns(),
           w_o.shape_text(), heads.columns());
    }
    add("w_o", {"Weights of the output", "输出的权重矩阵"}, "W_o", w_o, {}, {},
        output_weight_sentence(w_o));
    const Matrix output = product(heads, w_o);
    add("output", {"Output", "输出"}, formula + "·W_o", output, account_.tokens, {},
        output_sentence(output, account_.tokens));
  }

  Account& account_;
  const ExplainOptions& options_;
};

Text default_title(bool cross, Index heads) {
  if (heads == 1) {
    return cross ? Text{"Cross-attention, step by step", "交叉注意力：一步一步"}
                 : Text{"Self-attention, step by step", "自注意力：一步一步"};
  }
  return cross ? Text{"Multi-head cross-attention, step by step", "多头交叉注意力：一步一步"}
               : Text{"Multi-head self-attention, step by step", "多头自注意力：一步一步"};
}

// Self-attention if memory is null.
Account explain_projected(const Matrix& x, const Matrix* memory, const Projections& w,
                          const ExplainOptions& options) {
  const bool cross = memory != nullptr;
  const Matrix& source = cross ? *memory : x;
  const char* source_name = cross ? "memory" : "X";
  check_options(options);
  check_not_empty("X", x);
  check_not_empty(source_name, source);
  check_projection("X", x, "W_q", w.w_q);
  check_projection(source_name, source, "W_k", w.w_k);
  check_projection(source_name, source, "W_v", w.w_v);

  Account account;
  account.title = options.title.en.empty() ? default_title(cross, w.heads) : options.title;
  account.tokens = names_for(options.tokens, x.rows(), 'x', "tokens");
  account.memory_tokens = cross || !options.memory_tokens.empty()
                              ? names_for(options.memory_tokens, source.rows(), 'm', "memory tokens")
                              : account.tokens;
  Narrator narrator(account, options);
  narrator.add("x", {"Input", "输入"}, "X", x, account.tokens, {}, input_sentence(x, account.tokens));
  if (cross) {
    narrator.add("memory", {"Memory", "记忆（来源序列）"}, "memory", source, account.memory_tokens, {},
                 memory_sentence(source, account.memory_tokens));
  }
  narrator.weight('q', w.w_q);
  narrator.weight('k', w.w_k);
  narrator.weight('v', w.w_v);
  const Matrix q = narrator.project('q', "X", x, account.tokens, w.w_q);
  const Matrix k = narrator.project('k', source_name, source, account.memory_tokens, w.w_k);
  const Matrix v = narrator.project('v', source_name, source, account.memory_tokens, w.w_v);
  check_qkv(q, k, v, w.heads);
  narrator.attend(q, k, v, w.heads, w.w_o);
  return account;
}

}  // namespace

Account explain(const Matrix& q, const Matrix& k, const Matrix& v, const ExplainOptions& options) {
  check_options(options);
  check_qkv(q, k, v, 1);
  Account account;
  account.title =
      options.title.en.empty() ? Text{"Attention, step by step", "注意力：一步一步"} : options.title;
  account.tokens = names_for(options.tokens, q.rows(), 'q', "tokens");
  account.memory_tokens = names_for(options.memory_tokens, k.rows(), 'k', "memory tokens");
  Narrator narrator(account, options);
  narrator.add("q", Narrator::title_of('q'), "Q", q, account.tokens, {}, given_sentence('q', q));
  narrator.add("k", Narrator::title_of('k'), "K", k, account.memory_tokens, {}, given_sentence('k', k));
  narrator.add("v", Narrator::title_of('v'), "V", v, account.memory_tokens, {}, given_sentence('v', v));
  narrator.attend(q, k, v, 1, {});
  return account;
}

Account explain(const Matrix& x, const Projections& projections, const ExplainOptions& options) {
  return explain_projected(x, nullptr, projections, options);
}

Account explain(const Matrix& x, const Matrix& memory, const Projections& projections,
                const ExplainOptions& options) {
  return explain_projected(x, &memory, projections, options);
}

bool Account::has(std::string_view name, int head) const {
  for (const Step& one : steps) {
    if (one.name == name && (head < 0 || one.head == head)) return true;
  }
  return false;
}

const Step& Account::step(std::string_view name, int head) const {
  std::vector<std::string> known;
  for (const Step& one : steps) {
    if (one.name == name && (head < 0 || one.head == head)) return one;
    known.push_back(one.name + (one.head < 0 ? "" : fmt::format(" (head {})", one.head)));
  }
  fail("[account] no step named {}{}; there are: {}", name,
       head < 0 ? "" : fmt::format(" of head {}", head), listed(known, 30));
}

}  // namespace fovea
