// 20,000 tokens: statistics, a crop and decoding without the 20,000 × 20,000 matrix (1.6 GB per head).
#include <fovea/fovea.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace fovea;

int main() {
  const Index n = 20000, d = 32;
  Random random(7);
  const Tensor q = random.normal({1, 2, n, d});  // [B, H, N, D]
  const Tensor k = random.normal({1, 1, n, d});  // both query heads share one key head
  const Tensor v = random.normal({1, 1, n, d});
  const AttentionOptions options{.mask = Mask::causal() & Mask::sliding_window(1023, 0)};

  // Measures of every row, the attention that each key receives, and a picture of 64 × 64 cells.
  const AttentionStatistics seen = attention_statistics(q, k, options, {.thumbnail = 64});
  const long long last_row = seen.visible.data()[n - 1];
  std::printf("the last row sees %lld keys; its entropy is %s ln 1024\n", last_row,
              seen.entropy(0, 0, n - 1) < std::log(1024.0) ? "below" : "above");
  double received = 0;
  for (Index j = 0; j < n; ++j) received += seen.received(0, 0, j);
  std::printf("all keys together receive %.0f\n", received);  // 1 from each row
  std::printf("thumbnail %s\n", seen.thumbnail.shape().to_string().c_str());

  // Single weights where you want to look closely.
  const Tensor crop = attention_crop(q, k, options, {n - 2, n, n - 4, n});
  std::printf("crop %s\n", crop.shape().to_string().c_str());

  // Token by token: append to the cache, then attend with one query. It equals the whole computation.
  const AttentionResult whole = attention(q, k, v, options);
  KeyValueCache cache({.kv_heads = 1, .d_k = d});
  cache.append(k.view().slice(2, 0, n - 3), v.view().slice(2, 0, n - 3));
  double difference = 0;
  for (Index i = n - 3; i < n; ++i) {
    cache.append(k.view().slice(2, i, i + 1), v.view().slice(2, i, i + 1));
    const AttentionResult next =
        attention(q.view().slice(2, i, i + 1), cache.keys(), cache.values(), options);
    for (Index c = 0; c < d; ++c) {
      difference = std::max(
          difference, std::abs(static_cast<double>(next.output(0, 1, 0, c) - whole.output(0, 1, i, c))));
    }
  }
  std::printf("decoding token by token: %s\n", difference < 1e-5 ? "the same result" : "another result");
}
