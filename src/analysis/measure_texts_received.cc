#include "analysis/measure_texts.h"

namespace fovea {

std::vector<MeasureDefinition> received_definitions() {
  return {
      {"received",
       Measure::received,
       {"received", "收到"},
       {"r(j) = Σ_i w(i,j);   of a head: max_j r(j)", "r(j) = Σ_i w(i,j)；一个头取 max_j r(j)"},
       {"The attention a key receives: the sum of its column. One value per key; the value of a head is "
        "that of "
        "its most attended key.",
        "一个键收到的注意力：该列权重之和。每个键一个值；一个头的值取其最受关注的键。"},
       {"0 to N per key; the mean over the keys is N/M if every row sums to 1.",
        "每个键 0 到 N；若每行之和为 1，各键平均为 N/M。"},
       {"Under a causal mask early keys are seen by more rows and receive more, whatever the head does.",
        "在因果掩码下，靠前的键被更多的行看到，无论头做什么都会收到更多。"}},
      {"outgoing",
       Measure::outgoing,
       {"outgoing", "发出"},
       both("Σ_j w(i,j)"),
       {"The attention a query gives: the sum of its row, averaged over all rows.",
        "一个查询发出的注意力：该行权重之和，对所有行取平均。"},
       {"0 to 1 without dropout: 1 for a row that sees something, 0 for a hidden one.",
        "不用 dropout 时为 0 到 1：能看到键的行为 1，什么都看不到的行为 0。"},
       {"It does not measure activity: softmax makes it 1. Other values indicate hidden rows, dropout, or "
        "data that are not attention weights.",
        "它并不衡量活跃程度：softmax 使它恒为 1。其他取值说明有被遮住的行、使用了 "
        "dropout，或数据并非权重。"}},
      {"diagonal",
       Measure::diagonal,
       {"on itself", "关注自己"},
       both("w(i, p),   p = i + M − N"),
       {"How much a token looks at itself, averaged over the rows that see the key at their own position.",
        "一个词元关注自己的程度，对能看到自己位置的各行取平均。"},
       {"0 to 1.", "0 到 1。"},
       {"In short inputs it is large by chance (1/V for a uniform head); in cross-attention the key at the "
        "same "
        "position is another token, so it does not apply.",
        "输入很短时它自然偏大（均匀的头为 1/V）；交叉注意力中，同一位置的键是另一个词元，因此不适用。"}},
      {"sink_share",
       Measure::sink_share,
       {"sink share", "汇聚占比"},
       both("max_j r(j) / Σ_j r(j),   r(j) = Σ_i w(i,j)"),
       {"The share of a head's total weight that goes to a single key, the most attended one.",
        "一个头的全部权重中，落在最受关注的那一个键上的占比。"},
       {"1/M (all keys receive the same) to 1 (one key receives everything).",
        "1/M（各键收到的一样多）到 1（一个键收走全部）。"},
       {"A large share often means that the head has nothing to do and parks its attention there, not "
        "that the key matters. Under a causal mask the first keys receive more by construction.",
        "占比大往往说明这个头此时无事可做、停在那里，而不是那个键很重要。因果掩码下，开头的键天然收到更多"
        "。"}},
  };
}

}  // namespace fovea
