// Attention by hand, then by the library: softmax(Q Kᵀ / √d) V for one query and three keys.
#include <fovea/fovea.h>

#include <cmath>
#include <cstdio>

using namespace fovea;

int main() {
  const Tensor q = Tensor::from({{1, 0}});                     // [N, D] = [1, 2]
  const Tensor k = Tensor::from({{1, 0}, {0, 1}, {1, 0}});     // [M, D] = [3, 2]
  const Tensor v = Tensor::from({{10, 0}, {0, 20}, {30, 0}});  // [M, Dv] = [3, 2]

  // By hand: scores, exponentials, and their share of the sum.
  double weight[3], sum = 0, output[2] = {0, 0};
  for (Index j = 0; j < 3; ++j) {
    const double score = q(0, 0) * k(j, 0) + q(0, 1) * k(j, 1);
    weight[j] = std::exp(score / std::sqrt(2.0));
    sum += weight[j];
  }
  for (Index j = 0; j < 3; ++j) {
    weight[j] /= sum;
    for (Index c = 0; c < 2; ++c) output[c] += weight[j] * v(j, c);
  }
  std::printf("by hand  weights %.4f %.4f %.4f  output %.4f %.4f\n", weight[0], weight[1], weight[2],
              output[0], output[1]);

  // By the library. Weights are only returned if you ask for them.
  const AttentionResult r = attention(q, k, v, {.weights = true});
  std::printf("fovea    weights %.4f %.4f %.4f  output %.4f %.4f\n", r.weights(0, 0), r.weights(0, 1),
              r.weights(0, 2), r.output(0, 0), r.output(0, 1));
}
