// Masks are values: combine them with &, | and !, print them, hand them to attention.
#include <fovea/fovea.h>

#include <cstdio>
#include <limits>

using namespace fovea;

namespace {

void show(const char* name, const Mask& mask, Index n) {
  std::printf("%s\n  %s\n", name, mask.describe(n, n).c_str());
  const Flags visible = mask.to_bool(n, n);
  for (Index i = 0; i < n; ++i) {
    std::printf("  ");
    for (Index j = 0; j < n; ++j) std::printf("%s ", visible.data()[i * n + j] != 0 ? "■" : "·");
    std::printf("\n");
  }
}

}  // namespace

int main() {
  const Mask causal = Mask::causal();              // no query sees a later key
  const Mask window = Mask::sliding_window(2, 0);  // two tokens back, none ahead
  const Mask two_documents = Mask::documents(Ids{0, 0, 0, 1, 1, 1});
  show("a causal window", causal & window, 6);
  show("two documents in one row", causal & two_documents, 6);
  show("the first two keys are seen by everyone", (causal & window) | Mask::prefix(2), 6);

  // A key that is hidden is never read: NaN in it does not matter.
  Random random(1);
  const Tensor q = random.normal({6, 4}), k = random.normal({6, 4});
  Tensor v = random.normal({6, 4});
  v(5, 0) = std::numeric_limits<float>::quiet_NaN();
  const AttentionResult r = attention(q, k, v, {.mask = causal & two_documents});
  std::printf("row 4 is %s, row 5 is %s\n", r.output(4, 0) == r.output(4, 0) ? "a number" : "NaN",
              r.output(5, 0) == r.output(5, 0) ? "a number" : "NaN");
}
