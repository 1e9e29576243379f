// fovea plot, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations plot() {
  return {
      {"draw attention: PNG, SVG, PDF, or in the terminal",
       "绘制注意力图像：PNG、SVG、PDF，或直接显示在终端"},
      {"KIND is heatmap (the default), grid (many heads), difference (of two files, or of two heads), "
       "mask, lines, bars (attention received), entropy (or another --measure, by layer and head), "
       "growth (of fovea bench linear), speed (of fovea bench --json), diagram (flow, qkv, words or heads) "
       "or training (the loss in the folder of fovea train). FILE holds weights [N, M] to [L, B, H, N, M] "
       "or one array per layer (.npy, .npz, .safetensors, .json); with --q and --k they are computed, for "
       "long inputs too; with --model, FILE is a text for the model, and a second one makes a pair. Rows "
       "are queries, columns are keys. Without -o the picture is printed in the terminal.",
       "KIND 可取 heatmap（默认）、grid（多个头）、difference（两个文件或两个头之差）、mask、lines、bars"
       "（收到的注意力）、entropy（各层各头）、growth（fovea bench linear 的结果）、speed（fovea bench --json "
       "的结果）、diagram（flow、qkv、words、heads）或 training（fovea train 文件夹中的损失曲线）。"
       "FILE 是权重 [N, M] 到 [L, B, H, N, M]，或每层一个数组（.npy、.npz、"
       ".safetensors、.json）；用 --q 和 --k 时现场计算，输入可以很长；用 --model 时 FILE 是模型要读的文"
       "本，再给一个则组成句对。行是查询，列是键。不给 -o 时打印在终端。"},
      {"a heatmap, with the words on both axes", "热力图，两轴标注词语"},
      {"one head of a real model", "真实模型的一个头"},
      {"what this head really passes on", "这个头真正传出去的内容有多少"},
      {"passed-on: what heads really pass on, the norm of weight · value · W_O; needs --model or --capture; "
       "default: weights",
       "passed-on：头真正传出去的量，即 权重 · 值 · W_O 的范数；需要 --model 或 --capture；默认 weights"},
      {"all heads of layer 5 (the first is 0)", "第 5 层的所有头（从 0 起）"},
      {"lines between the words, one colour per head", "词与词之间的连线，每个头一种颜色"},
      {"100,000 tokens: the matrix is never built", "十万个词元：从不构造整个矩阵"},
      {"in the terminal: where two matrices differ", "在终端中：两个矩阵的差异"},
      {"a mask and its density", "掩码及其密度"},
      {"who looks at whom, with all numbers", "谁在关注谁，附全部数字"},
      {"the kind of picture, then its files (a mask's EXPR, a diagram's form and sentence)",
       "图像种类，其后是文件（或掩码表达式、图示的形式与句子）"},
      {"a .png, .svg or .pdf file; default: print in the terminal", ".png、.svg 或 .pdf；默认打印在终端"},
      {"lines: for each query, the largest weights that add up to this share; default: 0.9",
       "lines：每个查询中合计占此比例的最大权重；默认 0.9"},
      {"lines: only this query; diagram qkv: the query to follow; default: 0",
       "lines：只画该查询；diagram qkv：跟踪的查询；默认 0"},
      {"entropy: another measure of fovea analyze, such as confidence or previous_token",
       "entropy：换成 fovea analyze 的其他度量，如 confidence、previous_token"},
      {"mask: number of queries; default: 16", "mask：查询个数；默认 16"},
      {"mask: number of keys; default: N", "mask：键的个数；默认 N"},
      {"diagram: a built-in example (fovea explain --list)", "diagram：现成的示例（fovea explain --list）"},
      {"diagram: split the width into H heads", "diagram：把宽度分成 H 个头"},
      {"diagram: draw random W_q, W_k, W_v, W_o, as NumPy does after seed(S)",
       "diagram：像 NumPy 的 seed(S) 那样抽取 W_q、W_k、W_v、W_o"},
      {"title; \"\": none", "标题；\"\" 表示没有"},
      {"label below the keys", "键轴标题"},
      {"label beside the queries", "查询轴标题"},
      {"label of the colour bar", "色条标题"},
      {"colormap; default: depends on the kind", "配色；默认随图像种类"},
      {"range of the colours: unit (0 to 1), row (each row up to its maximum), data, log or LOW..HIGH",
       "颜色的取值范围：unit（0 到 1）、row（每行除以最大值）、data、log 或 LOW..HIGH"},
      {"default: light", "默认 light"},
      {"leave out the numbers in the cells", "格中不写数字"},
      {"decimals of numbers", "小数位数"},
      {"resolution of a PNG; default: 150", "PNG 的分辨率；默认 150"},
      {"pixel ratio of a PNG for high-density screens, 1 to 4", "PNG 的倍率，1 到 4"},
      {"width of a PNG in pixels, instead of --dpi", "PNG 的像素宽度，代替 --dpi"},
  };
}

}  // namespace fovea::command::zh
