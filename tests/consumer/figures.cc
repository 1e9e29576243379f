// Figures of every kind as SVG into a folder, for scripts/check_parts: the files must not depend on cairo.
// Says what PNG gives.
#include <fovea/fovea.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace fovea;  // NOLINT: a program

// Weights [H, N, M] that fall off around a diagonal, so that no two rows look alike.
Tensor weights(Index heads, Index n, Index m) {
  Tensor w({heads, n, m});
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < n; ++i) {
      double sum = 0;
      const auto value = [&](Index j) {
        return 1 / (1 + std::abs(static_cast<double>((h + 1) * (i - j))));
      };
      for (Index j = 0; j < m; ++j) sum += value(j);
      for (Index j = 0; j < m; ++j) w(h, i, j) = static_cast<float>(value(j) / sum);
    }
  }
  return w;
}

void draw_all(const std::string& folder) {
  const auto save = [&](const std::string& name, const Figure& figure) {
    save_figure(folder + "/" + name + ".svg", figure);
  };
  const std::vector<std::string> tokens = {"[CLS]",    "AVAToWaLT", "Ġnaïve", "喜欢",
                                           "👩\u200D👧", "привет",    "مرحبا",  "[SEP]"};
  const auto n = static_cast<Index>(tokens.size());
  const Tensor w = weights(4, n, n);
  const ConstView one = w.view().select(0, 0);
  save("heatmap", heatmap(one, {.queries = tokens, .keys = tokens, .title = "Where each word looks"}));
  save("heatmap_dark",
       heatmap(one, {.title = "注意力", .theme = Theme::dark, .language = Language::chinese}));
  save("heatmap_large", heatmap(weights(1, 120, 90).view().select(0, 0)));  // its cells are one picture
  save("difference", difference_heatmap(one, w.view().select(0, 1), {.queries = tokens, .keys = tokens}));
  save("head_grid", head_grid(w, {.heatmap = {.queries = tokens, .keys = tokens}}));
  save("lines", attention_lines(w, {.queries = tokens, .keys = tokens}));
  save("bars", attention_bars({0.5, 2, 1.25, 0, 3, 1, 0.75, 0.5}, {.labels = tokens, .reference = 1.0}));
  save("mask", mask_picture(Mask::causal() & Mask::sliding_window(3, 0), 12, 12));
  save("matrix", layer_head_matrix(Matrix{{0.5, 1.5}, {2, 0.25}}));
  save("growth", growth_chart({{"standard", {{128, 0.001}, {256, 0.004}, {512, 0.017}}},
                               {"linear", {{128, 0.001}, {256, 0.002}, {512, 0.004}}}},
                              {.note = "B 8, heads 1, d 64"}));
  const Account account = i_love_ai();
  save("flow", flow_diagram(account));
  save("query_key_value", query_key_value_diagram(account));
  save("word_scores", word_scores_diagram(account, {.language = Language::chinese}));
}

}  // namespace

int main(int, char** arguments) {
  draw_all(arguments[1]);
  try {
    std::printf("PNG: %zu bytes\n", to_png(Figure()).size());
  } catch (const Error& error) {
    std::printf("PNG: %s\n", error.what());
  }
}
