// Options that several commands share, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations inputs() {
  return {
      {"{0} of {1} characters is unknown to this model and is ignored",
       "{1} 个字符中有 {0} 个是这个模型不认识的：读取时略去"},
      {"{0} of {1} characters are unknown to this model and are ignored",
       "{1} 个字符中有 {0} 个是这个模型不认识的：读取时略去"},
      {"{0} of {1} characters is unknown to this model and read as {2}",
       "{1} 个字符中有 {0} 个是这个模型不认识的：读作 {2}"},
      {"{0} of {1} characters are unknown to this model and read as {2}",
       "{1} 个字符中有 {0} 个是这个模型不认识的：一律读作 {2}"},
      {"text truncated to {0} of {1} tokens; the last {2} did not fit",
       "{1} 个词元中只读取了 {0} 个；最后 {2} 个超出长度限制"},
      {"text {0}: {1}", "文本 {0}：{1}"},
      {"layers, counted from 0: 5, 0-3,7 or all", "层，从 0 起：5、0-3,7 或 all"},
      {"heads, counted from 0: 0, 0-3,7, all, L5H0 (layer and head), or mean or max over the heads",
       "头，从 0 起：0、0-3,7、all、L5H0（连同层），或各头的 mean（平均）、max（最大）"},
      {"batch entry, counted from 0; default: 0", "批次中的第几个，从 0 起；默认 0"},
      {"which keys each query may see: 'causal & window(2)' (syntax: fovea mask --help)",
       "谁能看见谁：如 'causal & window(2)'（词汇见 fovea mask --help）"},
      {"queries [N, D], [B, N, D], [B, H, N, D] or [L, B, H, N, D] instead of weights: for long "
       "inputs, the matrix of weights is never built",
       "用查询 [N, D]、[B, N, D]、[B, H, N, D] 或 [L, B, H, N, D] 代替权重：适合长输入，不会构造权重矩阵"},
      {"keys; default: the array k of --q's file", "键；默认取 --q 文件中的 k"},
      {"a model (its folder, or a name from fovea model list) to run on TEXT, or on a pair of texts; a "
       "text may be a file, or - for standard input",
       "让模型（文件夹，或 fovea model list 中的名称）读取 TEXT 或一对文本；文本也可以是文件，或用 - 表"
       "示标准输入"},
      {"a run saved by fovea generate --capture", "fovea generate --capture 保存的运行"},
      {"for an encoder-decoder model: which attention; default: encoder",
       "编码器-解码器模型：哪一种注意力；默认 encoder"},
      {"factor for the scores; default: 1/√D", "分数的倍数；默认 1/√D"},
      {"C·tanh(score/C); default: off", "C·tanh(分数/C)；默认关闭"},
      {"add ALiBi's distance bias, with the paper's slopes", "ALiBi 距离偏置，斜率取自论文"},
      {"labels of the queries, separated by spaces (also of the keys, if there are as many)",
       "查询的名称，用空格分隔（键数相同时也用于键）"},
      {"the same from a file: one per line, or a JSON list", "同上，取自文件：每行一个，或 JSON 列表"},
      {"labels of the keys", "键的名称"},
      {"the same from a file", "同上，取自文件"},
      {"the array to use, or the common prefix of one array per layer; default: weights, attentions, the "
       "only one, or the only series (attention_0, attention_1, ..)",
       "要读取的数组，或每层一个数组时名称的开头；默认 weights、attentions、唯一的数组，或唯一的一组"
       "（attention_0、attention_1 …）"},
      {"order of the axes in the file: NM, HNM, LHNM, BHNM, LBHNM, BLHNM (L layers, B batch, H heads); "
       "default for rank 4: LHNM, or BHNM where each layer is an array",
       "文件中各轴的含义：NM、HNM、LHNM、BHNM、LBHNM、BLHNM（L 层，B 批次，H 头）；四维时默认 LHNM，每层"
       "一个数组时为 BHNM"},
  };
}

}  // namespace fovea::command::zh
