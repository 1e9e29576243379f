#include "fovea/examples.h"

#include <fmt/format.h>

#include "core/fail.h"
#include "core/number_text.h"
#include "fovea/words.h"

namespace fovea {
namespace {

// "[0.4011, 0.1978]": what is right, in a note. The tutorials' own wrong numbers are quoted as they stand.
std::string list(const std::vector<double>& values, int decimals) {
  std::string text = "[";
  for (const double value : values) text += (text.size() == 1 ? "" : ", ") + fixed(value, decimals);
  return text + "]";
}

// softmax(X Xᵀ/√d) X: queries, keys and values are the vectors themselves.
Account plain_self_attention(const Text& title, const std::vector<std::string>& tokens, const Matrix& x) {
  return explain(x, Projections{}, {.title = title, .tokens = tokens});
}

Account qkv(const Text& title) {
  Account account = explain(Matrix{{1, 0}}, Matrix{{1, 0}, {0, 1}, {1, 0}},
                            Matrix{{10, 0}, {0, 20}, {30, 0}}, {.title = title});
  const std::string weights = list(account.weights().row(0), 4), output = list(account.output().row(0), 4);
  account.notes.push_back(
      {fmt::format(
           "a tutorial prints the weights [0.5, 0, 0.5] and the output [20, 0]. That is wrong: softmax "
           "gives a score of 0 a share too (exp(0) = 1). The correct values are {} and {}.",
           weights, output),
       fmt::format("有教程给出权重 [0.5, 0, 0.5] 和输出 [20, 0]，这是错的：分数为 0 的键经过 softmax "
                   "也有份额（exp(0) = 1）。正确的是 {} 和 {}。",
                   weights, output)});
  return account;
}

Account exercise_1(const Text& title) {
  Account account =
      explain(Matrix{{1}}, Matrix{{1}, {2}, {0.5}}, Matrix{{10}, {20}, {5}}, {.title = title});
  const std::string output = fixed(account.output()(0, 0), 4);
  account.notes.push_back(
      {fmt::format("a tutorial rounds the weights first and gets 15.57; without rounding it is {}.",
                   output),
       fmt::format("有教程先把权重四舍五入，得到 15.57；不提前舍入的结果是 {}。", output)});
  return account;
}

Account exercise_2(const Text& title) {
  return explain(Matrix{{1, 0}}, Matrix::identity(2), Matrix{{5, 0}, {0, 10}}, {.title = title});
}

Account three_words(const Text& title) {
  Account account = plain_self_attention(title, {"我", "喜欢", "AI"}, {{1, .5}, {.8, .6}, {.5, 1}});
  const std::string weights = list(account.weights().row(0), 4), output = fixed(account.output()(0, 1), 4);
  account.notes.push_back(
      {fmt::format(
           "a tutorial gives the row of 我 as [0.37, 0.32, 0.31] and its second output as 0.687. The 0.32 "
           "and the 0.687 are wrong; the correct values are {} and {}.",
           weights, output),
       fmt::format("有教程把“我”的一行写成 [0.37, 0.32, 0.31]，第二个输出写成 0.687。其中 0.32 和 0.687 "
                   "是错的：正确的是 {} 和 {}。",
                   weights, output)});
  return account;
}

Account love_ai(const Text& title) {
  Random random = Random::numpy(42);
  Projections w;
  w.w_q = Matrix::normal(random, 4, 4);
  w.w_k = Matrix::normal(random, 4, 4);
  w.w_v = Matrix::normal(random, 4, 4);
  return explain(Matrix{{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}}, w,
                 {.title = title, .tokens = {"I", "love", "AI"}});
}

Account self_attention_example(const Text& title) {
  Random random = Random::numpy(42);
  const Matrix x = Matrix::normal(random, 3, 4);
  Projections w;
  w.w_q = Matrix::normal(random, 4, 3);
  w.w_k = Matrix::normal(random, 4, 3);
  w.w_v = Matrix::normal(random, 4, 3);
  Account account = explain(x, w, {.title = title});
  const std::string weights = list(account.weights().row(0), 4);
  account.notes.push_back(
      {fmt::format(
           "a tutorial prints other weights and outputs for the same X. They are wrong: the first row of "
           "weights is {}.",
           weights),
       fmt::format("有教程对同一个 X 给出了不同的权重和输出，那是错的：权重的第一行是 {}。", weights)});
  return account;
}

Account five_words(const Text& title) {
  Random random = Random::numpy(42);
  return plain_self_attention(title, {"我", "喜欢", "学习", "AI", "技术"}, Matrix::normal(random, 5, 5));
}

Account deep_ml_self_attention(const Text& title) {
  const Matrix eye = Matrix::identity(2);
  return explain(eye, Projections{.w_q = eye, .w_k = eye, .w_v = {{1, 2}, {3, 4}}}, {.title = title});
}

Account deep_ml_multi_head(const Text& title) {
  Account account = explain(Matrix::identity(2), Projections{.heads = 2}, {.title = title});
  const std::string first = list(account.output().row(0), 4), second = list(account.output().row(1), 4);
  account.notes.push_back(
      {fmt::format(
           "the published answer of this exercise is the identity matrix. That is wrong: the rows are {} "
           "and {}.",
           first, second),
       fmt::format("这道题公布的答案是单位矩阵，那是错的：两行应为 {} 和 {}。", first, second)});
  return account;
}

template <std::size_t kSentence>
Account words(const Text& title) {
  const EmbeddedSentence sentence = WordVectors::builtin().embed(word_sentences()[kSentence]);
  return plain_self_attention(title, sentence.tokens, sentence.x);
}

struct Entry {
  const char* id;
  const char* en;
  const char* zh;
  Account (*make)(const Text& title);
};

constexpr Entry kEntries[] = {
    {"qkv", "Worked example: one query, three keys", "算例：一个查询，三个键", qkv},
    {"exercise-1", "Exercise 1: vectors of one number", "练习 1：只有一个数的向量", exercise_1},
    {"exercise-2", "Exercise 2: the keys are the identity", "练习 2：键是单位矩阵", exercise_2},
    {"three-words", "我 喜欢 AI: three words, two numbers each", "我 喜欢 AI：三个词，每个词两个数",
     three_words},
    {"i-love-ai", "I love AI: self-attention, step by step", "I love AI：自注意力，一步一步", love_ai},
    {"self-attention", "Self-attention on a random X, 3 × 4", "自注意力：随机的 X，3 × 4",
     self_attention_example},
    {"five-words", "我 喜欢 学习 AI 技术: five words, random vectors",
     "我 喜欢 学习 AI 技术：五个词，随机向量", five_words},
    {"deep-ml-self-attention", "Deep-ML style exercise: self-attention", "Deep-ML 式练习：自注意力",
     deep_ml_self_attention},
    {"deep-ml-multi-head", "Deep-ML style exercise: multi-head attention", "Deep-ML 式练习：多头注意力",
     deep_ml_multi_head},
    {"words-1", "Word vectors: 我 喜欢 学习 AI 技术", "词向量：我 喜欢 学习 AI 技术", words<0>},
    {"words-2", "Word vectors: 编程 很 有趣", "词向量：编程 很 有趣", words<1>},
    {"words-3", "Word vectors: 我 喜欢 编程", "词向量：我 喜欢 编程", words<2>},
};

Example make(const Entry& entry) {
  const Text title{entry.en, entry.zh};
  return {entry.id, title, entry.make(title)};
}

}  // namespace

std::vector<std::string> example_ids() {
  std::vector<std::string> ids;
  for (const Entry& entry : kEntries) ids.emplace_back(entry.id);
  return ids;
}

Example example(std::string_view id) {
  std::string known;
  for (const Entry& entry : kEntries) {
    if (entry.id == id) return make(entry);
    known += (known.empty() ? "" : ", ") + std::string(entry.id);
  }
  fail("[examples] no example named {}; there are: {}", id, known);
}

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const Entry& entry : kEntries) all.push_back(make(entry));
  return all;
}

Account i_love_ai() { return example("i-love-ai").account; }

}  // namespace fovea
