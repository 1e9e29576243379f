// fovea translate and fovea align, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations translate() {
  return {
      {"translate a text, and show which word came from which", "翻译一段文本，并显示每个字来自哪个词"},
      {"TEXT is a text, the name of a file, or - for standard input. Below the translation stands, word by "
       "word, what the decoder looked at when it wrote it: the share of its cross-attention. -o draws the "
       "same as lines. en-zh, which comes with fovea, translates short English sentences into Chinese.",
       "TEXT 是一段文本、文件名，或用 - 表示标准输入。译文下面逐字列出解码器写这个字时看着哪个词，"
       "以及它占交叉注意力的份额。-o 把同样的内容画成连线。fovea 自带的 en-zh 能把简短的英语句子译成中文。"},
      {"three words, and where they came from", "三个词，以及它们从哪里来"},
      {"the same as a picture", "同样的内容，画成图"},
      {"a file, line by line", "一个文件，逐行翻译"},
      {"every line is a text of its own; only translations are printed", "每行单独翻译；只打印译文"},
      {"a picture of the alignment: .png, .svg or .pdf", "词对齐的图：.png、.svg 或 .pdf"},
      {"no word stands out", "没有哪个词特别突出"},
      {"cross-attention", "交叉注意力"},
      {"align the words of sentence pairs by cross-attention", "用交叉注意力对齐句对中的词"},
      {"FILE has lines \"source TAB target\", words divided by white space; further columns are ignored. "
       "Every line becomes one line of links in Pharaoh's format: 0-2 links source word 0 with target word "
       "2. A line that is no pair, or too long for the model, gives an empty one. The model is made to write the target, and the weights of its tokens are summed into words.",
       "FILE 每行是“原文 TAB 译文”，词之间用空白分开，其余各列不看。每行输出一行 Pharaoh 格式的连线："
       "0-2 表示原文的第 0 个词与译文的第 2 个词相连；不是句对或对模型来说太长的行输出空行。让模型写出这句译文，再把各词元的权重合并到词上。"},
      {"one line of links per pair", "每个句对一行连线"},
      {"what the step looks at that reads the word: much worse", "改看读入这个词的那一步：差得多"},
      {"lines \"source TAB target\"", "每行是“原文 TAB 译文”"},
      {"print words, weights and links as JSON", "以 JSON 打印词、权重和连线"},
      {"{0}: {1} broken lines left out, expected \"source TAB target\": {2}",
       "{0}：有 {1} 行不是“原文 TAB 译文”，没有使用：第 {2} 行"},
      {"{0}: {1} broken lines, whose output is empty; expected \"source TAB target\": {2}",
       "{0}：有 {1} 行不是“原文 TAB 译文”，输出空行：第 {2} 行"},
      {"{0}: {1} lines have more tokens than the {2} that the model reads; their output is empty: {3}",
       "{0}：有 {1} 行的词元超过模型能读的 {2} 个，输出空行：第 {3} 行"},
      {"layer of the decoder, from 0; default: the model's choice, or the last",
       "解码器的层，从 0 数起；默认由模型指定，否则取最后一层"},
      {"heads whose mean is taken, as in 0,2, or all", "取哪些头的平均，如 0,2，或 all"},
      {"whose weights count: those of the step that predicts the word, or of the one that reads it",
       "看哪一步的权重：预测这个词的那一步，还是读入它的那一步"},
      {"link words with this share of the largest weight, too; 1: only the largest",
       "权重达到最大者的这个比例也连线；1：只连最大者"},
  };
}

}  // namespace fovea::command::zh
