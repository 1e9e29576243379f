// fovea explain, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations explain() {
  return {
      {"explain one attention step by step, with every matrix (the default command)",
       "逐步讲解一次注意力计算，打印每个矩阵（默认命令）"},
      {"Without arguments: \"I love AI\", with projections from NumPy's seed 42. SENTENCE consists of "
       "words from the small built-in vocabulary, separated by spaces; Q = K = V = X unless --seed draws "
       "projections. All numbers are computed in double precision.",
       "不带参数时讲解 “I love AI”，投影矩阵取自 NumPy 种子 42。"
       "SENTENCE 由小词表中的词组成，用空格分隔；除非用 --seed 抽取投影矩阵，否则 Q = K = V = X。"
       "所有数字均以双精度计算。"},
      {"\"I love AI\", where no word sees a later one", "“I love AI”，每个词看不到后面的词"},
      {"a sentence through two heads, with random projections", "句子经过两个头，投影矩阵随机抽取"},
      {"cross-attention, machine-readable", "交叉注意力，供程序读取"},
      {"a worked example; --list names them all", "一个完整示例；--list 列出全部"},
      {"words, separated by spaces", "用空格分隔的词"},
      {"a built-in example instead", "改用现成的示例"},
      {"list the built-in examples and the vocabulary", "列出现成的示例和词表中的词"},
      {"cross-attention: keys and values from these words", "交叉注意力：键和值取自这些词"},
      {"split the width into H heads", "把宽度分成 H 个头"},
      {"draw random W_q, W_k, W_v (and W_o for several heads), as NumPy does after seed(S)",
       "像 NumPy 的 seed(S) 那样抽取 W_q、W_k、W_v（多头时还有 W_o）"},
      {"leave out the division by √d_k", "不除以 √d_k"},
      {"a vocabulary: JSON {\"word\": [1, 0.5], ..} or lines \"word 1 0.5\"",
       "词表文件：JSON {\"词\": [1, 0.5], ..}，或每行 “词 1 0.5”"},
      {"how the weights are read out after the steps; default: all, which shows several heads side by "
       "side; the other forms show them one by one",
       "步骤之后如何解读权重；默认 all，多头时并排对比；其余方式逐头解读"},
      {"as Markdown", "输出 Markdown"},
      {"machine-readable: both languages, all digits; with --list: ids and titles",
       "供程序读取的 JSON：两种语言、全部位数；与 --list 连用时给出名称和标题"},
      {"The heads side by side", "各个头并排对比"},
      {"Who looks at whom, in the order of the words", "按词序看：谁在关注谁"},
      {"The weights, sorted, with bars", "按权重排序，配条形图"},
      {"What each word looks at most", "每个词最关注什么"},
      {"Built-in examples: fovea explain --example ID", "现成的示例：fovea explain --example ID"},
      {"Head {0} · {1}", "头 {0} · {1}"},
      {"Words: {0}", "词表：{0}"},
  };
}

}  // namespace fovea::command::zh
