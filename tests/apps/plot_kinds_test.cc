// Every kind of picture shows its numbers and words, printed and drawn, in both languages.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/language.h"
#include "run_plot.h"

namespace fovea {
namespace {

struct Kind {
  std::vector<std::string> arguments;
  std::vector<std::string> printed;  // parts of what is printed, in both languages
  std::vector<std::string> drawn;    // whole texts of the SVG, in both languages
  Text title;                        // another one, in each language
};

// Weights [L, H, N, M] and what a reader should see of them.
class Numbers {
 public:
  explicit Numbers(Tensor weights) : weights_(std::move(weights)) {}

  std::string weight(Index layer, Index head, Index query, Index key, int digits = 3) const {
    return fmt::format("{:.{}f}", at(layer, head, query, key), digits);
  }
  std::string mean(Index query, Index key) const {
    return fmt::format("{:.3f}", mean_of_first_layer(query, key));
  }
  // Of L0H0 and L1H1; `minus`: the terminal and the picture have different ones.
  std::string difference(Index query, Index key, const char* minus) const {
    const double value = at(0, 0, query, key) - at(1, 1, query, key);
    return fmt::format("{}{:.3f}", value < 0 ? minus : "", std::abs(value));
  }
  std::string received(Index key) const {
    double sum = 0;
    for (Index query = 0; query < weights_.shape()[2]; ++query) sum += mean_of_first_layer(query, key);
    return fmt::format("{:.3f}", sum);
  }
  std::string entropy(Index layer, Index head) const {
    const Index queries = weights_.shape()[2], keys = weights_.shape()[3];
    double sum = 0;
    for (Index query = 0; query < queries; ++query) {
      for (Index key = 0; key < keys; ++key) {
        sum -= at(layer, head, query, key) * std::log(at(layer, head, query, key));
      }
    }
    return fmt::format("{:.2f}", sum / static_cast<double>(queries));
  }
  // Of all heads of a layer: the widest line.
  std::string largest(Index layer) const {
    const ConstView rows = weights_.view().select(0, layer);
    const Tensor values = Tensor::copy_of(rows);
    return fmt::format("{:.3f}",
                       *std::max_element(values.data(), values.data() + values.shape().elements()));
  }

 private:
  double at(Index layer, Index head, Index query, Index key) const {
    return static_cast<double>(weights_(layer, head, query, key));
  }
  double mean_of_first_layer(Index query, Index key) const {
    double sum = 0;
    for (Index head = 0; head < weights_.shape()[1]; ++head) sum += at(0, head, query, key);
    return sum / static_cast<double>(weights_.shape()[1]);
  }

  Tensor weights_;
};

std::vector<Kind> kinds_of_weights(const Numbers& w) {
  return {
      {{"heatmap", "w.npy"},
       {w.mean(1, 2), "L0 mean"},
       {w.mean(1, 2)},
       {"Attention weights · L0 mean", "注意力权重 · L0 mean"}},
      {{"grid", "w.npy"},
       {"L0H0      L0H1      L0H2", "L1H2"},
       {"L0H0", "L1H2", w.weight(0, 1, 2, 3), w.weight(1, 2, 3, 0)},
       {"Attention of 2 layers × 3 heads", "2 层 × 3 头的注意力"}},
      {{"grid", "w.npy", "--heads", "L0H1,L1H2"},
       {"L0H1      L1H2\n"},
       {"L0H1", "L1H2", w.weight(0, 1, 0, 0), w.weight(1, 2, 3, 3)},
       {"Attention heads", "各注意力头"}},
      {{"difference", "w.npy", "--heads", "L0H0,L1H1"},
       {w.difference(0, 0, "-"), w.difference(2, 1, "-")},
       {w.difference(0, 0, "−"), w.difference(2, 1, "−")},
       {"Difference of attention weights", "注意力权重之差"}},
      {{"difference", "w.npy", "w.npy"},
       {"0    0.000    0.000    0.000    0.000"},
       {"0.000"},
       {"Difference of attention weights", "注意力权重之差"}},
      {{"lines", "w.npy", "--layer", "1", "--heads", "0-2"},
       {"L1H0", "L1H1", "L1H2", w.largest(1)},
       {"L1H0", "L1H1", "L1H2"},
       {"the largest weights, adding up to 90 % of each query; widest line: " + w.largest(1),
        "每个查询中合计占 90 % 的最大权重；最粗的线：" + w.largest(1)}},
      {{"bars", "w.npy"},
       {w.received(0), w.received(3)},
       {w.received(0), w.received(3)},
       {"Attention received", "收到的注意力"}},
      {{"entropy", "w.npy"},
       {w.entropy(0, 0), w.entropy(1, 2)},
       {w.entropy(0, 0), w.entropy(1, 2)},
       {"Entropy by layer and head", "各层各头的熵"}},
  };
}

// "I love AI", whose numbers the tutorial gives.
std::vector<Kind> kinds_without_weights() {
  return {
      {{"mask", "causal & window(3)", "--n", "9"},
       {"37.0 %", "  ████████          \n", "    ████████        \n"},
       {"8"},
       {"Causal and window 3: 37.0 % visible", "掩码 9 × 9：37.0 % 可见"}},
      {{"diagram"},
       {"0.0633  0.8058  0.1309"},
       {"Q = X·W_q", "O = A·V", "0.81"},
       {"I love AI: self-attention, step by step", "I love AI：自注意力，一步一步"}},
      {{"diagram", "qkv", "--query", "2"},
       {"0.0633  0.8058  0.1309"},
       {"0.063", "0.806", "0.131"},
       {"Output for AI = Σ weight · value", "AI 的输出 = Σ 权重 · 值"}},
      {{"diagram", "words", "我 喜欢 AI"},
       {"1.0  0.2  0.5  0.8"},
       {"我 →", "0.398", "0.97"},
       {"bold: weight; below it: scaled score q·k/√d_k", "粗体：权重；其下：缩放后的分数 q·k/√d_k"}},
      {{"diagram", "heads"}, {"1/√2 = 0.7071"}, {"[3, 2]", "· W_o"}, {"Heads concatenated", "拼接各个头"}},
      {{"diagram", "flow", "--mask", "causal"},
       {"1/√4 = 0.5"},
       {"−∞", "A = softmax(S/√d_k + mask)"},
       {"Masked scores", "加掩码的分数"}},
  };
}

void expect_kind(const TemporaryDirectory& directory, const Kind& kind, const char* language) {
  std::vector<std::string> arguments = kind.arguments;
  arguments.insert(arguments.end(), {"--lang", language});
  const CommandResult shown = plot(directory, arguments);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  for (const std::string& part : kind.printed)
    EXPECT_TRUE(contains(shown.out, part)) << part << "\n" << shown.out;

  arguments.insert(arguments.end(), {"--theme", "dark", "-o", "out.svg"});
  const CommandResult drawn = plot(directory, arguments);
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_EQ(drawn.out, "");
  const std::string svg = text_of(directory.file("out.svg"));
  for (const std::string& text : kind.drawn) EXPECT_TRUE(contains(svg, ">" + text + "</text>")) << text;
  const std::string& title = language == std::string("en") ? kind.title.en : kind.title.zh;
  EXPECT_TRUE(contains(svg, ">" + title + "</text>")) << title;
}

void expect_kinds(const TemporaryDirectory& directory, const std::vector<Kind>& kinds) {
  for (const Kind& kind : kinds) {
    for (const char* language : {"en", "zh"}) {
      SCOPED_TRACE(fmt::format("{} {} in {}", kind.arguments[0],
                               kind.arguments.size() > 1 ? kind.arguments[1] : "", language));
      expect_kind(directory, kind, language);
    }
  }
}

TEST(PlotKinds, of_weights_show_them) {
  const TemporaryDirectory directory;
  expect_kinds(directory, kinds_of_weights(Numbers(save_weights(directory, {2, 3, 4, 4}))));
}

TEST(PlotKinds, of_masks_and_accounts_show_them) {
  expect_kinds(TemporaryDirectory(), kinds_without_weights());
}

}  // namespace
}  // namespace fovea
