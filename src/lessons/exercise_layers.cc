// Exercises in code: projections, heads, cross-attention, linear attention, and two in the manner of
// Deep-ML.
#include "lessons/exercise_texts.h"

namespace fovea {
namespace {

Exercise self_attention_exercise() {
  return {
      .id = "self-attention",
      .kind = ExerciseKind::code,
      .title = {"Self-attention", "自注意力"},
      .task =
          {"Inputs x [N, E], w_q, w_k [E, D], w_v [E, Dv]. Output [N, Dv]: attention of x to itself. The "
           "first input is drawn by NumPy: seed(42), then X 3×4, W_q, W_k, W_v 4×3.",
           "输入 x [N, E]、w_q、w_k [E, D]、w_v [E, Dv]。输出 [N, Dv]：x 对自身的注意力。第一组输入由 NumPy 抽取："
           "seed(42)，然后依次是 X 3×4，W_q、W_k、W_v 4×3。"},
      .hints = {{"Three projections first: Q = X W_q, K = X W_k, V = X W_v.",
                 "先做三个投影：Q = X W_q，K = X W_k，V = X W_v。"},
                {"Then attention, divided by √D, with D the columns of W_q.",
                 "然后做注意力，除以 √D，D 是 W_q 的列数。"},
                {"The first weights must be 0.8200, 0.0262, 0.1539.",
                 "第一行权重应为 0.8200、0.0262、0.1539。"}},
      .reason =
          {"Queries, keys and values all come from the same words, but through different matrices: what a "
           "word looks for need not be what it is.",
           "查询、键和值都来自同样的词，但经过不同的矩阵：一个词要找的，不必是它自己的样子。"},
      .next =
          {"A tutorial prints other numbers for this X; see where they come from: fovea explain --example "
           "self-attention",
           "有的教程对同一个 X 给出了别的数；看看正确的步骤：fovea explain --example self-attention"},
      .mistakes = {"no_scaling", "scaled_by_d_model", "scaled_by_d", "multiplied_by_sqrt_d",
                   "softmax_over_queries", "softmax_over_all", "no_softmax", "global_maximum",
                   "maximum_not_subtracted", "denominator_forgotten", "keys_not_transposed",
                   "query_key_swapped", "values_forgotten", "values_are_keys", "rounded_early",
                   "dropout_at_inference"},
      .answer = "output"};
}

Exercise multi_head_exercise() {
  return {
      .id = "multi-head",
      .kind = ExerciseKind::code,
      .title = {"Multi-head attention", "多头注意力"},
      .task =
          {"Inputs x [N, E], w_q, w_k, w_v [E, E], w_o [E, E], heads H. Output [N, E]: the heads side by side, "
           "times w_o. Head h takes columns h·E/H to (h+1)·E/H of Q, K and V. Weights, if you give them: "
           "[H, N, N].",
           "输入 x [N, E]，w_q、w_k、w_v [E, E]，w_o [E, E]，头数 heads（H）。输出 [N, E]：各头并排拼接，再乘 w_o。"
           "第 h 个头取 Q、K、V 的第 h·E/H 到 (h+1)·E/H 列。如果给出权重，形状为 [H, N, N]。"},
      .hints =
          {{"Project first, then split the columns of Q, K and V into H parts.",
            "先投影，再把 Q、K、V 的列分成 H 份。"},
           {"Each head is attention by itself, with d_k = E/H. Put the outputs side by side, multiply by w_o.",
            "每个头各自做注意力，d_k = E/H。把输出并排拼接，再乘 w_o。"},
           {"q.reshape(n, heads, d).transpose(1, 0, 2), not q.reshape(heads, n, d).",
            "q.reshape(n, heads, d).transpose(1, 0, 2)，而不是 q.reshape(heads, n, d)。"}},
      .reason =
          {"Each head has its own softmax over its own columns: it can look elsewhere than the others, at "
           "no more work than one wide head.",
           "每个头在自己的列上有自己的 softmax：可以看和别的头不同的地方，而计算量和一个宽的头一样。"},
      .next = {"Several heads side by side: fovea explain --heads 2 --seed 42.",
               "并排看几个头：fovea explain --heads 2 --seed 42。"},
      .mistakes = {"no_scaling", "scaled_by_d_model", "scaled_by_d", "multiplied_by_sqrt_d",
                   "softmax_over_queries", "softmax_over_all", "no_softmax", "global_maximum",
                   "maximum_not_subtracted", "denominator_forgotten", "keys_not_transposed",
                   "query_key_swapped", "values_are_keys", "heads_not_split", "heads_split_by_rows",
                   "heads_averaged", "output_projection_forgotten", "rounded_early",
                   "dropout_at_inference"},
      .answer = "output"};
}

Exercise cross_exercise() {
  return {
      .id = "cross",
      .kind = ExerciseKind::code,
      .title = {"Cross-attention", "交叉注意力"},
      .task =
          {"Inputs x [N, E] (of the decoder), memory [M, E] (of the encoder), w_q, w_k [E, D], w_v [E, Dv]. "
           "Output [N, Dv]: x asks, the memory answers.",
           "输入 x [N, E]（来自解码器），memory [M, E]（来自编码器），w_q、w_k [E, D]，w_v [E, Dv]。输出 [N, Dv]："
           "x 提问，memory 回答。"},
      .hints = {{"Only the queries come from x.", "只有查询来自 x。"},
                {"Q = x W_q, K = memory W_k, V = memory W_v. The weights are [N, M].",
                 "Q = x W_q，K = memory W_k，V = memory W_v。权重的形状是 [N, M]。"},
                {"softmax((x @ w_q) @ (memory @ w_k).T / sqrt(D)) @ (memory @ w_v)",
                 "softmax((x @ w_q) @ (memory @ w_k).T / sqrt(D)) @ (memory @ w_v)"}},
      .reason = {"The output has a row per word of x and is made of values of the memory: that is how a "
                 "translation reads its source.",
                 "输出对 x 的每个词有一行，内容取自 memory 的值：翻译就是这样阅读原文的。"},
      .next = {"With words: fovea explain \"编程 很 有趣\" --memory \"我 喜欢 AI\".",
               "用词来看：fovea explain \"编程 很 有趣\" --memory \"我 喜欢 AI\"。"},
      .mistakes = {"no_scaling", "scaled_by_d_model", "scaled_by_d", "multiplied_by_sqrt_d",
                   "softmax_over_queries", "softmax_over_all", "no_softmax", "global_maximum",
                   "maximum_not_subtracted", "denominator_forgotten", "keys_not_transposed",
                   "query_key_swapped", "values_forgotten", "values_are_keys", "memory_not_used",
                   "rounded_early", "dropout_at_inference"},
      .answer = "output"};
}

Exercise linear_exercise() {
  return {
      .id = "linear-timed",
      .kind = ExerciseKind::code,
      .title = {"Linear attention, timed", "线性注意力，并计时"},
      .task =
          {"Inputs q [N, D], k [M, D], v [M, Dv]. Output: φ(q)(φ(k)ᵀ v) / (φ(q)·Σφ(k) + 1e-6), with φ = ELU + 1. "
           "Three inputs of 4, 256 and 2048 queries: fovea learn test shows how long your program took for "
           "each.",
           "输入 q [N, D]、k [M, D]、v [M, Dv]。输出：φ(q)(φ(k)ᵀ v) / (φ(q)·Σφ(k) + 1e-6)，其中 φ = ELU + 1。三组输入"
           "分别有 4、256、2048 个查询：fovea learn test 会显示你的程序各用了多长时间。"},
      .hints = {{"φ(x) is x + 1 where x > 0, exp(x) elsewhere.", "x > 0 时 φ(x) 是 x + 1，其余是 exp(x)。"},
                {"The order of the products is the trick: φ(k)ᵀ v is D × Dv, whatever N is.",
                 "诀窍在乘法的顺序：φ(k)ᵀ v 的大小是 D × Dv，与 N 无关。"},
                {"numerator = fq @ (fk.T @ v); denominator = fq @ fk.sum(axis=0) + 1e-6",
                 "numerator = fq @ (fk.T @ v); denominator = fq @ fk.sum(axis=0) + 1e-6"}},
      .reason =
          {"No N×M matrix was needed: eight times the words are eight times the work, not 64 times. The "
           "weights are not those of softmax, though: it is another attention.",
           "不需要 N×M 的矩阵：词多 8 倍，工作量就多 8 倍，而不是 64 倍。不过它的权重不是 softmax 的权重：这是另一种注意力。"},
      .next = {"Both, timed by our own kernels: fovea demo linear.",
               "用我们自己的内核给两者计时：fovea demo linear。"},
      .mistakes = {"denominator_forgotten", "values_are_keys", "feature_map_forgotten", "linear_scaled",
                   "softmax_instead"},
      .answer = "output"};
}

Exercise deep_ml_self_exercise() {
  return {
      .id = "deep-ml-self",
      .kind = ExerciseKind::code,
      .title = {"Self-attention in the manner of Deep-ML", "Deep-ML 式的自注意力"},
      .task =
          {"Inputs x, w_q, w_k, w_v. Output: softmax(Q Kᵀ / √d_k) V. The first input is X = W_q = W_k = I, "
           "W_v = [[1, 2], [3, 4]].",
           "输入 x、w_q、w_k、w_v。输出：softmax(Q Kᵀ / √d_k) V。第一组输入是 X = W_q = W_k = I，"
           "W_v = [[1, 2], [3, 4]]。"},
      .hints =
          {{"Q and K are the identity, V is W_v.", "Q 和 K 是单位矩阵，V 就是 W_v。"},
           {"The scaled scores are 0.7071 on the diagonal and 0 elsewhere.",
            "缩放后的分数在对角线上是 0.7071，其余是 0。"},
           {"The weights are 0.6698 and 0.3302; the first output is 0.6698 · [1, 2] + 0.3302 · [3, 4].",
            "权重是 0.6698 和 0.3302；第一行输出是 0.6698 · [1, 2] + 0.3302 · [3, 4]。"}},
      .reason = {"[[1.6605, 2.6605], [2.3395, 3.3395]]: each row is drawn to its own value, by two thirds.",
                 "[[1.6605, 2.6605], [2.3395, 3.3395]]：每行向自己的值靠近，占三分之二。"},
      .next = {"The identity hides a missing transpose; that is why there are further inputs.",
               "单位矩阵会掩盖忘记转置的错误，所以还有别的输入。"},
      .mistakes = {"no_scaling", "scaled_by_d_model", "scaled_by_d", "multiplied_by_sqrt_d",
                   "softmax_over_queries", "softmax_over_all", "no_softmax", "global_maximum",
                   "maximum_not_subtracted", "denominator_forgotten", "keys_not_transposed",
                   "query_key_swapped", "values_forgotten", "values_are_keys", "rounded_early",
                   "dropout_at_inference"},
      .answer = "output"};
}

Exercise deep_ml_multi_head_exercise() {
  return {
      .id = "deep-ml-multi-head",
      .kind = ExerciseKind::code,
      .title = {"Multi-head attention in the manner of Deep-ML", "Deep-ML 式的多头注意力"},
      .task =
          {"Inputs q, k, v [N, E], heads H, no projections. Output [N, E]: H heads of width E/H, side by side. "
           "The first input is Q = K = V = I, two heads of width 1.",
           "输入 q、k、v [N, E]，头数 heads（H），没有投影。输出 [N, E]：H 个宽度为 E/H 的头，并排拼接。第一组输入是 "
           "Q = K = V = I，两个宽度为 1 的头。"},
      .hints =
          {{"The first head sees only the first columns of q, k and v.", "第一个头只看 q、k、v 的前几列。"},
           {"Its q is [1, 0]ᵀ and so are k and v: the scores of the first word are 1 and 0, divided by √1.",
            "它的 q 是 [1, 0]ᵀ，k 和 v 也是：第一个词的分数是 1 和 0，再除以 √1。"},
           {"The first word's weights are 0.7311 and 0.2689; the second's scores are both 0, so 0.5 and 0.5.",
            "第一个词的权重是 0.7311 和 0.2689；第二个词的分数都是 0，所以是 0.5 和 0.5。"}},
      .reason =
          {"[[0.7311, 0.5], [0.5, 0.7311]]. The identity, which is printed elsewhere as the answer, would "
           "need weights of exactly 1, and softmax does not give those.",
           "[[0.7311, 0.5], [0.5, 0.7311]]。别处印的答案是单位矩阵，那需要恰好为 1 的权重，而 softmax 不会给出这样的权重。"},
      .next = {"See both heads: fovea explain --example deep-ml-multi-head.",
               "看看这两个头：fovea explain --example deep-ml-multi-head。"},
      .mistakes = {"no_scaling", "scaled_by_d_model", "scaled_by_d", "multiplied_by_sqrt_d",
                   "softmax_over_queries", "softmax_over_all", "no_softmax", "global_maximum",
                   "maximum_not_subtracted", "denominator_forgotten", "keys_not_transposed",
                   "query_key_swapped", "values_are_keys", "heads_not_split", "heads_split_by_rows",
                   "heads_averaged", "rounded_early", "dropout_at_inference"},
      .answer = "output"};
}

}  // namespace

std::vector<Exercise> layer_exercises() {
  return {self_attention_exercise(), multi_head_exercise(),   cross_exercise(),
          linear_exercise(),         deep_ml_self_exercise(), deep_ml_multi_head_exercise()};
}

}  // namespace fovea
