// fovea mask, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations mask() {
  return {
      {"print a mask as 0/1, as 0/−inf, or as blocks", "打印掩码：0/1、0/−inf 或方块图"},
      {"EXPR combines masks with & (and), | (or), ! (not) and brackets: none, causal, causal(top_left), "
       "window(w), window(before, after), sparse(s), prefix(n), padding(ids), padding(ids, pad), "
       "lengths(3, 2), documents(ids), where ids is [1,2,0] or [[1,2,0],[3,0,0]]. Rows are queries, "
       "columns are keys; 1 is visible. The --mask option of other commands takes the same expressions.",
       "EXPR 用 &（与）、|（或）、!（非）和括号组合掩码：none、causal、causal(top_left)、window(w)、"
       "window(before, after)、sparse(s)、prefix(n)、padding(ids)、padding(ids, pad)、lengths(3, 2)、"
       "documents(ids)，其中 ids 写作 [1,2,0] 或 [[1,2,0],[3,0,0]]。行是查询，列是键；1 表示可见。"
       "其他命令的 --mask 使用同样的表达式。"},
      {"a sentence of three words and two pads, read from left to right", "三个词加两个填充，从左到右阅读"},
      {"the pattern of sparse attention", "稀疏注意力的图案"},
      {"the values added to the scores: 0 or −inf", "加到分数上的值：0 或 −inf"},
      {"the second sequence of a batch, machine-readable", "一批中的第二个序列，供程序读取"},
      {"the mask", "掩码表达式"},
      {"number of queries; default: same as keys", "查询个数；默认与键相同"},
      {"number of keys; default: given by the mask (padding([1,2,3,0,0]): 5), else N, else 8",
       "键的个数；默认取掩码已知的个数（padding([1,2,3,0,0])：5），否则为 N，再否则为 8"},
      {"bool: 1 visible, 0 hidden; additive: 0 and −inf; blocks: a picture, also for large masks",
       "bool：1 可见、0 隐藏；additive：0 与 −inf；blocks：方块图，也适合很大的掩码"},
      {"only sequence I of a batch, counted from 0", "只显示一批中下标为 I 的序列；0 是第一个"},
      {"██ visible   · hidden", "██ 可见   · 隐藏"},
      {"   ▒▒ partly visible", "   ▒▒ 部分可见"},
      {"   (one block: {0} × {0} pairs)", "   （一格：{0} × {0} 对）"},
      {"{0}: {1:.1f} % visible", "{0}：{1:.1f} % 可见"},
      {"{0}, shape {1}", "{0}，形状 {1}"},
      {"Sequence {0} of {1}", "第 {0} 个序列（共 {1} 个）"},
  };
}

}  // namespace fovea::command::zh
