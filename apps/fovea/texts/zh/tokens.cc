// fovea tokens, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations tokens() {
  return {
      {"tokenize a text, or turn ids back into text", "显示文本的词元，或把词元还原成文本"},
      {"TEXT is a text, the name of a file, or - for standard input; two texts make a pair. PATH is a "
       "model's folder, or its tokenizer.json, vocab.txt, vocab.json (with merges.txt), spiece.model, "
       "tokenizer.model or tokenizer.bin. Offsets start at 0; the end is exclusive.",
       "TEXT 是一段文本、文件名，或用 - 表示标准输入；给出两个时作为句对。"
       "PATH 是模型文件夹，或其中的 tokenizer.json、vocab.txt、vocab.json（及 merges.txt）、"
       "spiece.model、tokenizer.model 或 tokenizer.bin。位置从 0 数起，不含第二个数。"},
      {"a table of tokens, ids and offsets", "词元、编号和位置的表格"},
      {"only the ids", "只输出编号"},
      {"every line is a text; one line of JSON each", "每行是一段文本，各输出一行 JSON"},
      {"from ids to text", "由编号还原文本"},
      {"a text, a file, or -; a second one makes a pair", "文本、文件或 -；第二个与之组成句对"},
      {"a model's folder or name, or a tokenizer file", "模型文件夹或名称，或分词器文件"},
      {"only the ids, separated by spaces", "只输出编号，以空格分隔"},
      {"machine-readable: one line per text", "供程序读取的 JSON，每段文本一行"},
      {"TEXT holds ids; print the text", "TEXT 是编号；输出它们代表的文本"},
      {"every line of TEXT is a text of its own", "TEXT 的每一行是一段独立的文本"},
      {"texts are separated by zero bytes, so they may contain line breaks",
       "文本以零字节结尾，因而可以含换行"},
      {"with --lines or --null: every two texts make a pair",
       "与 --lines 或 --null 合用：每两段文本组成一个句对"},
      {"as what the model writes: Marian cuts it in another way than what it reads",
       "按模型写出的文本切分：Marian 对原文和译文的切法不同"},
      {"do not add special tokens; with --decode: keep them", "不在文本前后添加特殊词元；还原时保留它们"},
      {"truncate to N tokens", "截断到 N 个词元"},
      {"encode the input repeatedly for a second and print the speed", "反复编码全部输入一秒，输出速度"},
      {"token", "词元"},
      {"id", "编号"},
      {"text", "文本"},
      {"bytes", "字节"},
      {"characters", "字符"},
      {"segment", "段"},
      {"unknown", "未知"},
      {"yes", "是"},
      {"{0} tokens", "共 {0} 个词元"},
  };
}

}  // namespace fovea::command::zh
