#include "analysis/measure_texts.h"

namespace fovea {

std::vector<MeasureDefinition> spread_definitions() {
  return {
      {"entropy",
       Measure::entropy,
       {"entropy (nats)", "熵 (nats)"},
       both("H(i) = −Σ_j w(i,j) · ln w(i,j),   0 · ln 0 = 0"),
       {"How spread out a row is: the entropy of its weights in nats, averaged over the rows that see "
        "something.",
        "一行权重的分散程度：按 nat 计的熵，对能看到键的各行取平均。"},
       {"0 (all weight on one key) to ln M (all M keys equal).",
        "0（全部权重落在一个键上）到 ln M（M 个键一视同仁）。"},
       {"It grows with the number of keys: for rows or inputs of different length, compare "
        "normalised_entropy. Where the weights of a row sum to more than 1 (dropout) it may be "
        "negative.",
        "键越多，熵的上限越高：行长或输入长度不同时，应比较 normalised_entropy。若一行权重之和大于 "
        "1（使用了 "
        "dropout），熵可能为负。"}},
      {"normalised_entropy",
       Measure::normalised_entropy,
       {"normalised", "归一化熵"},
       {"H(i) / ln V(i),   V(i): keys that row i may see", "H(i) / ln V(i)，V(i)：第 i 行可见的键数"},
       {"Entropy as a share of its maximum, averaged over the rows that see two keys or more: with one "
        "key there is no choice.",
        "熵与其最大可能值之比，对至少能看到两个键的各行取平均：只有一个键时无从选择。"},
       {"0 (one key only) to 1 (all visible keys equal).",
        "0（只看一个键）到 1（对所有可见的键一视同仁）。"},
       {"It needs the mask: without one all M keys count as visible, and a causal head looks more focused "
        "than it is. Rows that do not sum to 1 may leave the range.",
        "需要知道掩码：不给掩码时，M 个键都算可见，因果注意力头会显得比实际更集中。权重之和不为 1 "
        "的行可能超出此范围。"}},
      {"effective_keys",
       Measure::effective_keys,
       {"effective keys", "有效键数"},
       both("exp(H(i))"),
       {"The perplexity of a row: the number of equally weighted keys that would have the same entropy. "
        "Averaged over the rows that see something.",
        "一行权重的困惑度：这么多个等权的键会有同样的熵。对能看到键的各行取平均。"},
       {"1 to M.", "1 到 M。"},
       {"A mean of exponentials: a few broad rows weigh more than many focused ones, so it is not exp of "
        "the "
        "mean entropy.",
        "这是指数的平均：少数分散的行比许多集中的行影响更大，因此不等于平均熵的指数。"}},
      {"keys_90",
       Measure::keys_90,
       {"keys for 90 %", "占九成的键数"},
       both("min { |S| : Σ_{j∈S} w(i,j) ≥ 0.9 · Σ_j w(i,j) }"),
       {"The fewest keys that together hold 90 % of the weight of a row, averaged over the rows that see "
        "something.",
        "合起来占一行权重 90 % 的最少键数，对能看到键的各行取平均。"},
       {"1 to ⌈0.9 · M⌉.", "1 到 ⌈0.9 · M⌉。"},
       {"It jumps when a row is close to the threshold; sums within a relative 1e-6 of 90 %, the rounding "
        "of float32, count as reaching it.",
        "当一行恰好接近阈值时会跳变；与 90 % 相差不到 1e-6（相对值，即 float32 的舍入）视为达到。"}},
      {"confidence",
       Measure::confidence,
       {"confidence", "置信度"},
       both("max_j w(i,j)"),
       {"The largest weight of a row, averaged over the rows that see something.",
        "一行中最大的权重，对能看到键的各行取平均。"},
       {"1/V (all visible keys equal) to 1 (one key only).",
        "1/V（对可见的键一视同仁）到 1（只看一个键）。"},
       {"A confident head is not an important one: heads that park on a separator or on the first token "
        "are confident, too.",
        "置信度高不等于重要：停在分隔符或第一个词上的头，置信度同样很高。"}},
      {"distance",
       Measure::distance,
       {"distance", "平均距离"},
       both("Σ_j w(i,j) · |j − p|,   p = i + M − N"),
       {"How far away a row looks: the expected distance between query and key, in tokens. Averaged over "
        "the "
        "rows that see something.",
        "一行看得多远：查询与键之间距离的期望，以词元为单位，对能看到键的各行取平均。"},
       {"0 (itself only) to M − 1.", "0（只看自己）到 M − 1。"},
       {"It grows with the length of the input, and a sink at the start makes a head look far. In "
        "cross-attention positions of the two sequences have no common scale, so it does not apply.",
        "随输入长度而增长；开头的汇聚点会让一个头显得看得很远。交叉注意力中，两个序列的位置没有共同的尺度"
        "，因此不适用。"}},
  };
}

}  // namespace fovea
