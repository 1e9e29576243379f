// attention_statistics, crops and products against the double reference: masks, biases, remainders, ranks.
#include "fovea/attention_statistics.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/attention_case.h"
#include "support/expect_statistics.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::expect_statistics;
using testing::on_every_instruction_set;
using testing::OneThread;

struct Case : testing::AttentionCase {
  Case() { n = 29, m = 41; }
  StatisticsOptions wanted = {.thumbnail = 7, .top_k = 3};
};
using Feature = testing::Feature<Case>;

Tensor scaled_normal(const Shape& shape, std::uint64_t seed, float magnitude) {
  Tensor x = Random(seed).normal(shape);
  for (Index i = 0; i < shape.elements(); ++i) x.data()[i] *= magnitude;
  return x;
}

void run(const Case& c) {
  const Tensor q = scaled_normal({c.batch, c.heads, c.n, c.d}, 1, c.magnitude);
  const Tensor k = scaled_normal({c.batch, c.key_heads, c.m, c.d}, 2, c.magnitude);
  expect_statistics(q, k, c.options, c.wanted);
}

// Those of all kinds, and none.
std::vector<testing::Feature<testing::AttentionCase>> masks() {
  auto features = testing::mask_features();
  features.push_back({"none", [](testing::AttentionCase&) {}});
  features.push_back({"causal and padding", [](testing::AttentionCase& c) {
                        c.options.mask = Mask::causal() & testing::half_padding(c);
                      }});
  features.push_back(
      {"not window", [](testing::AttentionCase& c) { c.options.mask = !Mask::sliding_window(3, 40); }});
  return features;
}

const std::vector<Feature>& others() {
  static const std::vector<Feature> features = {
      {"plain", [](Case&) {}},
      {"relative bias",
       [](Case& c) {
         c.options.bias = Bias::relative(Random(7).normal({9, c.heads}));
       }},
      {"t5 bias",
       [](Case& c) {
         c.options.bias = Bias::t5(Random(8).normal({8, c.heads}), 8, 16, true);
       }},
      {"alibi", [](Case& c) { c.options.bias = Bias::alibi(alibi_slopes(c.heads)); }},
      {"dense bias",
       [](Case& c) {
         c.options.bias = Bias::dense(Random(9).normal({c.heads, c.n, c.m}).view().insert_axis(0));
       }},
      {"scale", [](Case& c) { c.options.scale = 0.7f; }},
      {"softcap", [](Case& c) { c.options.softcap = 1.5f; }},
      {"dropout is ignored", [](Case& c) { c.options.dropout = 0.5f; }},
      {"grouped heads", [](Case& c) { c.key_heads = 2; }},
      {"one key head", [](Case& c) { c.key_heads = 1; }},
      {"more queries than keys", [](Case& c) { std::swap(c.n, c.m); }},
      {"many keys", [](Case& c) { c.m = 300, c.batch = 2, c.heads = c.key_heads = 2; }},
      {"many queries", [](Case& c) { c.n = 150, c.heads = c.key_heads = 2; }},
      {"peaked", [](Case& c) { c.magnitude = 8; }},
      {"flat", [](Case& c) { c.magnitude = 0.01f; }},
  };
  return features;
}

TEST(AttentionStatistics, every_mask_with_every_option) {
  const OneThread one_thread;
  on_every_instruction_set([] {
    for (const Feature& other : others()) {
      for (const auto& mask : masks()) {
        SCOPED_TRACE(std::string(other.name) + " with " + mask.name);
        Case c;
        other.apply(c);
        mask.apply(c);
        run(c);
      }
    }
  });
}

TEST(AttentionStatistics, every_remainder) {
  const OneThread one_thread;
  on_every_instruction_set([] {
    Case c;
    c.batch = c.heads = c.key_heads = 1;
    for (c.n = 0; c.n <= 34; ++c.n) {
      for (const Index m : {0, 1, 2, 3, 4, 5, 7, 9, 26}) {
        c.m = m;
        SCOPED_TRACE("n " + std::to_string(c.n) + " m " + std::to_string(m));
        run(c);
      }
    }
    c.n = 5, c.m = 6;
    for (c.d = 1; c.d <= 18; ++c.d) run(c);
  });
}

TEST(AttentionStatistics, around_the_key_block) {
  on_every_instruction_set([] {
    for (const Index m : {126, 127, 128, 129, 130, 255, 256, 257}) {
      SCOPED_TRACE("m " + std::to_string(m));
      Case c;
      c.batch = 1, c.heads = c.key_heads = 1, c.n = 121, c.m = m, c.d = 8;
      c.wanted.thumbnail = 40;
      for (const Mask& mask : {Mask(), Mask::causal(), Mask::sliding_window(20, 0), Mask::sparse(50)}) {
        c.options.mask = mask;
        run(c);
      }
    }
  });
}

// The scores of a strip do not fit into what is kept between the passes: both passes compute them.
TEST(AttentionStatistics, more_keys_than_are_kept) {
  on_every_instruction_set([] {
    Case c;
    c.batch = 1, c.heads = 2, c.key_heads = 1, c.n = 30, c.m = 5300, c.d = 3;
    c.wanted.thumbnail = 100;
    // Wider strips keep fewer keys, narrower ones more: 1 lane keeps 40,960.
    if (instruction_set() == "scalar") c.n = 2, c.heads = 1, c.m = 41000;
    if (instruction_set() == "sse4") c.n = 14, c.heads = 1, c.m = 10300;
    for (const Mask& mask : {Mask(), Mask::causal(), Mask::sliding_window(c.m - 40, 3),
                             Mask::lengths({c.m - 3}) & !Mask::sliding_window(40, 100)}) {
      c.options.mask = mask;
      run(c);
    }
    c.options.mask = Mask::causal();
    c.options.softcap = 2;
    run(c);
    // Separate keys, as many as that.
    c.options = {.mask = Mask::sparse(7)};
    c.heads = 1, c.m = 41000;
    run(c);
  });
}

// One key at either end of a key block, in rows of which nothing is kept.
TEST(AttentionStatistics, crops_at_the_edges_of_key_blocks) {
  on_every_instruction_set([] {
    const Index m = 41000;
    const Tensor q = scaled_normal({2, 3}, 1, 1), k = scaled_normal({m, 3}, 2, 1);
    const testing::StatisticsJudge judge(q, k, {}, 1);
    for (const Index key : {Index{0}, Index{127}, Index{128}, Index{20000}, m - 1}) {
      SCOPED_TRACE("key " + std::to_string(key));
      judge.expect_crop(q, k, {0, 2, key, key + 1});
      judge.expect_crop(q, k, {1, 2, std::max<Index>(0, key - 1), std::min(m, key + 2)});
    }
  });
}

TEST(AttentionStatistics, pictures_of_every_size) {
  on_every_instruction_set([] {
    Case c;
    c.batch = c.heads = c.key_heads = 1;
    c.n = 37, c.m = 145;
    c.options.mask = Mask::causal();
    for (const Index size : {1, 2, 3, 36, 37, 38, 64, 144, 145, 1000}) {
      SCOPED_TRACE("size " + std::to_string(size));
      c.wanted.thumbnail = size;
      run(c);
    }
  });
}

TEST(AttentionStatistics, top_of_every_length) {
  on_every_instruction_set([] {
    Case c;
    c.batch = c.heads = c.key_heads = 1;
    for (const Index k : {1, 2, 20, 40, 41, 50}) {
      SCOPED_TRACE("k " + std::to_string(k));
      c.wanted.top_k = k;
      c.options.mask = k % 2 == 0 ? Mask::causal() : Mask();
      run(c);
    }
  });
}

TEST(AttentionStatistics, every_rank_and_strides) {
  on_every_instruction_set([] {
    Random random(3);
    expect_statistics(random.normal({5, 4}), random.normal({6, 4}));
    expect_statistics(random.normal({2, 5, 4}), random.normal({2, 6, 4}), {.mask = Mask::lengths({2, 5})});
    expect_statistics(random.normal({3, 2, 4, 5, 4}), random.normal({3, 2, 2, 6, 4}),
                      {.mask = Mask::lengths({2, 5, 1, 6, 0, 3})});
    const Tensor memory = random.normal({2, 9, 4, 12});
    const ConstView view = memory.view().transpose(1, 2).slice(3, 0, 12, 2);
    expect_statistics(view, view, {.mask = Mask::causal()});
  });
}

TEST(AttentionStatistics, shapes_of_every_rank) {
  const StatisticsOptions wanted{.thumbnail = 4, .top_k = 2};
  const AttentionStatistics two = attention_statistics(Tensor({5, 3}), Tensor({6, 3}), {}, wanted);
  EXPECT_EQ(two.entropy.shape(), (Shape{5}));
  EXPECT_EQ(two.position.shape(), (Shape{5}));
  EXPECT_EQ(two.received.shape(), (Shape{6}));
  EXPECT_EQ(two.thumbnail.shape(), (Shape{4, 4}));
  EXPECT_EQ(two.top_keys.shape(), (Shape{5, 2}));
  EXPECT_EQ(two.means.entropy.shape(), (Shape{1}));
  const AttentionStatistics three = attention_statistics(Tensor({7, 5, 3}), Tensor({7, 2, 3}), {}, wanted);
  EXPECT_EQ(three.received.shape(), (Shape{7, 2}));
  EXPECT_EQ(three.thumbnail_max.shape(), (Shape{7, 4, 2}));
  EXPECT_EQ(three.means.rows_seeing.shape(), (Shape{7}));
  const AttentionStatistics five =
      attention_statistics(Tensor({2, 3, 4, 5, 3}), Tensor({2, 3, 2, 6, 3}), {}, wanted);
  EXPECT_EQ(five.distance.shape(), (Shape{2, 3, 4, 5}));
  EXPECT_EQ(five.received.shape(), (Shape{2, 3, 4, 6}));
  EXPECT_EQ(five.thumbnail.shape(), (Shape{2, 3, 4, 4, 4}));
  EXPECT_EQ(five.means.distance.shape(), (Shape{2, 3, 4}));
}

// Asked for beside the statistics, the weights are those of a crop of everything, and change nothing else.
TEST(AttentionStatistics, weights_beside_them) {
  const auto same = [](const Tensor& a, const Tensor& b) {
    ASSERT_EQ(a.shape(), b.shape());
    EXPECT_EQ(
        std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.shape().elements())), 0);
  };
  for (const auto& feature : masks()) {
    SCOPED_TRACE(feature.name);
    for (const Index n : {5, 29, 150}) {
      testing::AttentionCase c;
      c.n = c.m = n;
      feature.apply(c);
      const Tensor q = scaled_normal({c.batch, c.heads, c.n, c.d}, 1, 2),
                   k = scaled_normal({c.batch, c.key_heads, c.m, c.d}, 2, 2);
      const AttentionStatistics plain = attention_statistics(q, k, c.options, {.thumbnail = 0});
      const AttentionStatistics both =
          attention_statistics(q, k, c.options, {.thumbnail = 0, .weights = true});
      EXPECT_TRUE(plain.weights.empty());
      same(both.weights, attention_crop(q, k, c.options, {0, n, 0, n}));
      same(both.entropy, plain.entropy);
      same(both.received, plain.received);
    }
  }
}

}  // namespace
}  // namespace fovea
