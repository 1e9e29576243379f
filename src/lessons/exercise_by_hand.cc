// Exercises with paper and a calculator.
#include "lessons/exercise_texts.h"

namespace fovea {
namespace {

Exercise weights_by_hand() {
  return {
      .id = "weights-by-hand",
      .kind = ExerciseKind::by_hand,
      .title = {"Three weights by hand", "手算三个权重"},
      .task =
          {"One query, three keys: Q = [[1]], K = [[1], [2], [0.5]], V = [[10], [20], [5]]. Which three "
           "weights does the query give to the keys? Three decimals. (The output may follow as a fourth "
           "number.)",
           "一个查询，三个键：Q = [[1]]，K = [[1], [2], [0.5]]，V = [[10], [20], [5]]。这个查询给三个键的权重"
           "各是多少？保留三位小数。（也可以把输出作为第四个数一起写上。）"},
      .hints =
          {{"The scores are the dot products of the query with each key. d_k is 1 here, so √d_k is 1, "
            "too.",
            "分数是查询与每个键的点积。这里 d_k 是 1，所以 √d_k 也是 1。"},
           {"The scores are 1, 2 and 0.5. The weights are e to the power of each, divided by the sum of "
            "all three.",
            "分数是 1、2、0.5。权重是 e 的这些次方，再除以三者之和。"},
           {"e¹ = 2.7183, e² = 7.3891, e^0.5 = 1.6487; their sum is 11.7561. The first weight is "
            "2.7183 / 11.7561.",
            "e¹ = 2.7183，e² = 7.3891，e^0.5 = 1.6487，和是 11.7561。第一个权重是 2.7183 / 11.7561。"}},
      .reason =
          {"The weights are positive and sum to 1. The key with twice the score has e times the weight "
           "of the first: softmax turns differences of scores into ratios.",
           "权重都是正的，和为 1。第二个键的分数比第一个大 1，权重就是它的 e 倍：softmax 把分数之差变成权重之比。"},
      .next =
          {"With these weights the output is 15.584, near the 20 of the second value. See every step: "
           "fovea explain --example exercise-1",
           "用这些权重得到的输出是 15.584，靠近第二个值 20。看每一步：fovea explain --example exercise-1"},
      .mistakes = {"softmax_over_queries", "no_softmax", "denominator_forgotten"},
      .answer = "weights"};
}

Exercise second_by_hand() {
  return {
      .id = "second-by-hand",
      .kind = ExerciseKind::by_hand,
      .title = {"An output by hand", "手算一个输出"},
      .task =
          {"Q = [[1, 0]], K = [[1, 0], [0, 1]], V = [[5, 0], [0, 10]]. What is the output, two numbers? "
           "Three decimals. (The two weights may stand before it.)",
           "Q = [[1, 0]]，K = [[1, 0], [0, 1]]，V = [[5, 0], [0, 10]]。输出的两个数是多少？保留三位小数。"
           "（可以先写两个权重，再写输出。）"},
      .hints =
          {{"d_k is 2 now: divide the scores by √2 = 1.4142 before the softmax.",
            "现在 d_k 是 2：做 softmax 之前要把分数除以 √2 = 1.4142。"},
           {"The scores are 1 and 0, divided by √2 they are 0.7071 and 0.",
            "分数是 1 和 0，除以 √2 之后是 0.7071 和 0。"},
           {"e^0.7071 = 2.0281 and e⁰ = 1: the weights are 2.0281 / 3.0281 and 1 / 3.0281. Multiply each "
            "with its row of V and add.",
            "e^0.7071 = 2.0281，e⁰ = 1：权重是 2.0281 / 3.0281 和 1 / 3.0281。分别乘 V 的对应行再相加。"}},
      .reason =
          {"The query matches the first key, and two thirds of the weight go there. The second key does "
           "not match at all and still gets a third: softmax never gives nothing.",
           "查询与第一个键匹配，三分之二的权重给了它。第二个键毫不匹配，也得到三分之一：softmax 从不给零。"},
      .next =
          {"Make the query longer, [[5, 0]], and see the first weight grow: fovea explain --example "
           "exercise-2 shows the steps.",
           "把查询变长，比如 [[5, 0]]，看看第一个权重怎样变大。fovea explain --example exercise-2 会显示每一步。"},
      .mistakes = {"no_scaling", "scaled_by_d", "multiplied_by_sqrt_d", "softmax_over_queries",
                   "no_softmax", "denominator_forgotten"},
      .answer = "output"};
}

Exercise three_words() {
  return {
      .id = "three-words",
      .kind = ExerciseKind::by_hand,
      .title = {"What does 我 look at?", "“我”在看谁？"},
      .task =
          {"我 = [1, 0.5], 喜欢 = [0.8, 0.6], AI = [0.5, 1], and Q = K = V = X. Compute the row of 我: its "
           "three weights, then its output of two numbers. Three decimals, five numbers in all.",
           "我 = [1, 0.5]，喜欢 = [0.8, 0.6]，AI = [0.5, 1]，并且 Q = K = V = X。算出“我”这一行：先写三个权重，"
           "再写输出的两个数。保留三位小数，一共五个数。"},
      .hints =
          {{"The scores of 我 are its dot products with all three words, itself included.",
            "“我”的分数是它与三个词（包括它自己）的点积。"},
           {"They are 1.25, 1.1 and 1. Divided by √2: 0.8839, 0.7778, 0.7071.",
            "它们是 1.25、1.1 和 1。除以 √2 得 0.8839、0.7778、0.7071。"},
           {"The exponentials are 2.4203, 2.1767 and 2.0281, their sum 6.6251. Keep four decimals until "
            "the end.",
            "指数分别是 2.4203、2.1767、2.0281，和是 6.6251。中间结果保留四位小数，最后再舍入。"}},
      .reason =
          {"The weights are nearly even, 0.365, 0.329, 0.306: the three vectors point in similar "
           "directions. The output is the mean of the words, drawn a little towards 我.",
           "三个权重差不多：0.365、0.329、0.306，因为三个向量方向相近。输出是各词的平均，略微偏向“我”。"},
      .next = {"Real models learn W_q and W_k so that words do not simply find their likes: exercise "
               "self-attention.",
               "真实的模型会学出 W_q 和 W_k，让词不只是找和自己相像的词：见练习 self-attention。"},
      .mistakes = {"no_scaling", "scaled_by_d", "multiplied_by_sqrt_d", "softmax_over_queries",
                   "no_softmax", "denominator_forgotten", "values_forgotten"},
      .answer = "both"};
}

}  // namespace

std::vector<Exercise> by_hand_exercises() { return {weights_by_hand(), second_by_hand(), three_words()}; }

}  // namespace fovea
