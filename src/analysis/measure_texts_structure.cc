#include "analysis/measure_texts.h"

namespace fovea {

std::vector<MeasureDefinition> structure_definitions() {
  return {
      {"block_diagonal",
       Measure::block_diagonal,
       {"own block", "本块内"},
       both("Σ_{j: block(j) = block(p)} w(i,j),   p = i + M − N"),
       {"The weight that stays within the query's own block, averaged over the rows that see something. "
        "Blocks "
        "are segments or documents if given; else runs of a given size; else sentences: a block ends after "
        "[SEP], </s>, <|endoftext|> and their like, and begins with [CLS], <s>, <|im_start|>.",
        "留在查询自己所在块内的权重，对能看到键的各行取平均。块的划分：给出分段或文档编号时按编号；否则按给"
        "定的块大小；"
        "再否则按句子：在 [SEP]、</s>、<|endoftext|> 等之后结束，从 [CLS]、<s>、<|im_start|> 开始。"},
       {"0 to 1; a uniform head has the block's share of the visible keys.",
        "0 到 1；均匀的头等于本块占可见键的比例。"},
       {"Where all keys form one block it does not apply. Large blocks hold much weight by chance.",
        "所有键属于同一块时不适用。块越大，碰巧留在块内的权重越多。"}},
      {"induction",
       Measure::induction,
       {"induction", "归纳"},
       {"w(i, p − T + 1) for p ≥ T,   T: period of the repeated sequence",
        "w(i, p − T + 1)，p ≥ T；T：重复序列的周期"},
       {"On a sequence that repeats every T tokens: the weight of the token that followed the previous "
        "occurrence of the query, averaged over the rows from the second repetition on. Heads that "
        "continue a pattern they have seen score high.",
        "对每 T 个词元重复一次的序列：查询的词上次出现之后紧跟着的那个词元的权重，从第二遍起对各行取平均。"
        "善于延续已见模式的头得分高。"},
       {"0 to 1.", "0 到 1。"},
       {"It needs a repeated sequence, ideally of random tokens: the period is given, or detected in the "
        "tokens, where unknown ones ([UNK]) never count as repeats. A head that looks back a fixed number "
        "of tokens scores just as high.",
        "需要重复的序列，最好由随机词元组成：周期可直接给出，或从词元中找出（未知词元 [UNK] 不算重复）。固定"
        "回看若干个词元的头得分同样会高。"}},
      {"induction_lift",
       Measure::induction_lift,
       {"induction lift", "归纳倍数"},
       {"Σ_i w(i, p − T + 1) / Σ_i e(i),   e(i) = (1 − Σ_{j resting} w(i,j)) / (visible keys that are not "
        "resting)",
        "Σ_i w(i, p − T + 1) / Σ_i e(i)，e(i) =（1 − Σ_{j 停靠} w(i,j)）/（可见且非停靠的键数）"},
       {"How many times more the token after the previous occurrence gets than an even share of the weight "
        "that "
        "does not rest on the first key or on special tokens. Heads of small models rest there wherever "
        "nothing repeats, so that their weight of induction is small though it is all that they look at. "
        "Sums over the rows of induction, divided once.",
        "上次出现之后紧跟着的那个词元得到的权重，是“平均份额”的多少倍；平均份额只计没有停在第一个键或特殊"
        "词元上的权重。小模型的头在没有重复时就停在那里，因此归纳的权重虽小，却是它真正在看的地方。"
        "对归纳所计的各行求和后再相除。"},
       {"0 and up; 1: as much as by an even spread.", "0 以上；1：与平均分配一样多。"},
       {"It needs a repeated sequence, as induction does. Large values of short texts say little: a text of "
        "ten tokens has few places to compare with.",
        "与归纳一样需要重复的序列。短文本上的大倍数说明不了什么：只有十个词元时，可比的位置很少。"}},
      {"role",
       std::nullopt,
       {"role", "角色"},
       {"the first of the rules that holds", "依次检查各条规则，取第一条成立的"},
       {"A label for what a head mostly does: broad; induction, diagonal, previous token, next token, "
        "same token or sink on one key, whichever holds the most weight (a sink that looks for repetitions "
        "is an induction head: induction_lift); special tokens; punctuation; own block; local; focused; else "
        "mixed. The thresholds are part of the rule given with each role.",
        "用一个词概括一个头主要在做什么：先看是否“分散”；再看归纳、对角线、前一个词、后一个词、相同词、汇聚"
        "于一个键，"
        "取权重最大者（虽为汇聚却在寻找重复的头算归纳，见 induction_lift）；然后是特殊词元、标点、本块内、局部、集中；都不符合则为“混合”。阈值写在随角色给出的规"
        "则里。"},
       {"a name, with the value that decided.", "一个名称，附带起决定作用的数值。"},
       {"A label for one input: another text may show the same head in another role. What a head attends "
        "to does not say what it does with it.",
        "只对这一次输入有效：换一段文本，同一个头可能扮演别的角色。关注什么，也不等于拿它做什么。"}},
      {"head_similarity",
       std::nullopt,
       {"similarity of heads", "头的相似度"},
       both("JS(a, b) = mean_i [ H((a_i + b_i)/2) − (H(a_i) + H(b_i))/2 ]"),
       {"The Jensen–Shannon divergence between the rows of two heads, averaged over the rows; as a matrix "
        "of all "
        "heads, a map of two dimensions (classical scaling of its square root, a metric) and an order that "
        "puts "
        "similar heads side by side (average linkage).",
        "两个头对应行之间的 Jensen–Shannon "
        "散度，对各行取平均；给出所有头之间的矩阵、二维布局（对其平方根做经典多维标度，"
        "平方根是一种度量），以及让相似的头彼此相邻的顺序（平均连接聚类）。"},
       {"0 (the same weights) to ln 2 ≈ 0.693 (no key in common).",
        "0（权重相同）到 ln 2 ≈ 0.693（没有共同的键）。"},
       {"Heads that look alike on this input may differ on another. Rows are first normalised to a sum of "
        "1; a row that only one of the two sees counts as ln 2.",
        "在这一输入上相似的头，换个输入可能不同。各行先归一化为和为 1；只有其中一个头能看到键的行按 ln 2 "
        "计。"}},
      {"rollout",
       std::nullopt,
       {"rollout", "注意力展开"},
       {"R = Â_L · … · Â_1,   Â = rows of (mean over heads + I), each divided by its sum",
        "R = Â_L · … · Â_1，Â =（各头平均 + I），每行除以该行之和"},
       {"How much of each input token reaches each position of the last layer, if every layer passes on "
        "half attention (averaged over its heads) and half residual.",
        "假定每一层把注意力（各头平均）与残差各传一半，每个输入词元有多少到达最后一层的各个位置。"},
       {"0 to 1; each row sums to 1.", "0 到 1；每行之和为 1。"},
       {"A model of the flow, not the flow: values, output projections and feed-forward layers are left "
        "out, and residual and attention count equally. Over many layers the rows become similar.",
        "这只是信息流的模型：不考虑值、输出投影和前馈层，并且残差与注意力同等看待。层数很多时，各行会趋于一"
        "致。"}},
      {"attention_flow",
       std::nullopt,
       {"attention flow", "注意力流"},
       {"max flow from output position i to input token j; capacity of (l, i) → (l−1, j): Â_l(i, j)",
        "输出位置 i 到输入词元 j 的最大流；边 (l, i) → (l−1, j) 的容量为 Â_l(i, j)"},
       {"The maximum flow between a position of the last layer and an input token through the layered "
        "graph whose "
        "edges hold the weights of rollout as capacities.",
        "以展开中的权重为边的容量，在分层图上求最后一层某位置与某输入词元之间的最大流。"},
       {"0 to 1, the capacity that leaves one position.", "0 到 1，即一个位置流出的总容量。"},
       {"Each pair is a separate maximum: a row does not sum to 1. The cost grows with N⁴ and more, so it "
        "is for short inputs.",
        "每一对各自取最大，因此一行之和不为 1。计算量随 N⁴ 以上增长，只适合短输入。"}},
  };
}

}  // namespace fovea
