// What the statistics allocate: sums per key and rows, never an N×M matrix.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "fovea/attention_statistics.h"
#include "fovea/measures.h"
#include "fovea/random.h"
#include "fovea/rollout.h"
#include "support/memory_counter.h"

namespace fovea {
namespace {

using Call = std::function<void(const Tensor& q, const Tensor& k)>;

long long peak_during(Index n, const Call& call) {
  Random random(7);
  const Tensor q = random.normal({n, 4}), k = random.normal({n, 4});
  testing::start_counting_memory();
  call(q, k);
  return testing::most_memory_since_start();
}

TEST(StatisticsMemory, memory_grows_with_n_not_with_n_squared) {
  const std::vector<std::pair<const char*, Call>> calls = {
      {"statistics",
       [](const Tensor& q, const Tensor& k) {
         attention_statistics(q, k, {}, {.thumbnail = 64, .top_k = 4});
       }},
      {"causal",
       [](const Tensor& q, const Tensor& k) { attention_statistics(q, k, {.mask = Mask::causal()}); }},
      {"sparse",
       [](const Tensor& q, const Tensor& k) {
         attention_statistics(q, k, {.mask = Mask::sparse(64), .bias = Bias::alibi({0.1f})});
       }},
      {"crop",
       [](const Tensor& q, const Tensor& k) {
         attention_crop(q, k, {}, {10, 90, 50, 250});
       }},
      {"logsumexp", [](const Tensor& q, const Tensor& k) { attention_logsumexp(q, k); }},
      {"product", [](const Tensor& q, const Tensor& k) { attention_transposed_product(q, k, q); }}};
  for (const auto& [name, call] : calls) {
    // 128 pieces of one sum per key and a step of scores; Pᵀ·u has sums of a whole vector per key.
    const long long per_key = std::string(name) == "product" ? 128 * 64 + 500 : 128 * 4 + 500;
    const long long peak = peak_during(8192, call);
    EXPECT_LT(peak, 8192 * per_key + 4'000'000) << name;
    EXPECT_LT(peak, 8192LL * 8192 * 4 / 3) << name;
  }
}

// 100,000 queries and keys must do with 1 GB; what grows with N and M is measured on 6,000 and projected.
TEST(StatisticsMemory, a_hundred_thousand_tokens_need_less_than_a_gigabyte) {
  const Call all = [](const Tensor& q, const Tensor& k) { attention_statistics(q, k, {}, {.top_k = 8}); };
  const double small = static_cast<double>(peak_during(3000, all)),
               large = static_cast<double>(peak_during(6000, all));
  const double per_token = (large - small) / 3000;
  EXPECT_LT(large + per_token * 94'000, 500e6) << per_token << " bytes per token";
}

// The same layer twice, without a copy of its queries and keys.
fovea::Run two_layers(const Tensor& q, const Tensor& k) {
  const auto kept = std::make_shared<const Tensor>();  // the tensors outlive the run
  Capture capture;
  const ConstView one_q = q.view().insert_axis(0).insert_axis(0),
                  one_k = k.view().insert_axis(0).insert_axis(0);
  for (Index layer = 0; layer < 2; ++layer) {
    capture.attention({AttentionKind::encoder, layer, one_q, one_k, one_k, {}, kept});
  }
  return fovea::Run(std::move(capture));
}

// Bands of 256 rows and what is kept per row, but not 8192² weights (268 MB); rollout is matrix-free.
TEST(StatisticsMemory, measures_and_rollout_do_without_the_matrix) {
  const long long measured = peak_during(8192, [](const Tensor& q, const Tensor& k) {
    MeasureOptions options;
    options.measures = {Measure::entropy, Measure::previous_token, Measure::received};
    measure_attention(q, k, {.mask = Mask::causal()}, options);
  });
  EXPECT_LT(measured, 30'000'000);
  EXPECT_LT(
      peak_during(8192, [](const Tensor& q, const Tensor& k) { rollout_row(two_layers(q, k), 8000); }),
      30'000'000);
}

}  // namespace
}  // namespace fovea
