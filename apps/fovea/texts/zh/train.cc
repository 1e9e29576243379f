// fovea train, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations train() {
  return {
      {"train a small model and record its attention", "训练一个小模型，并拍下各个头的变化"},
      {"TASK is sort (digits), induction (words that repeat), addition (a + b modulo 97), coreference (who 她 is), "
       "translate FILE (lines \"source TAB target\"), text FILE, or just FILE: language modelling of a text, whose "
       "last tenth is held out. At the end the folder holds the "
       "model in Hugging Face's layout, its tokenizer, a log of every step, and a checkpoint. Ctrl-C saves a "
       "checkpoint; --resume continues, even after a crash, and ends with exactly the same bits. --film "
       "records the attention of a text every so many steps.",
       "TASK 可以是 sort（数字排序）、induction（重复出现的词）、addition（模 97 的加法 a + b）、coreference（她指谁）、"
       "translate FILE（每行是“原文 TAB 译文”）、text FILE，"
       "或直接写 FILE：对一篇文本做语言建模，最后十分之一留作检验。"
       "训练结束后，文件夹里什么都有：Hugging Face 格式的模型、分词器、每一步的记录和检查点。"
       "按 Ctrl-C 会先写检查点；--resume 接着训练，最后的结果与没有中断过逐位相同，崩溃之后也一样。"
       "--film 每隔若干步保存一段文本的注意力。"},
      {"learn to sort eight digits, in a minute or two", "一两分钟内学会给八个数字排序"},
      {"record an induction head as it forms", "看归纳头如何诞生"},
      {"a text of your own", "自己的文本"},
      {"continue after an interruption", "中断后接着训练"},
      {"translation, from pairs of your own, and a film of one",
       "用自己的句对训练翻译，并把其中一对的注意力拍成影片"},
      {"sort, induction, addition, coreference, translate FILE, text FILE, or FILE",
       "sort、induction、addition、coreference、translate FILE、text FILE 或 FILE"},
      {"of {0} sentences with people who were never seen together, {1} has more weight on the right name than on "
       "the other in {2:.1f} %, and the model names it in {3:.1f} %",
       "{0} 个句子，其中的两个人从未同时出现过：{1} 在 {2:.1f} % 的句子里给正确的人名更大的权重，"
       "模型在 {3:.1f} % 的句子里说出了正确的人名"},
      {"optimizer steps", "优化器的步数"},
      {"sequences per step", "每步的序列数"},
      {"width of the model", "模型的宽度"},
      {"heads per layer; must divide the width", "每层的头数；宽度须能被它整除"},
      {"sort: digits; induction and text: tokens of a sequence; translate: at most",
       "sort：数字的个数；induction 和 text：一条序列的词元数；translate：词元数的上限"},
      {"seed of weights, batches and dropout; default: 0", "权重、批次和 dropout 的随机种子；默认 0"},
      {"model family; bert learns masked tokens of a text, bart translates",
       "模型结构；bert 学习文本中被遮住的词元，bart 用于翻译"},
      {"peak learning rate", "最大学习率"},
      {"warm-up steps up to the peak rate", "学习率升到最大值所用的步数"},
      {"weight decay of AdamW, on matrices only", "AdamW 的权重衰减，只作用于矩阵"},
      {"dropout while training; default: 0; translate: 0.1", "只在训练时起作用；默认 0；translate 为 0.1"},
      {"text: kind of tokenizer; default: bpe", "text：词元的种类（词、字符、字节对）；默认 bpe"},
      {"text, translate: largest vocabulary; default: 1000 for bpe, 5000 for translate, otherwise all",
       "text 和 translate：词元数的上限；默认 bpe 为 1000，translate 为 5000，其余不限"},
      {"steps between evaluations on held-out data; default: a twentieth of all; 0: never",
       "每隔多少步用留出的数据检验一次；默认总步数的二十分之一；0：不检验"},
      {"record the attention of this text, of translate \"source TAB target\"; may be repeated",
       "记录这段文本的注意力（translate 要写成“原文 TAB 译文”）；可以给多次"},
      {"steps between frames; default: a hundredth of all", "每隔多少步一帧；默认总步数的百分之一"},
      {"save the model in float16", "以 float16 保存模型"},
      {"the folder; default: TASK-model", "文件夹；默认 TASK-model"},
      {"steps between checkpoints; default: 200; 0: only at the end",
       "每隔多少步写一次检查点；默认 200；0：只在结束时写"},
      {"print the result as JSON", "以 JSON 打印结果，供程序读取"},
      {"continue the training in the folder", "接着训练文件夹里的模型"},
      {"{0} step {1} of {2}, loss {3:.4f}, {4:.0f} tokens/s, {5} left",
       "{0} 第 {1}/{2} 步，损失 {3:.4f}，每秒 {4:.0f} 个词元，还剩 {5}"},
      {"{0}, {1}: {2} × {3} heads, {4} parameters; {5} steps",
       "{0}，{1}：{2} 层，每层 {3} 个头，{4} 个参数；共 {5} 步"},
      {"{0} continues after step {1} of {2}", "{0} 从第 {1} 步之后接着训练，共 {2} 步"},
      {"step {0:>6}: loss {1:.4f}, on held-out data {2:.4f}, {3:.2f} % right",
       "第 {0:>6} 步：损失 {1:.4f}，留出数据上 {2:.4f}，正确率 {3:.2f} %"},
      {"fovea: stopped after step {0}; continue with: fovea train --resume --out {1}",
       "fovea：在第 {0} 步之后停下；接着训练：fovea train --resume --out {1}"},
      {"held-out loss {0:.4f}, {1:.2f} % right", "留出数据上的损失 {0:.4f}，正确率 {1:.2f} %"},
      {"{0:.1f} s, {1:.0f} tokens per second", "{0:.1f} 秒，每秒 {1:.0f} 个词元"},
      {"saved in {0}: fovea generate --model {0} .., fovea plot training {0}",
       "已存入 {0}：fovea generate --model {0} ..，fovea plot training {0}"},
      {"the film: fovea view --film {0} -o film.html", "影片：fovea view --film {0} -o film.html"},
      {"{0} of {1} new lists are sorted without a mistake", "{1} 个没见过的数列中，{0} 个排序完全正确"},
      {"loss on what comes for the first time {0:.4f}, on repeats {1:.4f}; {2:.2f} % of the repeats "
       "are predicted",
       "第一次出现的部分损失 {0:.4f}，重复的部分 {1:.4f}；重复的词有 {2:.2f} % 预测正确"},
      {"{0:.2f} % of sums modulo {1} that were never shown are right",
       "没见过的加法（模 {1}）有 {0:.2f} % 算对"},
      {"loss on masked tokens of the text's last tenth {0:.4f}, perplexity {1:.2f}",
       "文本最后十分之一中被遮住的词元：损失 {0:.4f}，困惑度 {1:.2f}"},
      {"test pairs, never shown: loss {0:.4f}, perplexity {1:.2f}, {2:.2f} % of the next tokens right",
       "没见过的测试句对：损失 {0:.4f}，困惑度 {1:.2f}，下一个词元有 {2:.2f} % 预测正确"},
      {"{0} pairs of more than {1} tokens left out; --length sets the limit",
       "{0} 个句对超过 {1} 个词元，没有使用；上限由 --length 设定"},
      {"{0} pairs to learn from, {1} to evaluate on, {2} for the test; {3} tokens",
       "{0} 个句对用于学习，{1} 个用于检验，{2} 个用于测试；共 {3} 种词元"},
      {"loss on the text's last tenth {0:.4f}, perplexity {1:.2f}",
       "文本最后十分之一：损失 {0:.4f}，困惑度 {1:.2f}"},
  };
}

}  // namespace fovea::command::zh
