// Exercises in code: softmax, attention, masks.
#include "lessons/exercise_texts.h"

namespace fovea {
namespace {

Exercise softmax_exercise() {
  return {
      .id = "softmax",
      .kind = ExerciseKind::code,
      .title = {"Softmax of each row", "逐行做 softmax"},
      .task =
          {"Input x [N, M]. Output: the softmax of each row. It must work for rows of any size, with scores "
           "of 1000 and of -1000.",
           "输入 x [N, M]。输出：每一行的 softmax。无论分数大小都要能算，1000 和 -1000 也一样。"},
      .hints =
          {{"exp(x) divided by the sum of the row's exp(x).", "exp(x) 除以这一行所有 exp(x) 之和。"},
           {"exp(1000) is infinite. Subtracting the same number from a whole row changes nothing: "
            "numerator and denominator shrink alike.",
            "exp(1000) 是无穷大。整行减去同一个数，结果不变：分子和分母同比缩小。"},
           {"Subtract the maximum of each row, not of the whole matrix, and keep the axis: "
            "x - x.max(axis=-1, keepdims=True).",
            "减去每行自己的最大值，不是整个矩阵的，并保留这个轴：x - x.max(axis=-1, keepdims=True)。"}},
      .reason =
          {"Every row sums to 1, and no exponent was above 0, so nothing could overflow; the largest is "
           "exp(0) = 1, so no row could vanish.",
           "每行之和为 1；指数都不大于 0，不会溢出；最大的一项是 exp(0) = 1，整行也不会消失。"},
      .next = {"The same softmax stands in the middle of attention: exercise attention.",
               "注意力的中间就是这个 softmax：见练习 attention。"},
      .mistakes = {"softmax_over_queries", "softmax_over_all", "global_maximum", "maximum_not_subtracted",
                   "denominator_forgotten"},
      .answer = "output"};
}

Exercise attention_exercise() {
  return {
      .id = "attention",
      .kind = ExerciseKind::code,
      .title = {"Scaled dot-product attention", "缩放点积注意力"},
      .task =
          {"Inputs q [N, D], k [M, D], v [M, Dv]. Output [N, Dv]: softmax(q kᵀ / √D) v. You may give the "
           "weights [N, M], too: they make mistakes easier to find.",
           "输入 q [N, D]、k [M, D]、v [M, Dv]。输出 [N, Dv]：softmax(q kᵀ / √D) v。也可以同时给出权重 "
           "[N, M]，这样更容易找出错误。"},
      .hints =
          {{"Four steps: scores q kᵀ, divided by √D, softmax of each row, times v.",
            "四步：分数 q kᵀ，除以 √D，逐行 softmax，乘 v。"},
           {"The scores have the shape [N, M], and so have the weights. D is the number of columns of q.",
            "分数的形状是 [N, M]，权重也是。D 是 q 的列数。"},
           {"weights = softmax(q @ k.T / sqrt(q.shape[1])); output = weights @ v",
            "weights = softmax(q @ k.T / sqrt(q.shape[1])); output = weights @ v"}},
      .reason =
          {"It held for N ≠ M, D ≠ Dv, and for one very loud query: shapes come from the inputs, and each "
           "row has its own maximum.",
           "N ≠ M、D ≠ Dv，以及某个查询特别大的情况都对：形状取自输入，每行减去各自的最大值。"},
      .next = {"Watch the same steps with numbers: fovea explain. Then hide the future: exercise causal.",
               "带着数字看同样的步骤：fovea explain。接着把后面的词遮住：见练习 causal。"},
      .mistakes = {"no_scaling", "scaled_by_d", "multiplied_by_sqrt_d", "softmax_over_queries",
                   "softmax_over_all", "no_softmax", "global_maximum", "maximum_not_subtracted",
                   "denominator_forgotten", "keys_not_transposed", "query_key_swapped", "values_forgotten",
                   "values_are_keys", "rounded_early", "dropout_at_inference"},
      .answer = "output"};
}

Exercise change_dk_exercise() {
  return {
      .id = "change-dk",
      .kind = ExerciseKind::code,
      .title = {"d_k of 2, 3 and 8", "把 d_k 改成 2、3、8"},
      .task =
          {"Inputs x [N, E], w_q, w_k [E, d_k], w_v [E, d_v]: self-attention, with E = 4 and d_k = 2, 3 and "
           "8. The same program must serve all three.",
           "输入 x [N, E]、w_q、w_k [E, d_k]、w_v [E, d_v]：自注意力，E = 4，d_k 分别为 2、3、8。同一个程序要能"
           "处理这三种情况。"},
      .hints = {{"q = x w_q, k = x w_k, v = x w_v, then attention as before.",
                 "q = x w_q，k = x w_k，v = x w_v，然后照旧做注意力。"},
                {"d_k is the number of columns of w_q. It is not E, and not always the same.",
                 "d_k 是 w_q 的列数。它不是 E，也不总是同一个数。"},
                {"Divide by sqrt(w_q.shape[1]): √2, √3, √8.", "除以 sqrt(w_q.shape[1])：√2、√3、√8。"}},
      .reason =
          {"d_k is free: only W_q and W_k must agree on it. More columns mean scores with more terms, and "
           "√d_k keeps their spread the same.",
           "d_k 可以任选，只要 W_q 和 W_k 一致。列数越多，点积的项数越多，√d_k 使分数的散布保持不变。"},
      .next = {"How the variance grows with d_k, measured: fovea demo scaling.",
               "实测方差怎样随 d_k 增长：fovea demo scaling。"},
      .mistakes = {"no_scaling", "scaled_by_d_model", "scaled_by_d", "multiplied_by_sqrt_d",
                   "softmax_over_queries", "softmax_over_all", "no_softmax", "global_maximum",
                   "maximum_not_subtracted", "denominator_forgotten", "keys_not_transposed",
                   "query_key_swapped", "values_forgotten", "values_are_keys", "rounded_early",
                   "dropout_at_inference"},
      .answer = "output"};
}

Exercise causal_exercise() {
  return {
      .id = "causal",
      .kind = ExerciseKind::code,
      .title = {"A causal mask", "因果掩码"},
      .task = {"Inputs q, k [N, D], v [N, Dv]. Output: attention in which word i sees words 0 to i only.",
               "输入 q、k [N, D]，v [N, Dv]。输出：第 i 个词只能看第 0 到第 i 个词的注意力。"},
      .hints = {{"The mask is a lower triangle with its diagonal: a word sees itself.",
                 "掩码是包含对角线的下三角：每个词都看得见自己。"},
                {"Hide before the softmax: the scores of hidden pairs become -inf, and exp(-inf) is 0.",
                 "在 softmax 之前遮：被遮住的分数设为 -inf，exp(-inf) 等于 0。"},
                {"scores[np.triu(np.ones((n, n)), k=1) == 1] = -np.inf",
                 "scores[np.triu(np.ones((n, n)), k=1) == 1] = -np.inf"}},
      .reason =
          {"The first row is [1, 0, 0, ..]: the first word sees only itself, so its output is its own "
           "value. And every row still sums to 1.",
           "第一行是 [1, 0, 0, ..]：第一个词只看得见自己，输出就是它自己的值。而且每行之和仍为 1。"},
      .next = {"See the triangle: fovea mask causal. Then add padding: exercise padding-and-causal.",
               "看看这个三角形：fovea mask causal。再加上填充：见练习 padding-and-causal。"},
      .mistakes = {"no_scaling",
                   "scaled_by_d",
                   "multiplied_by_sqrt_d",
                   "softmax_over_queries",
                   "softmax_over_all",
                   "no_softmax",
                   "global_maximum",
                   "maximum_not_subtracted",
                   "denominator_forgotten",
                   "mask_after_softmax",
                   "mask_inverted",
                   "mask_as_one_and_zero",
                   "causal_forgotten",
                   "causal_off_by_one",
                   "causal_reversed",
                   "keys_not_transposed",
                   "query_key_swapped",
                   "values_forgotten",
                   "values_are_keys",
                   "rounded_early",
                   "dropout_at_inference"},
      .answer = "output"};
}

Exercise padding_exercise() {
  return {
      .id = "padding-and-causal",
      .kind = ExerciseKind::code,
      .title = {"Padding and causal", "填充掩码加因果掩码"},
      .task =
          {"Inputs q, k [N, D], v [N, Dv], and mask, N times true or false: true is a real token, false a "
           "pad. Output: causal attention in which nobody sees a pad.",
           "输入 q、k [N, D]，v [N, Dv]，以及 mask：N 个 true 或 false，true 是真实的词，false 是填充。输出："
           "谁也看不到填充的因果注意力。"},
      .hints =
          {{"A pair (i, j) is visible if j ≤ i and mask[j] is true.",
            "当 j ≤ i 并且 mask[j] 为 true 时，(i, j) 可见。"},
           {"The padding hides columns. Rows of pads stay: they see the real words, as everybody does.",
            "填充遮住的是列。填充所在的行保留：它们和别人一样看得到真实的词。"},
           {"visible = np.tril(np.ones((n, n), bool)) & np.array(mask)[None, :]",
            "visible = np.tril(np.ones((n, n), bool)) & np.array(mask)[None, :]"}},
      .reason =
          {"For 1 1 1 0 0 the rows see 10000, 11000, 11100, 11100, 11100. What pads compute is thrown away "
           "later; what they must not do is be seen.",
           "对 1 1 1 0 0，各行看到的是 10000、11000、11100、11100、11100。填充算出的结果之后会丢掉，要紧的是不被别人看到。"},
      .next = {"Masks combine as values: fovea mask 'causal & padding([1,1,1,0,0])'.",
               "掩码可以像值一样组合：fovea mask 'causal & padding([1,1,1,0,0])'。"},
      .mistakes = {"no_scaling",
                   "scaled_by_d",
                   "multiplied_by_sqrt_d",
                   "softmax_over_queries",
                   "softmax_over_all",
                   "no_softmax",
                   "global_maximum",
                   "maximum_not_subtracted",
                   "denominator_forgotten",
                   "mask_after_softmax",
                   "mask_inverted",
                   "mask_as_one_and_zero",
                   "causal_forgotten",
                   "causal_off_by_one",
                   "causal_reversed",
                   "padding_ignored",
                   "padding_of_queries",
                   "keys_not_transposed",
                   "query_key_swapped",
                   "values_forgotten",
                   "values_are_keys",
                   "rounded_early",
                   "dropout_at_inference"},
      .answer = "output"};
}

}  // namespace

std::vector<Exercise> first_code_exercises() {
  return {softmax_exercise(), attention_exercise(), change_dk_exercise(), causal_exercise(),
          padding_exercise()};
}

}  // namespace fovea
