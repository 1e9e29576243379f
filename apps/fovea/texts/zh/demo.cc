// fovea demo, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations demo() {
  return {
      {"queries, keys, values: one query by hand, and two exercises", "Q、K、V：手算一个查询，加两道练习"},
      {"self-attention from X, W_q, W_k, W_v", "自注意力：从 X、W_q、W_k、W_v 算起"},
      {"sentences made of small word vectors, read word by word", "用小词向量表示的句子，逐词解读"},
      {"why the scores are divided by √d_k, measured", "为什么要除以 √d_k：实测"},
      {"no word sees a later one", "因果掩码：看不到后面的词"},
      {"every kind of mask, and how they combine", "各种掩码及其组合"},
      {"several heads, side by side", "多个头并排对比"},
      {"cross-attention: one sentence looks at another", "交叉注意力：一句话看另一句话"},
      {"the shape of every tensor along the way", "每一步张量的形状"},
      {"linear attention: without the N×M matrix", "线性注意力：不需要 N×M 矩阵"},
      {"the tutorials' pictures: heatmaps, eight heads, the sparse mask",
       "教程中的图：热力图、八个头、稀疏掩码"},
      {"worked examples of attention; without a name lists them, demo all runs them all",
       "注意力示例：demo 列出，demo all 全部演示"},
      {"one query, three keys, every step", "一个查询、三个键，每一步"},
      {"everything, in Chinese", "全部演示，中文"},
      {"two of them", "其中两个"},
      {"the tutorials' pictures, as PNG too", "教程中的图，同时写成 PNG"},
      {"the measurement as JSON", "测量数据，供程序读取"},
      {"what to show", "要演示的内容"},
      {"decimals; default: 8", "小数位数；默认 8"},
      {"visualize, finds: folder for the PNG files; default for visualize: the current one (with all: not "
       "written)",
       "visualize 和 finds 的 PNG 文件写入的文件夹；visualize 默认当前文件夹（all 时不写）"},
      {"what trained models find: who 她 is, and which words belong together",
       "训练好的模型找到了什么：她是谁，哪些词有关系"},
      {"who 她 is, before and after training", "她是谁：训练前与训练后"},
      {"scaling and shapes: machine-readable", "scaling 和 shapes 的 JSON"},
      {"all of them but finds, in this order", "除 finds 外，按此顺序全部演示"},
      {"A query is compared with every key (dot product), the scores are divided by √d_k, softmax "
       "turns them into weights that sum to 1, and the weights mix the values.",
       "查询与每个键比较（点积），分数除以 √d_k，softmax 把它们变成和为 1 的权重，再用权重混合各个值。"},
      {"Queries, keys and values are three projections of the same X: every row looks at every row.",
       "查询、键、值都是同一个 X 的投影：每一行都看所有的行。"},
      {"Words as made-up vectors of four numbers; Q = K = V = X. Vectors that point in a similar "
       "direction, and long vectors, get more attention.",
       "每个词是人为设定的四个数；Q = K = V = X。方向相近、长度较大的词得到更多注意力。"},
      {"A word that is not in the vocabulary", "词表中没有的词"},
      {"Each head has its own queries, keys and values, a slice of the width, and can look at different "
       "tokens; the outputs are concatenated and mixed by W_O.",
       "每个头有自己的查询、键、值，只占宽度的一部分，可以各看各的；各头的输出拼接起来，再由 W_O 混合。"},
      {"我 喜欢 学习 AI 技术, two heads of width 2, W from NumPy's seed 42",
       "我 喜欢 学习 AI 技术，两个宽度为 2 的头，W 取自 NumPy 种子 42"},
      {"Through the engine: d_k = E / H", "用引擎计算：d_k = E / H"},
      {"A width that is not divisible by the number of heads", "宽度不能被头数整除"},
      {"Queries come from one sequence (a decoder), keys and values from another (an encoder): one row "
       "per query, one column per key.",
       "查询来自一个序列（解码器），键和值来自另一个（编码器）：行数是查询数，列数是键数。"},
      {"Through the engine: two targets of 10, two sources of 20 and 12 words, four heads",
       "用引擎计算：两个长 10 的目标，两个长 20 与 12 的源，四个头"},
      {"[B, N, E], from the decoder", "[B, N, E]，来自解码器"},
      {"[B, M, E], from the encoder", "[B, M, E]，来自编码器"},
      {"[B, N, E], as the query", "[B, N, E]，与查询相同"},
      {"Multiplications for d = 64: N²·2d against N·2d²", "d = 64 时的乘法次数：N²·2d 对 N·2d²"},
      {"φ(Q)(φ(K)ᵀV) instead of (φ(Q)φ(K)ᵀ)V: the product in brackets is D × Dv, so no N × M matrix is "
       "built and the cost grows linearly with N. φ = ELU + 1 replaces exp; there is no 1/√D. It is a "
       "different kind of attention, not a faster way to compute the same one: its weights are flatter.",
       "用 φ(Q)(φ(K)ᵀV) 代替 (φ(Q)φ(K)ᵀ)V：括号中的乘积是 D × Dv，不产生 N × M 矩阵，开销随 N 线性增长。"
       "φ = ELU + 1 代替了 exp，也没有 1/√D。它是另一种注意力，而不是同一结果的捷径：权重更平。"},
      {"Weights of softmax attention", "softmax 注意力的权重"},
      {"Weights that linear attention implies", "线性注意力隐含的权重"},
      {"Output of linear attention", "线性注意力的输出"},
      {"Both orders of multiplication agree within 2e-6.", "两种乘法次序的结果一致，误差不超过 2e-6。"},
      {"So does the causal form, a running sum over the keys.", "因果形式（对键逐个累加）也一致。"},
      {"A model that generates text must not see tokens it has not generated yet: query i sees keys 0..i. "
       "Hidden keys get −inf added to their score, and so weight 0.",
       "生成文本的模型不能看到还没写出的内容：第 i 个查询只看见第 0..i 个键。"
       "被隐藏的分数加上 −inf，权重即为 0。"},
      {"I love AI, where no word sees a later one", "I love AI：看不到后面的词"},
      {"A mask says which keys (columns) each query (row) may see: 1 visible, 0 hidden. "
       "Masks are values: they combine with & (and), | (or) and ! (not).",
       "掩码规定每个查询（行）能看见哪些键（列）：1 可见，0 隐藏。"
       "掩码是值，可用 &（与）、|（或）、!（非）组合。"},
      {"Padding: two sequences, 0 is the pad", "填充：两个序列，0 是填充符"},
      {"Padding and causal", "填充与因果"},
      {"A sliding window", "滑动窗口"},
      {"Sparse: neighbours, and every fourth position", "稀疏：近邻，以及每第四个位置"},
      {"Several documents in one row, a prefix that sees itself, and negation",
       "一行多篇文档、互相可见的前缀、取反"},
      {"Additive masks: −inf hides, −1e9 only lowers the score", "加性掩码：−inf 隐藏，−1e9 只是压低"},
      {"A row that may see nothing gives weights 0 and output 0, not NaN.",
       "什么都看不见的一行，权重为 0，输出为 0，而不是 NaN。"},
      {"The float32 engine gives the same weights and output within 1e-6.",
       "float32 引擎给出同样的权重和输出，误差不超过 1e-6。"},
      {"The float32 engine differs by more than 1e-6.", "float32 引擎的误差超过 1e-6。"},
      {"NAME is one or more of {0}, or all. Without a name they are listed.",
       "NAME 可取一个或多个：{0}，或 all。不带名称时列出全部。"},
      {"demo {0} · {1}", "demo {0} · {1}"},
      {"[B, N, E], E = {0}, {1} heads: d_k = {2}", "[B, N, E]，E = {0}，{1} 个头：d_k = {2}"},
      {"[B, H, N, M]", "[B, H, N, M]"},
      {"[B, N, E]", "[B, N, E]"},
      {"largest weight on a pad of the second source: {0:g}", "第二个源中填充位置的最大权重：{0:g}"},
  };
}

}  // namespace fovea::command::zh
