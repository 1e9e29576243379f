// The paths inside attention: gathered keys of sparse masks, decoding in splits, strips of every width; and
// being told which one ran.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "fovea/attention.h"
#include "fovea/attention_path.h"
#include "fovea/instruction_set.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/expect_attention.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::expect_attention;
using testing::on_every_instruction_set;

struct Inputs {
  Inputs(Index heads, Index key_heads, Index n, Index m, Index d, Index dv)
      : q(Random(1).normal({1, heads, n, d})),
        k(Random(2).normal({1, key_heads, m, d})),
        v(Random(3).normal({1, key_heads, m, dv})) {}
  Tensor q, k, v;
};

AttentionPath path_of(const Inputs& in, const AttentionOptions& options) {
  AttentionPath seen;
  observe_attention([&seen](const AttentionPath& path) { seen = path; });
  attention(in.q, in.k, in.v, options);
  observe_attention({});
  return seen;
}

std::vector<float> bits_with_threads(int threads, const Inputs& in, AttentionOptions options) {
  const int before = thread_count();
  set_thread_count(threads);
  options.weights = options.logsumexp = true;
  const AttentionResult result = attention(in.q, in.k, in.v, options);
  set_thread_count(before);
  std::vector<float> all(result.output.data(), result.output.data() + result.output.shape().elements());
  all.insert(all.end(), result.weights.data(), result.weights.data() + result.weights.shape().elements());
  all.insert(all.end(), result.logsumexp.data(),
             result.logsumexp.data() + result.logsumexp.shape().elements());
  return all;
}

TEST(AttentionPaths, sparse_keys_are_gathered) {
  on_every_instruction_set([] {
    for (const Index stride : {1, 7, 16, 64, 500}) {
      SCOPED_TRACE("stride " + std::to_string(stride));
      const Inputs in(2, 1, 90, 210, 9, 6);
      expect_attention(in.q, in.k, in.v, {.mask = Mask::sparse(stride)});
      expect_attention(in.q, in.k, in.v, {.mask = Mask::sparse(stride) & Mask::causal()});
      expect_attention(in.q, in.k, in.v, {.mask = !Mask::sparse(stride)});
      expect_attention(
          in.q, in.k, in.v,
          {.mask = Mask::sparse(stride) | Mask::prefix(30), .bias = Bias::alibi({0.01f, 0.02f})});
    }
  });
}

TEST(AttentionPaths, sparse_with_options) {
  const Inputs in(2, 2, 150, 150, 12, 8);
  on_every_instruction_set([&] {
    Random random(4);
    const Mask additive = Mask::additive(random.normal({150, 150}));
    expect_attention(in.q, in.k, in.v, {.mask = Mask::sparse(16) & additive});
    expect_attention(in.q, in.k, in.v,
                     {.mask = Mask::sparse(16), .softcap = 2, .dropout = 0.2f, .seed = 3});
    expect_attention(in.q, in.k, in.v,
                     {.mask = Mask::sparse(16), .bias = Bias::dense(random.normal({150, 150}))});
  });
}

TEST(AttentionPaths, hidden_nan_among_gathered_keys_has_no_effect) {
  on_every_instruction_set([] {
    Inputs in(1, 1, 120, 120, 8, 8);
    // Key 33 is in the window of rows 17..49 (and of the global rows) only.
    for (Index c = 0; c < 8; ++c) in.v(0, 0, 33, c) = in.k(0, 0, 33, c) = std::nanf("");
    const AttentionResult got = attention(in.q, in.k, in.v, {.mask = Mask::sparse(16)});
    for (Index i = 0; i < 120; ++i) {
      const bool sees = i % 16 == 0 || std::abs(i - 33) <= 16;
      EXPECT_EQ(std::isnan(got.output(0, 0, i, 0)), sees) << "row " << i;
    }
  });
}

TEST(AttentionPaths, decoding_in_splits) {
  on_every_instruction_set([] {
    for (const Index m : {1, 3, 5, 64, 1023, 1025, 2050}) {
      for (const Index group : {1, 3, 4, 16}) {
        SCOPED_TRACE("m " + std::to_string(m) + " group " + std::to_string(group));
        const Inputs in(group, 1, 1, m, 20, 18);
        expect_attention(in.q, in.k, in.v);
      }
    }
  });
}

// Gaps between rows change what is fetched ahead, not what is summed. Widths and rows that kernels know as
// constants, and others.
TEST(AttentionPaths, decoding_rows_with_gaps_gives_the_same_bits) {
  on_every_instruction_set([] {
    for (const Index width : {64, 128, 144}) {
      for (const Index group : {1, 2, 3, 4, 5, 8}) {
        SCOPED_TRACE("width " + std::to_string(width) + " group " + std::to_string(group));
        const Inputs in(group, 1, 1, 1101, width, width);
        expect_attention(in.q, in.k, in.v);
        const Index stride = width + 8;
        const auto with_gaps = [&](const Tensor& rows) {
          Tensor wide = Tensor::filled({1, 1, 1101, stride}, std::numeric_limits<float>::quiet_NaN());
          for (Index j = 0; j < 1101; ++j) {
            std::copy_n(rows.data() + j * width, width, wide.data() + j * stride);
          }
          return wide;
        };
        const Tensor k = with_gaps(in.k), v = with_gaps(in.v);
        const auto part = [&](const Tensor& wide) {
          ConstView view(wide.data(), {1, 1, 1101, width}, {1101 * stride, 1101 * stride, stride, 1});
          return view;
        };
        const Tensor expected = attention(in.q, in.k, in.v).output;
        const Tensor output = attention(in.q, part(k), part(v)).output;
        EXPECT_TRUE(std::equal(output.data(), output.data() + group * width, expected.data()));
      }
    }
  });
}

TEST(AttentionPaths, decoding_with_options) {
  on_every_instruction_set([] {
    const Inputs in(4, 2, 3, 1100, 17, 9);
    expect_attention(in.q, in.k, in.v, {.mask = Mask::causal()});
    expect_attention(in.q, in.k, in.v, {.mask = Mask::lengths({20}), .softcap = 3});
    expect_attention(in.q, in.k, in.v, {.mask = Mask::lengths({0})});
    expect_attention(in.q, in.k, in.v, {.mask = Mask::sliding_window(40, 0)});
    expect_attention(in.q, in.k, in.v, {.mask = Mask::sparse(50), .dropout = 0.4f, .seed = 5});
    expect_attention(in.q, in.k, in.v, {.bias = Bias::alibi(alibi_slopes(4))});
    expect_attention(in.q, in.k, in.v, {.mask = Mask::additive(Random(7).normal({3, 1100}))});
  });
}

TEST(AttentionPaths, every_number_of_queries_up_to_a_block) {
  on_every_instruction_set([] {
    for (Index n = 17; n <= 120; n += 3) {
      SCOPED_TRACE("n " + std::to_string(n));
      const Inputs in(1, 1, n, 10, 5, 6);
      expect_attention(in.q, in.k, in.v);
    }
  });
}

TEST(AttentionPaths, bits_do_not_depend_on_threads) {
  const Inputs decode(8, 2, 1, 5000, 32, 32), strips(3, 3, 300, 300, 16, 16);
  for (const AttentionOptions& options :
       {AttentionOptions{}, AttentionOptions{.mask = Mask::sparse(20)},
        AttentionOptions{.mask = Mask::causal(), .dropout = 0.1f, .seed = 2}}) {
    for (const Inputs* in : {&decode, &strips}) {
      const std::vector<float> one = bits_with_threads(1, *in, options);
      for (const int threads : {2, 3, 8}) EXPECT_EQ(bits_with_threads(threads, *in, options), one);
    }
  }
}

TEST(AttentionPaths, the_path_is_told) {
  const AttentionPath strips = path_of(Inputs(2, 2, 500, 500, 64, 64), {.mask = Mask::causal()});
  EXPECT_EQ(strips.mode, "strips");
  EXPECT_EQ(strips.instruction_set, instruction_set());
  EXPECT_GT(strips.hidden, 0);
  EXPECT_GT(strips.full, 0);
  EXPECT_GT(strips.partial, 0);
  EXPECT_EQ(strips.gathered, 0);
  EXPECT_GT(path_of(Inputs(2, 2, 500, 500, 64, 64), {.mask = Mask::sparse(32)}).gathered, 0);

  const AttentionPath full = path_of(Inputs(2, 2, 500, 500, 64, 64), {});
  EXPECT_EQ(full.hidden + full.partial, 0);

  const AttentionPath decoding = path_of(Inputs(8, 2, 1, 3000, 64, 64), {});
  EXPECT_EQ(decoding.mode, "decoding");
  EXPECT_EQ(decoding.strip_queries, 4);
  EXPECT_EQ(decoding.full, 6);  // three splits of two key heads
  EXPECT_NE(decoding.to_string().find("decoding"), std::string::npos);
}

TEST(AttentionPaths, tile_sizes_follow_width) {
  const TileSizes narrow = tile_sizes(64, 64), wide = tile_sizes(512, 512);
  EXPECT_GT(narrow.strip_queries, 0);
  EXPECT_GE(narrow.strips_per_block, wide.strips_per_block);
  EXPECT_GT(narrow.l2_bytes, 0);
}

}  // namespace
}  // namespace fovea
