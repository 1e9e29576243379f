// Which path ran? Every operation that computes much says so, once per call.
#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/attention.h"
#include "fovea/attention_path.h"
#include "fovea/attention_statistics.h"
#include "fovea/instruction_set.h"
#include "fovea/linear_attention.h"
#include "fovea/random.h"
#include "fovea/softmax.h"
#include "fovea/threads.h"
#include "ops/dense_layer.h"

namespace fovea {
namespace {

// The calls between its making and its end.
class Calls {
 public:
  Calls() {
    observe_calls([this](const CallPath& call) { all.push_back(call); });
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() { observe_calls({}); }

  std::vector<std::string> operations() const {
    std::vector<std::string> names;
    for (const CallPath& call : all) names.push_back(call.operation);
    return names;
  }

  std::vector<CallPath> all;
};

Tensor drawn(const Shape& shape) {
  Random random(7);
  return random.normal(shape);
}

using Names = std::vector<std::string>;

TEST(ObservedCalls, forward_and_backward) {
  const Tensor q = drawn({1, 4, 30, 16}), k = drawn({1, 2, 40, 16}), v = drawn({1, 2, 40, 8});
  const Calls calls;
  const AttentionResult forward = attention(q, k, v, {.logsumexp = true});
  attention_backward(q, k, v, forward, forward.output);
  ASSERT_EQ(calls.operations(), (Names{"attention", "attention_backward"}));
  for (const CallPath& call : calls.all) {
    EXPECT_EQ(call.shapes, "q [1, 4, 30, 16], k [1, 2, 40, 16], v [1, 2, 40, 8]");
    EXPECT_EQ(call.instruction_set, instruction_set());
    EXPECT_EQ(call.threads, thread_count());
    EXPECT_TRUE(call.path.starts_with("strips: ")) << call.path;
    EXPECT_GT(call.seconds, 0);
  }
}

TEST(ObservedCalls, decoding) {
  const Tensor q = drawn({1, 4, 1, 16}), k = drawn({1, 2, 400, 16});
  const Calls calls;
  attention(q, k, k);
  ASSERT_EQ(calls.all.size(), 1u);
  EXPECT_TRUE(calls.all[0].path.starts_with("decoding: ")) << calls.all[0].path;
}

TEST(ObservedCalls, statistics_and_their_kin) {
  const Tensor q = drawn({2, 30, 16}), k = drawn({2, 40, 16});
  const Calls calls;
  attention_statistics(q, k);
  attention_logsumexp(q, k);
  attention_crop(q, k, {}, {5, 9, 0, 40});
  attention_transposed_product(q, k, q);
  ASSERT_EQ(calls.operations(), (Names{"attention_statistics", "attention_logsumexp", "attention_crop",
                                       "attention_transposed_product"}));
  EXPECT_TRUE(calls.all[1].path.ends_with("one pass")) << calls.all[1].path;
  EXPECT_TRUE(calls.all[2].path.ends_with("rows 5 to 9, two passes")) << calls.all[2].path;
}

TEST(ObservedCalls, linear_attention) {
  const Tensor q = drawn({1, 4, 30, 16});
  const Calls calls;
  const Tensor output = linear_attention(q, q, q);
  linear_attention_backward(q, q, q, output, {.causal = true});
  LinearAttentionStream stream({.heads = 4, .d_k = 16});
  stream.append(drawn({4, 3, 16}), drawn({4, 3, 16}), drawn({4, 3, 16}));
  ASSERT_EQ(calls.operations(),
            (Names{"linear_attention", "linear_attention_backward", "LinearAttentionStream"}));
  EXPECT_TRUE(calls.all[0].path.starts_with("full, ")) << calls.all[0].path;
  EXPECT_TRUE(calls.all[1].path.starts_with("causal, ")) << calls.all[1].path;
  EXPECT_TRUE(calls.all[2].path.starts_with("causal, ")) << calls.all[2].path;
}

TEST(ObservedCalls, products_of_matrices) {
  const Tensor x = drawn({2, 5, 16}), w = drawn({16, 12});
  const PackedWeights weights(drawn({12, 16}));
  Tensor out({2, 5, 12});
  const Calls calls;
  softmax(x);
  dense_layer(x, weights, {}, out.view());
  self_attention(x, w, w, w);
  ASSERT_EQ(calls.operations(), (Names{"softmax", "dense_layer", "self_attention", "self_attention",
                                       "self_attention", "attention"}));
  EXPECT_EQ(calls.all[1].shapes, "x [2, 5, 16], W [12, 16]");
  EXPECT_EQ(calls.all[2].shapes, "x [2, 5, 16], w_q [16, 12]");
}

TEST(ObservedCalls, one_line_has_all) {
  const CallPath call{"softmax", "x [2, 3]", "avx2", 2, "rows of 3", 0.0015};
  EXPECT_EQ(call.to_string(), "softmax by avx2, 2 threads: x [2, 3]; rows of 3; 1.500 ms");
}

TEST(ObservedCalls, an_observer_of_attention_comes_first) {
  const Tensor q = drawn({4, 8});
  const Calls calls;
  int seen = 0;
  observe_attention([&](const AttentionPath& path) {
    ++seen;
    EXPECT_EQ(path.shapes, "q [1, 1, 4, 8], k [1, 1, 4, 8], v [1, 1, 4, 8]");
  });
  attention(q, q, q);
  observe_attention({});
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(calls.all.empty());
}

TEST(ObservedCalls, results_are_the_same_bits) {
  const Tensor q = drawn({2, 70, 16});
  const Tensor alone = attention(q, q, q, {.mask = Mask::causal()}).output;
  const Calls calls;
  const Tensor told = attention(q, q, q, {.mask = Mask::causal()}).output;
  EXPECT_TRUE(std::equal(alone.data(), alone.data() + alone.shape().elements(), told.data()));
}

}  // namespace
}  // namespace fovea
