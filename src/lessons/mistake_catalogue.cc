// What a learner reads about each mistake, in the order of Slip.
#include <array>

#include "fovea/mistakes.h"
#include "lessons/mistake_slips.h"

namespace fovea {
namespace {

struct MistakeTexts {
  Text title, reason;
};

std::vector<MistakeTexts> scale_and_softmax_texts() {
  return {
      {{"The scores are not divided by √d_k.", "分数没有除以 √d_k。"},
       {"A dot product of d_k terms has a variance of about d_k; without the division the softmax is too "
        "sharp. Divide Q Kᵀ by √d_k before the softmax.",
        "d_k 项相加的点积，方差约为 d_k；不除的话 softmax 会过于尖锐。请在 softmax 之前把 Q Kᵀ 除以 √d_k。"}},
      {{"The scores are divided by √d_model instead of √d_k.", "除以的是 √d_model，应当是 √d_k。"},
       {"d_k is the width of one query and one key, the number of terms in each dot product: the columns of "
        "W_q, divided by the number of heads. The width of X does not matter here.",
        "d_k 是一个查询（和一个键）的宽度，也就是每个点积的项数：W_q 的列数除以头数。这里与 X 的宽度无关。"}},
      {{"The scores are divided by d_k instead of √d_k.", "除以的是 d_k，应当是 √d_k。"},
       {"It is the standard deviation that is to become 1, and that is the root of the variance d_k. "
        "Divided by d_k, the weights come out too even.",
        "要让标准差变成 1，而标准差是方差 d_k 的平方根。除以 d_k 会使权重过于平均。"}},
      {{"The scores are multiplied by √d_k instead of divided.", "分数乘了 √d_k，应当是除以。"},
       {"The division makes large scores smaller. If you wrote q @ k.T / d_k ** -0.5, the two minus signs "
        "cancel.",
        "除法是为了把过大的分数变小。如果写的是 q @ k.T / d_k ** -0.5，就等于负负得正了。"}},
      {{"The softmax runs over the queries (columns) instead of the keys (rows).",
        "softmax 沿查询（列）计算了，应当沿键（行）计算。"},
       {"Each query shares out 100 % among the keys, so each row must sum to 1. Use axis=-1.",
        "每个查询把 100% 分配给各个键，所以每一行之和必须为 1。请用 axis=-1。"}},
      {{"One softmax runs over the whole matrix.", "对整个矩阵做了一次 softmax。"},
       {"Then all weights together sum to 1. Each query has a softmax of its own: sum each row separately "
        "(axis=-1, keepdims=True).",
        "这样所有权重加起来才是 1。每个查询都有自己的 softmax：逐行求和（axis=-1，keepdims=True）。"}},
      {{"There is no softmax: the scores themselves mix the values.",
        "没有做 softmax，直接用分数去混合值。"},
       {"Scores may be negative and have any sum. The softmax turns each row into positive shares of 1.",
        "分数可能为负，和也不固定。softmax 把每一行变成正的、和为 1 的份额。"}},
      {{"The maximum of the whole matrix is subtracted, not that of each row.",
        "减去的是整个矩阵的最大值，而不是每行各自的最大值。"},
       {"A row far below that maximum underflows: every exp is 0, and the row becomes 0/0. Subtract the "
        "maximum of each row: x.max(axis=-1, keepdims=True).",
        "远低于这个最大值的行会下溢：每个 exp 都是 0，整行变成 0/0。请逐行减去最大值：x.max(axis=-1, keepdims=True)。"}},
      {{"exp is taken of the scores as they are, and large ones overflow.",
        "直接对分数取 exp，大的分数会溢出。"},
       {"exp(1000) is infinite, and ∞/∞ is NaN. Subtract the maximum of each row first: the result is the "
        "same, and no exponent is above 0.",
        "exp(1000) 是无穷大，∞/∞ 是 NaN。先减去每行的最大值：结果不变，而且指数不会大于 0。"}},
      {{"The sum in the denominator is forgotten.", "忘了除以分母上的总和。"},
       {"exp alone makes numbers positive; only after the division by their sum are they shares that sum to "
        "1.",
        "exp 只是让数变成正的；除以它们的总和之后，才是和为 1 的份额。"}},
  };
}

std::vector<MistakeTexts> mask_texts() {
  return {
      {{"The mask comes after the softmax.", "掩码用在了 softmax 之后。"},
       {"Hidden keys have already taken their share, so the rows no longer sum to 1. Set their scores to "
        "-inf before the softmax.",
        "被遮住的键已经分走了份额，各行之和不再是 1。请在 softmax 之前把它们的分数设为 -inf。"}},
      {{"The mask is inverted: what should be seen is hidden.", "掩码弄反了：该看见的被遮住了。"},
       {"True means visible here. PyTorch's masked_fill hides where its mask is true: give it ~mask.",
        "这里 true 表示可见。PyTorch 的 masked_fill 会遮住为真的位置：应传入 ~mask。"}},
      {{"The mask is used as 1 and 0, not as 0 and -inf.", "掩码当成了 1 和 0，而不是 0 和 -inf。"},
       {"A score of 0 is not hidden: exp(0) = 1. What is added must be 0 for visible keys and -inf for "
        "hidden ones.",
        "分数为 0 并不等于被遮住：exp(0) = 1。可见的键应加 0，被遮住的键应加 -inf。"}},
      {{"The causal mask is missing.", "没有用因果掩码。"},
       {"Word i may only look at words 0 to i; here it sees the later ones too.",
        "第 i 个词只能看第 0 到第 i 个词，这里却看到了后面的词。"}},
      {{"The causal mask is shifted by one.", "因果掩码错开了一位。"},
       {"A word sees itself and everything before it: j ≤ i, with the diagonal. That is np.tril(ones) with "
        "k=0; what is hidden is np.triu(ones, k=1).",
        "一个词能看到自己和它前面的所有词：j ≤ i，包括对角线。也就是 np.tril(ones)，k=0；被遮住的是 np.triu(ones, k=1)。"}},
      {{"The causal mask is the wrong way round: words see the future, not the past.",
        "因果掩码方向反了：看到的是后面而不是前面。"},
       {"Rows are queries, columns are keys: visible is the lower triangle (np.tril), not the upper.",
        "行是查询，列是键：可见的是下三角（np.tril），不是上三角。"}},
      {{"The padding is not hidden.", "没有遮住填充位。"},
       {"Pads fill up the length and mean nothing, yet they get weight here. Set the scores of their columns "
        "to -inf.",
        "填充只是为了凑长度，没有意义，这里却得到了权重。请把它们所在列的分数设为 -inf。"}},
      {{"The padding mask hides rows (queries) instead of columns (keys).",
        "填充掩码遮住的是行（查询），应当是列（键）。"},
       {"What nobody may look at is a column of the weights. Give the mask the shape [1, M], not [N, 1].",
        "谁都不该看的是权重的某一列。掩码的形状应为 [1, M]，而不是 [N, 1]。"}},
  };
}

std::vector<MistakeTexts> product_texts() {
  return {
      {{"K is not transposed: Q K instead of Q Kᵀ.", "K 没有转置：算的是 Q K，应当是 Q Kᵀ。"},
       {"Each score is a dot product of a query's row with a key's row. Q K only runs at all because the "
        "numbers of keys and of columns happen to be equal.",
        "每个分数是查询的一行与键的一行的点积。Q K 之所以能算，只是因为键的个数碰巧等于列数。"}},
      {{"Queries and keys are swapped.", "查询和键弄反了。"},
       {"K Qᵀ is the transpose of the scores. Rows are queries: Q stands on the left.",
        "K Qᵀ 是分数矩阵的转置。行是查询，所以 Q 在左边。"}},
      {{"The values are forgotten: the output is the weights.", "忘了乘值 V：输出的是权重。"},
       {"The weights say how much of each value to take; the output is weights · V.",
        "权重说明每个值取多少；输出应为 权重 · V。"}},
      {{"The keys are mixed instead of the values.", "混合的是键，应当是值。"},
       {"Keys are only there to be found. What is passed on are the values: weights · V.",
        "键只是用来被查找的，传下去的是值：权重 · V。"}},
      {{"The memory is not used: keys and values come from X.", "没有用到 memory：键和值取自 X。"},
       {"That is self-attention. In cross-attention queries come from X, keys and values from the memory.",
        "那是自注意力。交叉注意力的查询来自 X，键和值来自 memory。"}},
  };
}

std::vector<MistakeTexts> head_texts() {
  return {
      {{"The heads are not split: one head does it all.", "没有拆分成多个头，只用一个头算完了。"},
       {"Each head sees only its own columns of Q, K and V, has its own softmax, and is scaled by √(E/H).",
        "每个头只用 Q、K、V 中自己的那几列，有自己的 softmax，并除以 √(E/H)。"}},
      {{"Heads are cut along the rows (words) instead of the columns.",
        "拆头（或拼接）时沿行（词）切了，应当沿列切。"},
       {"reshape(H, N, d) mixes numbers of different words. Use reshape(N, H, d), then swap the first two "
        "axes; on the way back swap them again before the reshape.",
        "reshape(H, N, d) 会把不同词的数混在一起。应先 reshape(N, H, d)，再交换前两个轴；拼回去时先换回来再 reshape。"}},
      {{"The heads are averaged instead of put side by side.", "把各个头取了平均，应当并排拼接。"},
       {"An average loses what makes the heads differ. The outputs are concatenated: H blocks of d columns.",
        "取平均会抹掉各头的差别。应把各头的输出拼接起来：H 块，每块 d 列。"}},
      {{"The output projection W_o is forgotten.", "忘了输出投影 W_o。"},
       {"After the heads are put side by side, one more product lets them talk to each other: concat · W_o.",
        "各头拼接之后，还要再乘一次，让它们互相交流：concat · W_o。"}},
      {{"Numbers were rounded to two decimals before the softmax.",
        "在 softmax 之前就把数四舍五入到两位小数了。"},
       {"exp makes small differences larger. Keep all digits until the end, and round only the answer.",
        "exp 会放大微小的差别。中间结果请保留全部位数，只对最后的答案做舍入。"}},
      {{"Dropout is active, although nobody is training.", "没有在训练，dropout 却还开着。"},
       {"Some weights are 0, the others too large, and every run gives something else. Call model.eval(), or "
        "leave the dropout out.",
        "一部分权重变成 0，其余的偏大，而且每次运行结果都不同。请调用 model.eval()，或去掉 dropout。"}},
  };
}

std::vector<MistakeTexts> linear_texts() {
  return {
      {{"The feature map ELU + 1 is missing, or incomplete.", "缺少特征映射 ELU + 1，或者不完整。"},
       {"φ(x) is x + 1 above 0 and exp(x) below: always positive, so that the weights are. Apply it to Q "
        "and to K.",
        "φ(x) 在 x > 0 时是 x + 1，否则是 exp(x)：总是正的，权重才会是正的。Q 和 K 都要用。"}},
      {{"The queries are divided by √d_k, which linear attention does not do.",
        "查询除以了 √d_k，线性注意力不需要这样做。"},
       {"There is no exp of a dot product that would have to be kept small: leave the division out.",
        "这里没有对点积取 exp，不必压小分数：去掉这一步除法。"}},
      {{"This is standard attention with a softmax, not linear attention.",
        "这是带 softmax 的标准注意力，不是线性注意力。"},
       {"It is exact, but makes an N×M matrix. Compute φ(K)ᵀV first, a small matrix, then φ(Q) times that.",
        "它是精确的，但要生成 N×M 的矩阵。请先算 φ(K)ᵀV 这个小矩阵，再用 φ(Q) 去乘。"}},
  };
}

std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all;
  for (const auto& texts :
       {scale_and_softmax_texts(), mask_texts(), product_texts(), head_texts(), linear_texts()}) {
    for (const MistakeTexts& each : texts) {
      all.push_back({std::string(slip_facts()[all.size()].id), each.title, each.reason});
    }
  }
  return all;
}

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = all_mistakes();
  return all;
}

const Mistake& mistake(std::string_view id) {
  return mistakes()[static_cast<std::size_t>(facts_of(id).slip)];
}

}  // namespace fovea
