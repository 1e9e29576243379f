// A program that takes the part attention alone: one query, three keys, the worked example.
#include <fovea/fovea.h>

#include <cstdio>
#include <typeinfo>

int main() {
  const fovea::Tensor q = fovea::Tensor::from({{1, 0}});
  const fovea::Tensor k = fovea::Tensor::from({{1, 0}, {0, 1}, {1, 0}});
  const fovea::Tensor v = fovea::Tensor::from({{10, 0}, {0, 20}, {30, 0}});
  const fovea::Tensor output = fovea::attention(q, k, v).output;
  std::printf("%.4f %.4f\n", output(0, 0), output(0, 1));

  // Types are the same on both sides of the library: exceptions are caught, and probes recognised.
  bool caught = false;
  try {
    fovea::attention(q, fovea::Tensor({3, 5}), v);
  } catch (const fovea::Error&) {
    caught = true;
  }
  fovea::Capture capture;
  fovea::Probe& probe = capture;
  return caught && dynamic_cast<fovea::Capture*>(&probe) == &capture &&
                 typeid(probe) == typeid(fovea::Capture)
             ? 0
             : 1;
}
