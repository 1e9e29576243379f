// A child of fork() computes, after its parent has used threads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "fovea/attention.h"
#include "fovea/attention_statistics.h"
#include "fovea/linear_attention.h"
#include "fovea/random.h"
#include "fovea/softmax.h"
#include "fovea/threads.h"

namespace fovea {
namespace {

bool equal_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.shape().elements()) * sizeof(float)) ==
             0;
}

TEST(Fork, child_computes_the_equal_bits) {
  Random random(1);
  const Tensor q = random.normal({2, 4, 300, 32}), k = random.normal({2, 4, 300, 32}),
               v = random.normal({2, 4, 300, 32});
  const std::vector<std::function<Tensor()>> calls = {
      [&] { return attention(q, k, v).output; },
      [&] { return attention(q.view().slice(2, 0, 1), k, v).output; },  // decoding
      [&] {
        AttentionResult forward = attention(q, k, v, {.logsumexp = true});
        return attention_backward(q, k, v, forward, forward.output).dk;
      },
      [&] { return attention_statistics(q, k).entropy; },
      [&] { return linear_attention(q, k, v); },
      [&] { return linear_attention_backward(q, k, v, v).dq; },
      [&] { return softmax(q, -1); },
      [&] { return Tensor::copy_of(q.view().transpose(1, 2)); },
  };
  const int before = thread_count();
  set_thread_count(4);
  std::vector<Tensor> expected;
  for (const auto& call : calls) expected.push_back(call());
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(120);
    int wrong = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) wrong += equal_bits(calls[i](), expected[i]) ? 0 : 1;
    ::_exit(wrong);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  set_thread_count(before);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status) << ": it waited for ever";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "calls gave other bits";
}

}  // namespace
}  // namespace fovea
