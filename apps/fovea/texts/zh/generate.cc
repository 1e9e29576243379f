// fovea generate, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations generate() {
  return {
      {"continue a prompt with a model, and capture its attention", "让模型续写，并保存各个头的注意力"},
      {"PROMPT is a text, the name of a file, or - for standard input. Without --temperature the most "
       "likely token is always chosen. --capture saves queries, keys and values of every layer for the "
       "whole text, from which fovea can compute any weights later.",
       "PROMPT 是一段文本、文件名，或用 - 表示标准输入。不给 --temperature 时每次取概率最大的词元。"
       "--capture 保存整段文本在每一层的查询、键和值，之后随时可由它算出权重。"},
      {"a story, always the same one", "一个故事，每次相同"},
      {"another one, sampled", "随机抽取的另一个故事"},
      {"with all its attention in one file", "连同全部注意力，存为一个文件"},
      {"a text, a file, or -", "文本、文件或 -"},
      {"maximum number of new tokens; default: 200", "最多生成的词元数；默认 200"},
      {"sample: below 1 safer, above 1 wilder; default: 0, always the most likely token",
       "随机抽取：小于 1 保守，大于 1 发散；默认 0，取最大者"},
      {"sample from the K most likely tokens; default: all", "只从概率最大的 K 个中抽取；默认全部"},
      {"sample from the most likely tokens that together have this probability; default: 1",
       "只从累计概率达到 P 的最大者中抽取；默认 1"},
      {"seed of the sampling; default: 0", "随机种子；默认 0"},
      {"beam search: follow the N most likely texts at once; default: 1",
       "束搜索：同时保留概率最大的 N 个候选文本；默认 1"},
      {"with --beams: a text of n tokens has the score log p / n^P, so that a larger P gives longer texts; "
       "default: 1",
       "与 --beams 同用：n 个词元的文本得分为 log p / n^P，P 越大越偏向长文本；默认 1"},
      {"with --beams: end as soon as there are N whole texts, even if an open one looks better",
       "与 --beams 同用：一有 N 个完整文本就结束，哪怕未完成的看起来更好"},
      {"the best of four texts that grow side by side", "四个候选同时生成，取最好的一个"},
      {"keep the keys and values of the text so far as float32, float16, bfloat16 or int8; default: float32",
       "已有文本的键和值以何种类型存放：float32、float16、bfloat16 或 int8；默认 float32"},
      {"with a quarter of the memory; now and then another word", "只用四分之一的内存；个别词会不同"},
      {"save the run to a .safetensors file", "保存这次运行：一个 .safetensors 文件"},
  };
}

}  // namespace fovea::command::zh
