// Titles in pictures, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations pictures() {
  return {
      {"Attention weights", "注意力权重"},
      {"Attention received, averaged over neighbouring keys", "收到的注意力（相邻键的平均）"},
      {"Attention received", "收到的注意力"},
      {"Norm passed on", "传出的范数"},
      {"passed on", "传出"},
      {"Layer {0}: what heads pass on", "第 {0} 层各头传出的量"},
      {"Passed on from each key", "从每个键传出的量"},
      {"Norms passed on, summed", "传出的范数之和"},
      {"Mean entropy of the rows, in nats", "每行熵的平均（nat）"},
      {"Five words, X 5×5 from NumPy's seed 42, Q = K = V = X.",
       "五个词：X 为 5×5，取自 NumPy 种子 42，Q = K = V = X。"},
      {"Twenty tokens with random vectors of width 64: each word attends to every occurrence of itself.",
       "二十个词元，宽度 64 的随机向量：每个词都会注意到自己的每一次出现。"},
      {"Eight heads over [CLS] The cat sat [SEP], queries and keys from NumPy's seed 42.",
       "八个头看 [CLS] The cat sat [SEP]，查询和键取自 NumPy 种子 42。"},
      {"The sparse mask: neighbours up to 4 away, and every fourth position.",
       "稀疏掩码：距离不超过 4 的邻居，以及每第四个位置。"},
      {"Time relative to fovea; shorter is faster.", "相对于 fovea 的时间；越短越快。"},
      {"even: {0:.3g}", "均匀：{0:.3g}"},
      {"Layer {0} Attention Heads", "第 {0} 层的注意力头"},
      {"{0} by layer and head", "各层各头的{0}"},
      {"A sentence of twenty tokens", "一句话中的二十个词元"},
  };
}

}  // namespace fovea::command::zh
