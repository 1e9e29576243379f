// What a program that uses an installed fovea looks like: one query, three keys, the worked example.
#include <fovea/fovea.h>

#include <cstdio>

template <typename Call>
bool throws_error(const Call& call) {
  try {
    call();
  } catch (const fovea::Error&) {
    return true;
  }
  return false;
}

int main() {
  const fovea::Tensor q = fovea::Tensor::from({{1, 0}});
  const fovea::Tensor k = fovea::Tensor::from({{1, 0}, {0, 1}, {1, 0}});
  const fovea::Tensor v = fovea::Tensor::from({{10, 0}, {0, 20}, {30, 0}});
  const fovea::Tensor output = fovea::attention(q, k, v).output;
  std::printf("%.4f %.4f\n", output(0, 0), output(0, 1));

  // Errors of each of the libraries are the one Error.
  return throws_error([&] {
           fovea::attention(q, fovea::Tensor({3, 5}), v);
         }) && throws_error([] { fovea::load_model("/nowhere"); }) &&
                 throws_error([] { fovea::save_figure("picture.gif", fovea::Figure()); })
             ? 0
             : 1;
}
