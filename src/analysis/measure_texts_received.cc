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
      {"passed_on",
       Measure::passed_on,
       {"passed on", "传出量"},
       both("Σ_j ‖w(i,j) · v(j) · W_O‖"),
       {"What a head really passes on: the norm of each weighted value after the output matrix, summed over "
        "the keys and averaged over the rows that see something (Kobayashi et al. 2020).",
        "一个头真正传出去的量：每个加权的值经过输出矩阵之后的范数，对键求和，再对能看到键的各行取平均"
        "（Kobayashi 等，2020）。"},
       {"0 upwards; in the units of the residual stream. It needs a model: weights alone do not tell.",
        "大于等于 0，单位与残差流相同。需要模型：只有权重无法得知。"},
       {"A sum of norms, not the norm of the sum: what several keys pass on may cancel. Compare heads of one "
        "layer; the stream grows from layer to layer.",
        "这是范数之和，不是和的范数：几个键传出的内容可能相互抵消。宜在同一层内比较，因为残差流逐层变大。"}},
      {"sink_passed_on",
       Measure::sink_passed_on,
       {"sink passes on", "汇聚键传出占比"},
       both("p(j*) / Σ_j p(j),   p(j) = Σ_i ‖w(i,j) · v(j) · W_O‖,   j* = argmax_j Σ_i w(i,j)"),
       {"The share of what a head passes on that comes from its most attended key. Beside sink_share: if "
        "that is large and this is small, the head is parked there and takes little from it.",
        "一个头传出的量中，来自最受关注的那个键的占比。与 sink_share "
        "对照：前者大而此值小，说明头停在那里，却几乎不从那里取东西。"},
       {"0 to 1.", "0 到 1。"},
       {"Values whose heads write to directions that nobody reads count as much as others.",
        "即使写入的方向没有后续层读取，也同样计入。"}},
  };
}

}  // namespace fovea
