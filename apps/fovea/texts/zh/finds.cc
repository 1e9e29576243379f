// fovea demo finds, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations finds() {
  return {
      {"Attention is said to find who a pronoun stands for, and which word belongs to which. Three claims, and "
       "what models that learned from data alone really do.",
       "常听人说，注意力能找出代词指的是谁、哪个词和哪个词有关。"
       "下面是三个这样的说法，以及只从数据中学习的模型实际上是怎么做的。"},
      {"Who is 她? 小明把苹果给了小红，她很开心。", "“她”是谁？小明把苹果给了小红，她很开心。"},
      {"The model {0} is not there; it is installed with the command.",
       "没有找到模型 {0}；它随命令一起安装。"},
      {"A small BERT learned to name the person where a sentence says 他 or 她; no loss looked at its "
       "attention. The weights are those of {0}, chosen among all heads on {1} other sentences.",
       "一个小 BERT 学会了在句子写“他”或“她”的地方说出人名；损失函数完全不看注意力。"
       "下面是 {0} 的权重，它是用另外 {1} 个句子从所有头中选出来的。"},
      {"untrained", "未训练"},
      {"trained", "训练后"},
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
      {"{0} looks most: “sat” {1:.2f}, “mat” {2:.2f}. Even attention would give two of nine tokens {3:.2f}, so "
       "much of it is only the sentence's short length. Of 100 other sentences of the same form the same head "
       "gives {4:.2f} (verb {5:.2f}, noun {6:.2f}), and {7:.2f} (verb {8:.2f}, noun {9:.2f}) when each goes on "
       "for another seventeen words.",
       "{0} 看得最多：“sat” {1:.2f}，“mat” {2:.2f}。句子只有九个词元，平均分配时任意两个也会得到 {3:.2f}，"
       "所以很大一部分只是因为句子短。在另外 100 个同样形式的句子里，这个头给出 {4:.2f}（动词 {5:.2f}，"
       "名词 {6:.2f}）；每句再接上十七个词之后是 {7:.2f}（动词 {8:.2f}，名词 {9:.2f}）。"},
      {"Over those 100 the first is {0} with {1:.2f}; it was chosen from {2} heads, and the largest of so many "
       "looks like a finding even where nothing is.",
       "在这 100 个句子里排第一的是 {0}（{1:.2f}）；它是从 {2} 个头中挑出来的，"
       "从这么多头里挑最大的，即使什么都没有也会看起来像是发现了什么。"},
      {"From “cat” at “sat” and “mat”: The cat sat on the mat.",
       "“cat”对“sat”和“mat”的注意力：The cat sat on the mat."},
      {"weight on both", "两者的权重之和"},
  };
}

}  // namespace fovea::command::zh
