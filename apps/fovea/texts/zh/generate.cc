// fovea generate, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations generate() {
  return {
      {"let a model go on writing, and keep what its heads did", "让模型续写，并保存各个头的注意力"},
      {"PROMPT is a text, the name of a file, or - for standard input. "
       "Without --temperature the likeliest token is taken every time. "
       "--capture keeps queries, keys and values of every layer for the whole text, from which fovea "
       "computes weights at any time.",
       "PROMPT 是一段文本、文件名，或用 - 表示标准输入。不给 --temperature 时每次取概率最大的词元。"
       "--capture 保存整段文本在每一层的查询、键和值，之后随时可由它算出权重。"},
      {"a story, always the same one", "一个故事，每次相同"},
      {"another one, drawn by chance", "随机抽取的另一个故事"},
      {"with all its attention, in one file", "连同全部注意力，存为一个文件"},
      {"a text, a file, or -", "文本、文件或 -"},
      {"new tokens, at most; default: 200", "最多生成的词元数；默认 200"},
      {"draw by chance: below 1 bold, above 1 wild; default: 0, the likeliest",
       "随机抽取：小于 1 保守，大于 1 发散；默认 0，取最大者"},
      {"draw from the K likeliest; default: all", "只从概率最大的 K 个中抽取；默认全部"},
      {"draw from the likeliest that have this probability together; default: 1",
       "只从累计概率达到 P 的最大者中抽取；默认 1"},
      {"of the draws; default: 0", "随机种子；默认 0"},
      {"keep the run: one .safetensors file", "保存这次运行：一个 .safetensors 文件"},
  };
}

}  // namespace fovea::command::zh
