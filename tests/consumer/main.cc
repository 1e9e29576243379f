// What a program that uses an installed fovea looks like: one query, three keys, the worked example.
#include <fovea/fovea.h>

#include <cstdio>

int main() {
  const fovea::Tensor q = fovea::Tensor::from({{1, 0}});
  const fovea::Tensor k = fovea::Tensor::from({{1, 0}, {0, 1}, {1, 0}});
  const fovea::Tensor v = fovea::Tensor::from({{10, 0}, {0, 20}, {30, 0}});
  const fovea::Tensor output = fovea::attention(q, k, v).output;
  std::printf("%.4f %.4f\n", output(0, 0), output(0, 1));
}
