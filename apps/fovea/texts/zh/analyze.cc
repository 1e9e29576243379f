// fovea analyze, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations analyze() {
  return {
      {"measure attention: entropy, attention received, head roles, similarity, rollout",
       "度量注意力：熵、谁被关注、头的角色、头的相似度、逐层展开"},
      {"FILE holds weights [N, M] to [L, B, H, N, M] (rows are queries; .npy, .npz, .safetensors, .json); "
       "or --q and --k give queries and keys, without ever building the weights; or --model runs a model "
       "on a text. Per head: entropy, attention received by the most attended key, role and, with "
       "--measures, any measure that --explain lists. For a single layer also per token, averaged over "
       "the heads: entropy, row sum, diagonal, attention received.",
       "FILE 中是权重 [N, M] 到 [L, B, H, N, M]（行是查询；.npy、.npz、.safetensors、.json）；也可以用 "
       "--q、--k 给出查询和键，此时不会构造权重矩阵；或用 --model 让模型读一段文本。"
       "对每个头给出熵、最受关注的键、角色，以及用 --measures 指定的任何指标（见 --explain）。"
       "只有一层时，还按词元给出各头平均权重的熵、行和、对角线和收到的注意力。"},
      {"\"I love AI\" through four heads", "“I love AI”经过四个头"},
      {"one row per head, with the words as labels", "每个头一行，带词语名称"},
      {"what the heads of a real model do with a sentence", "真实模型的各个头如何处理一句话"},
      {"the ten most spread-out heads of all layers", "所有层中最分散的十个头"},
      {"long inputs, as CSV for a spreadsheet", "长输入，供表格软件读取"},
      {"which heads look alike", "哪些头彼此相似"},
      {"how much of each token reaches position 0 of the last layer", "各词元有多少到达最后一层的位置 0"},
      {"what a measure means", "某项指标的含义"},
      {"which heads pass on most, and whether it comes from where they look",
       "哪些头传出最多，传出的内容是否来自它们关注之处"},
      {"a .npy, .npz, .safetensors or .json file; with --model: a text, or a pair of texts",
       ".npy、.npz、.safetensors 或 .json 文件；使用 --model 时为一段文本或一对文本"},
      {"instead of a file: \"I love AI\", three tokens, four heads",
       "不读文件，用“I love AI”：三个词、四个头"},
      {"what a measure means, its range and its caveat; without a name: lists all measures",
       "某项指标的含义、取值范围与注意事项；不带名称则列出全部"},
      {"columns to show: entropy,distance,role; or all", "要显示的列：如 entropy,distance,role；或 all"},
      {"sort heads by this measure, largest first", "按该指标从大到小排列各头"},
      {"only the first N heads", "只显示前 N 个头"},
      {"block size in tokens for block_diagonal; default: sentences, split at special tokens",
       "block_diagonal 的块大小；默认按特殊词元分句"},
      {"the period of a repeated sequence, for induction; default: found in the tokens",
       "重复序列的周期，用于 induction；默认从词元中找出"},
      {"default: table", "默认 table（表格）"},
      {"machine-readable: same as --format json", "供程序读取：即 --format json"},
      {"one line per head: same as --format csv", "每个头一行：即 --format csv"},
      {"JSON without the per-query values", "JSON 中不含各查询的值"},
      {"Jensen–Shannon divergence in nats: 0 means identical, 0.693 (ln 2) nothing in common.",
       "Jensen–Shannon 散度（nats）：0 表示相同，0.693（ln 2）表示毫无共同之处。"},
      {"instead: how similar the heads are, as a matrix, a map and an order",
       "改为显示各头的相似度：矩阵、二维布局与顺序"},
      {"number of rows to compare for --similarity, evenly spaced; default: all",
       "--similarity 比较的行数，均匀选取；默认全部"},
      {"instead: rollout over all layers, for one position or all",
       "改为显示注意力的逐层展开：某个位置或全部"},
      {"instead: attention flow (maximum flow), for one position or all; short inputs only",
       "改为显示注意力流（最大流）：某个位置或全部；仅适合短输入"},
      {"Similar heads side by side: {0}.", "让相似的头彼此相邻的顺序：{0}。"},
  };
}

}  // namespace fovea::command::zh
