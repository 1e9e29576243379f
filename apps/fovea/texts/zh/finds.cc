// fovea demo finds, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations finds() {
  return {
      {"Attention is said to find who a pronoun stands for, and which word belongs to which. What models that "
       "learned from data alone really do, in numbers.",
       "常听人说，注意力能找出代词指的是谁、哪个词和哪个词有关。"
       "只从数据中学习的模型实际上是怎么做的，下面用数字说明。"},
      {"Who is 她? 小明把苹果给了小红，她很开心。", "“她”是谁？小明把苹果给了小红，她很开心。"},
      {"The model {0} is not there; it is installed with the command.",
       "没有找到模型 {0}；它随命令一起安装。"},
      {"A small BERT learned to name the person where a sentence says 他 or 她; no loss looked at its "
       "attention. The weights are those of {0}, chosen among all heads on {1} other sentences.",
       "一个小 BERT 学会了在句子写“他”或“她”的地方说出人名；损失函数完全不看注意力。"
       "下面是 {0} 的权重，它是用另外 {1} 个句子从所有头中选出来的。"},
      {"untrained", "未训练"},
      {"trained", "训练后"},
      {"swapped", "交换"},
      {"names swapped", "交换人名"},
      {"of the same gender", "两人同性别"},
      {"{0} sentences of the test with people who were never seen together:",
       "{0} 个测试句，其中的两个人在训练中从未同时出现："},
      {"right > other", "正确 > 另一个"},
      {"largest key", "最大的键"},
      {"named", "说对人名"},
      {"right > other: the head has more weight on the right name than on the other. largest key: more than on "
       "any other token. named: the right name is the model's likeliest word at the pronoun.",
       "正确 > 另一个：这个头给正确人名的权重大于给另一个人名的。最大的键：大于给其他任何词元的。"
       "说对人名：模型认为代词处最可能的词就是正确的人名。"},
      {"Two people of the same gender: nothing tells who is meant, and the one who was is found as often as by "
       "a coin. The head does not spread, though: {0:.2f} of what both names get is on one of them. The model's "
       "output gives the two {1:.2f} and {2:.2f}.",
       "两人同性别时，句子里没有任何线索说明指的是谁，猜中的机会和抛硬币一样。"
       "但这个头并没有平分：两个人名所得的权重中，{0:.2f} 落在其中一个上。"
       "模型的输出给两个人名的概率分别是 {1:.2f} 和 {2:.2f}。"},
      {"weight", "权重"},
      {"even", "平均分配"},
      {"Does “cat” look at “sat” and “mat”? The cat sat on the mat.",
       "“cat”会看“sat”和“mat”吗？The cat sat on the mat."},
      {"MiniLM is not there; fovea model get minilm fetches it.",
       "没有找到 MiniLM；用 fovea model get minilm 下载。"},
      {"weight from the first noun on the verb and the second noun together:",
       "第一个名词给动词和第二个名词的权重之和："},
      {"the sentence", "这句话"},
      {"100 like it", "100 个类似的句子"},
      {"the same, longer", "同样的句子加长"},
      {"mean of {0} heads", "{0} 个头的平均"},
      {"even attention", "平均分配"},
      {"{0} has most in this sentence: “sat” {1:.2f}, “mat” {2:.2f}. Even attention would give two of nine tokens "
       "{3:.2f}: that much comes from the short sentence alone. Over 100 others of the same form {0} has {4:.2f}, "
       "about as much as even attention; when each goes on for seventeen more words it has {5:.2f} instead of "
       "{6:.2f}. What it shows is something about this sentence, and because of it this head was picked from {7}.",
       "这句话里 {0} 最大：“sat” {1:.2f}，“mat” {2:.2f}。句子只有九个词元，平均分配时任意两个也会得到 {3:.2f}："
       "这一部分只是因为句子短。在另外 100 个同样形式的句子里，{0} 只有 {4:.2f}，和平均分配差不多；"
       "每句再接上十七个词之后是 {5:.2f}，平均分配是 {6:.2f}。"
       "它反映的只是这一句话的某种特点；正因为这一句，才从 {7} 个头里选中了它。"},
      {"{0} is the first over the 100: {1:.2f}, and {2:.2f} in the longer ones, so length does not explain it. But "
       "it is all on the verb ({3:.2f}; second noun {4:.2f}), and the verb is the next word: on the mean of all "
       "tokens of “The cat sat on the mat.” this head has {5:.2f} on the next one. No head looks from “cat” at "
       "both: the one that comes closest is {6}, “sat” {7:.2f}, “mat” {8:.2f}.",
       "在那 100 个句子里排第一的是 {0}：{1:.2f}，加长之后仍有 {2:.2f}，所以不能用句子短来解释。"
       "但权重都在动词上（{3:.2f}；第二个名词 {4:.2f}），而动词正好是下一个词："
       "在“The cat sat on the mat.”的所有词元上，这个头平均有 {5:.2f} 的权重落在下一个词元上。"
       "没有哪个头从“cat”同时看这两个词：最接近的是 {6}，“sat” {7:.2f}，“mat” {8:.2f}。"},
      {"“I love you” and 我 爱 你, word by word", "“I love you”与“我 爱 你”：逐词对应"},
      {"A small BART learned from pairs of sentences; nobody told it which word is which. Its cross-attention at the "
       "step that writes each Chinese word:",
       "一个小 BART 从句对中学会了翻译，没有人告诉它哪个词对应哪个词。写出每个中文词的那一步，它的交叉注意力是："},
      {"The links: {0} (English word, Chinese word, both counted from 0).",
       "对应关系：{0}（英文词-中文词，都从 0 数起）。"},
      {"From “cat” at “sat” and “mat”: The cat sat on the mat.",
       "“cat”对“sat”和“mat”的注意力：The cat sat on the mat."},
      {"weight on both", "两者的权重之和"},
  };
}

}  // namespace fovea::command::zh
