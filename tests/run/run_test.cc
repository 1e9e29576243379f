// A Run gives the weights of every head, whole, in parts, merged, and after a journey through a file.
#include "fovea/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stop_token>
#include <utility>

#include "fovea/matrix.h"
#include "fovea/random.h"
#include "fovea/safetensors.h"
#include "io/io_testing.h"

namespace fovea {
namespace {

constexpr Index kBatch = 2, kHeads = 4, kKeyHeads = 2, kQueries = 5, kKeys = 7, kWidth = 6;

struct Call {
  Tensor q, k, v;
  AttentionOptions options;
};

Call drawn(Random& random, Index n, Index m) {
  return {random.normal({kBatch, kHeads, n, kWidth}),
          random.normal({kBatch, kKeyHeads, m, kWidth}),
          random.normal({kBatch, kKeyHeads, m, kWidth}),
          {}};
}

// An encoder layer with padding and T5's bias, a causal decoder layer, a cross layer with a scale and a
// cap.
std::vector<Call> calls() {
  Random random(11);
  Call encoder = drawn(random, kKeys, kKeys);
  encoder.options.mask = Mask::padding(Flags{{1, 1, 1, 1, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1}});
  encoder.options.bias = Bias::t5(random.normal({8, kHeads}), 8, 20);
  Call decoder = drawn(random, kQueries, kQueries);
  decoder.options.mask = Mask::causal();
  decoder.options.bias = Bias::alibi({1.0f, 0.5f, 0.25f, 0.125f});
  Call cross = drawn(random, kQueries, kKeys);
  cross.options.scale = 1.0f;
  cross.options.softcap = 3;
  return {encoder, decoder, cross};
}

constexpr AttentionKind kKinds[] = {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross};

fovea::Run sample() {
  Capture capture;
  capture.model = "小模型";
  capture.sequences = {{{"a", "\"b\"\n", "c", "d", "e", "f", "喜欢"}, {1, 2, 3, 4, 5, 6, 7}, {}, {}, {}},
                       {{"t", "u", "v", "w", "x", "y", "z"}, {}, {0}, {1}, {0, 0, 0, 1, 1, 1, 1}}};
  const TokenSequence five{{"<s>", "1", "2", "3", "4"}, {0, 1, 2, 3, 4}, {}, {}, {}};
  capture.decoder_sequences = {five, five};
  const std::vector<Call> all = calls();
  for (std::size_t i = 0; i < all.size(); ++i) {
    capture.attention({kKinds[i], 0, all[i].q, all[i].k, all[i].v, all[i].options});
  }
  return fovea::Run(std::move(capture));
}

void expect_weights_of_the_run(const fovea::Run& run, float tolerance) {
  const std::vector<Call> all = calls();
  for (std::size_t i = 0; i < all.size(); ++i) {
    AttentionOptions options = all[i].options;
    options.weights = true;
    const Tensor want = attention(all[i].q, all[i].k, all[i].v, options).weights;
    const LayerView& layer = run.layer(kKinds[i], 0);
    const Tensor got = layer.crop({0, layer.queries(), 0, layer.keys()});
    ASSERT_EQ(got.shape(), want.shape());
    for (Index e = 0; e < want.shape().elements(); ++e) {
      ASSERT_NEAR(got.data()[e], want.data()[e], tolerance) << to_string(kKinds[i]) << " at " << e;
    }
    for (Index b = 0; b < kBatch; ++b) {
      for (Index h = 0; h < kHeads; ++h) {
        const HeadChoice choice{.kind = kKinds[i], .head = h, .batch = b};
        const Tensor one = run.weights(choice), part = run.weights(choice, {1, 3, 2, 5});
        ASSERT_EQ(part.shape(), (Shape{2, 3}));
        for (Index n = 0; n < want.shape()[2]; ++n) {
          for (Index m = 0; m < want.shape()[3]; ++m) {
            ASSERT_NEAR(one(n, m), want(b, h, n, m), 1e-6f) << to_string(kKinds[i]) << b << h << n << m;
            if (n >= 1 && n < 3 && m >= 2 && m < 5) {
              ASSERT_NEAR(part(n - 1, m - 2), want(b, h, n, m), 1e-6f);
            }
          }
        }
      }
    }
  }
}

TEST(Run, gives_the_weights_of_every_head) {
  const fovea::Run run = sample();
  EXPECT_EQ(run.layers(AttentionKind::cross), 1);
  EXPECT_EQ(run.kinds().size(), 3u);
  EXPECT_EQ(run.model(), "小模型");
  EXPECT_EQ(run.query_tokens(AttentionKind::cross)[0], "<s>");
  EXPECT_EQ(run.key_tokens(AttentionKind::cross)[6], "喜欢");
  EXPECT_EQ(run.key_tokens(AttentionKind::encoder, 1)[6], "z");
  EXPECT_TRUE(run.key_segments(AttentionKind::encoder, 0).empty());
  EXPECT_EQ(run.key_segments(AttentionKind::encoder, 1)[3], 1);
  expect_weights_of_the_run(run, 1e-6f);
  const AttentionStatistics statistics = run.layer(AttentionKind::cross, 0).statistics();
  EXPECT_EQ(statistics.received.shape(), (Shape{kBatch, kHeads, kKeys}));
  EXPECT_EQ(run.bytes(),
            sizeof(float) * static_cast<std::size_t>(kBatch * kWidth *
                                                     (kHeads * (kKeys + 2 * kQueries) +
                                                      2 * kKeyHeads * (2 * kKeys + kQueries))));
}

// One sequence of a batch whose mask tells the sequences apart.
TEST(Run, a_selected_sequence_is_the_same_alone) {
  const fovea::Run run = sample();
  for (const AttentionKind kind : kKinds) {
    for (Index b = 0; b < kBatch; ++b) {
      const fovea::Run one = run.select(kind, b);
      ASSERT_EQ(one.kinds().size(), 1u);
      ASSERT_EQ(one.layer(kind, 0).batch(), 1);
      EXPECT_EQ(one.key_tokens(kind), run.key_tokens(kind, b));
      for (Index h = 0; h < kHeads; ++h) {
        const Tensor got = one.weights({.kind = kind, .head = h});
        const Tensor want = run.weights({.kind = kind, .head = h, .batch = b});
        for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_EQ(got.data()[i], want.data()[i]);
      }
    }
  }
}

TEST(Run, a_sequence_has_all_kinds_of_the_run) {
  const fovea::Run run = sample();
  for (Index b = 0; b < kBatch; ++b) {
    const fovea::Run one = run.sequence(b);
    ASSERT_EQ(one.kinds(), run.kinds());
    EXPECT_EQ(one.model(), run.model());
    for (const AttentionKind kind : kKinds) {
      ASSERT_EQ(one.layer(kind, 0).batch(), 1);
      EXPECT_EQ(one.query_tokens(kind), run.query_tokens(kind, b));
      EXPECT_EQ(one.key_tokens(kind), run.key_tokens(kind, b));
      const Tensor got = one.weights({.kind = kind, .head = 1});
      const Tensor want = run.weights({.kind = kind, .head = 1, .batch = b});
      for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_EQ(got.data()[i], want.data()[i]);
    }
  }
  EXPECT_THROW(run.sequence(kBatch), Error);
}

// [N, M] of all heads, by the definition.
Matrix plain_merge(const fovea::Run& run, AttentionKind kind, Index batch, HeadMerge how) {
  const LayerView& layer = run.layer(kind, 0);
  Matrix merged(layer.queries(), layer.keys());
  for (Index h = 0; h < layer.heads(); ++h) {
    const Tensor one = run.weights({.kind = kind, .head = h, .batch = batch});
    for (Index i = 0; i < merged.rows(); ++i) {
      for (Index j = 0; j < merged.columns(); ++j) {
        const auto weight = static_cast<double>(one(i, j));
        merged(i, j) = how == HeadMerge::max ? std::max(merged(i, j), weight)
                                             : merged(i, j) + weight / static_cast<double>(layer.heads());
      }
    }
  }
  return merged;
}

TEST(Run, merged_heads_are_their_mean_and_maximum) {
  const fovea::Run run = sample();
  for (const HeadMerge how : {HeadMerge::mean, HeadMerge::max}) {
    for (const AttentionKind kind : kKinds) {
      const HeadChoice choice{.kind = kind, .merge = how, .batch = 1};
      const Matrix want = plain_merge(run, kind, 1, how);
      const Tensor got = run.weights(choice), part = run.weights(choice, {1, 3, 2, 5});
      for (Index i = 0; i < want.rows(); ++i) {
        for (Index j = 0; j < want.columns(); ++j) ASSERT_NEAR(got(i, j), want(i, j), 1e-7);
      }
      EXPECT_EQ(part(1, 0), got(2, 2));
      EXPECT_EQ(choice.name(), how == HeadMerge::max ? "L0 max" : "L0 mean");
    }
  }
}

// Of stored weights, and of merged ones, statistics come row by row: the fused kernel is their judge.
TEST(Run, statistics_of_stored_weights_are_those_of_the_kernel) {
  const fovea::Run run = sample();
  for (const AttentionKind kind : kKinds) {
    const fovea::Run one = run.select(kind, 1);
    const fovea::Run stored =
        fovea::Run::from_weights(one.all_weights(kind), one.layer(kind, 0).options.mask);
    const StatisticsOptions options{.thumbnail = 3, .top_k = 2};
    const AttentionStatistics want = one.layer(kind, 0).statistics(options);
    const AttentionStatistics got = stored.layer(AttentionKind::encoder, 0).statistics(options);
    const auto near = [](const Tensor& a, const Tensor& b, const char* what) {
      ASSERT_EQ(a.shape(), b.shape()) << what;
      for (Index i = 0; i < a.shape().elements(); ++i)
        ASSERT_NEAR(a.data()[i], b.data()[i], 2e-6) << what << i;
    };
    near(got.entropy, want.entropy, "entropy");
    near(got.maximum, want.maximum, "maximum");
    near(got.diagonal, want.diagonal, "diagonal");
    near(got.distance, want.distance, "distance");
    near(got.received, want.received, "received");
    near(got.thumbnail, want.thumbnail, "thumbnail");
    near(got.thumbnail_max, want.thumbnail_max, "thumbnail_max");
    near(got.top_weights, want.top_weights, "top_weights");
    near(got.means.entropy, want.means.entropy, "mean entropy");
    EXPECT_EQ(got.position.values(), want.position.values());
    EXPECT_EQ(got.visible.values(), want.visible.values());
    EXPECT_EQ(got.top_keys.values(), want.top_keys.values());
    EXPECT_EQ(got.means.rows_seeing.values(), want.means.rows_seeing.values());
    EXPECT_TRUE(got.logsumexp.empty());
  }
}

// A mean of heads with different masks sees what any of them sees, whichever function is asked.
TEST(Run, a_mean_sees_what_any_head_sees) {
  Random random(5);
  Flags flags = Flags::filled({1, 2, 4, 4}, 0);
  for (Index i = 0; i < 4; ++i) flags(0, 0, i, i) = flags(0, 1, i, 0) = 1;
  const Tensor q = random.normal({1, 2, 4, 3}), k = random.normal({1, 2, 4, 3});
  const fovea::Run run = fovea::Run::from_query_key(q, k, {.mask = Mask::dense(flags)});
  const HeadChoice mean{.merge = HeadMerge::mean};
  const AttentionStatistics statistics = run.statistics(mean);
  EXPECT_EQ(statistics.visible.values(), (std::vector<Index>{1, 2, 2, 2}));
  const Mask visible = run.visible(mean);
  EXPECT_EQ(visible.to_bool(4, 4)(2, 0), 1);
  EXPECT_EQ(visible.to_bool(4, 4)(2, 1), 0);
  EXPECT_EQ(visible.to_bool(4, 4)(2, 2), 1);
  EXPECT_EQ(run.weights(mean)(2, 0), 0.5f);
}

// Layers that attend differently: every layer has its own mask and scale.
fovea::Run alternating(Index tokens) {
  Random random(9);
  Capture capture;
  for (Index layer = 0; layer < 4; ++layer) {
    const Tensor q = random.normal({1, 2, tokens, 4}), k = random.normal({1, 2, tokens, 4});
    AttentionOptions options;
    if (layer % 2 == 1) options = {.mask = Mask::sliding_window(1, 1), .scale = 0.25f};
    capture.attention({AttentionKind::encoder, layer, q, k, k, options});
  }
  return fovea::Run(std::move(capture));
}

TEST(Run, layers_may_differ_in_mask_and_scale) {
  const fovea::Run run = alternating(6);
  const Tensor full = run.weights({.layer = 0}), window = run.weights({.layer = 3, .head = 1});
  EXPECT_GT(full(0, 5), 0);
  EXPECT_EQ(window(0, 5), 0);
  EXPECT_EQ(run.layer(AttentionKind::encoder, 0).scale(), 0.5);
  EXPECT_EQ(run.layer(AttentionKind::encoder, 3).scale(), 0.25);
  EXPECT_TRUE(run.visible({.layer = 2}).is_none());
  EXPECT_EQ(run.statistics({.layer = 1}).visible.values(), (std::vector<Index>{2, 3, 3, 3, 3, 2}));
  EXPECT_EQ(run.statistics({.layer = 2, .merge = HeadMerge::mean}).visible(0), 6);
  const Tensor all = run.all_weights(AttentionKind::encoder);
  EXPECT_EQ(all.shape(), (Shape{4, 1, 2, 6, 6}));
  EXPECT_EQ(all(3, 0, 1, 2, 2), window(2, 2));
}

TEST(Run, a_further_mask_takes_the_softmax_anew) {
  const fovea::Run run = alternating(5);
  const Mask mask = Mask::causal();
  const Tensor masked = run.weights({.layer = 1, .mask = mask});
  const Tensor again = run.masked(mask).weights({.layer = 1});
  double sum = 0;
  for (Index j = 0; j < 5; ++j) sum += static_cast<double>(masked(3, j));
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_EQ(masked(3, 4), 0);
  EXPECT_EQ(masked(3, 1), 0) << "the layer's own window still holds";
  for (Index i = 0; i < 25; ++i) EXPECT_EQ(masked.data()[i], again.data()[i]);
  const fovea::Run stored = fovea::Run::from_weights(Tensor::from({{1, 0}, {0.5, 0.5}}));
  EXPECT_TRUE(contains(error_of([&] { stored.masked(mask); }), "stored weights cannot be masked"));
}

TEST(Run, long_work_can_be_stopped) {
  const fovea::Run run = alternating(5);
  std::stop_source stop;
  stop.request_stop();
  const std::stop_token token = stop.get_token();
  EXPECT_THROW(run.all_weights(AttentionKind::encoder, token), Stopped);
  EXPECT_THROW(run.weights({.merge = HeadMerge::mean}, token), Stopped);
  EXPECT_THROW(run.statistics({.layer = 1}, {.stop = token}), Stopped);
  EXPECT_THROW(run.statistics({.merge = HeadMerge::mean}, {.stop = token}), Stopped);
  EXPECT_THROW(run.cells({.merge = HeadMerge::max}, 2, token), Stopped);
}

TEST(Run, survives_a_file) {
  const TemporaryFolder folder;
  sample().save(folder / "run.safetensors");
  const fovea::Run loaded = fovea::Run::load(folder / "run.safetensors");
  EXPECT_EQ(loaded.model(), "小模型");
  for (const AttentionKind kind : kKinds) {
    EXPECT_EQ(loaded.tokens(kind).queries, sample().tokens(kind).queries);
    EXPECT_EQ(loaded.tokens(kind).keys, sample().tokens(kind).keys);
  }
  expect_weights_of_the_run(loaded, 1e-6f);
  const Tensor v = Tensor::copy_of(loaded.layer(AttentionKind::decoder, 0).v), want = calls()[1].v;
  for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_EQ(v.data()[i], want.data()[i]);
}

TEST(Run, stored_weights_and_bare_queries_survive_a_file) {
  const TemporaryFolder folder;
  fovea::Run stored = fovea::Run::from_weights(Tensor::from({{1, 0}, {0.5, 0.5}}), Mask::causal());
  stored.set_tokens(AttentionKind::encoder, {"我", "你"});
  stored.save(folder / "weights.safetensors");
  const fovea::Run again = fovea::Run::load(folder / "weights.safetensors");
  EXPECT_EQ(again.weights({})(1, 1), 0.5f);
  EXPECT_EQ(again.key_tokens(AttentionKind::encoder)[1], "你");
  EXPECT_EQ(again.visible({}).to_bool(2, 2)(0, 1), 0);
  Random random(1);
  const fovea::Run bare = fovea::Run::from_query_key(random.normal({3, 4}), random.normal({5, 4}));
  bare.save(folder / "bare.safetensors");
  EXPECT_EQ(fovea::Run::load(folder / "bare.safetensors").weights({})(2, 4), bare.weights({})(2, 4));
}

TEST(Run, each_sequence_of_a_batch_has_names_of_its_own) {
  const TemporaryFolder folder;
  fovea::Run run = fovea::Run::from_weights(Tensor({1, 2, 1, 1, 2}));  // two sequences, one query, two keys
  run.set_tokens_of_each(AttentionKind::encoder, {{"a"}, {"b"}}, {{"c", "d"}, {"e", "f"}});
  EXPECT_EQ(run.query_tokens(AttentionKind::encoder, 1), std::vector<std::string>{"b"});
  EXPECT_EQ(run.key_tokens(AttentionKind::encoder, 0)[1], "d");
  EXPECT_EQ(run.select(AttentionKind::encoder, 1).key_tokens(AttentionKind::encoder)[0], "e");
  run.set_tokens(AttentionKind::encoder, {"x"}, {"y", "z"});  // of both
  EXPECT_EQ(run.query_tokens(AttentionKind::encoder, 1), std::vector<std::string>{"x"});
  run.set_tokens_of_each(AttentionKind::encoder, {}, {});
  EXPECT_TRUE(run.query_tokens(AttentionKind::encoder, 1).empty());
  EXPECT_TRUE(contains(error_of([&] { run.set_tokens_of_each(AttentionKind::encoder, {{"a"}}, {}); }),
                       "tokens of 1 sequences, expected 2"));
  EXPECT_TRUE(contains(error_of([&] {
                         run.set_tokens_of_each(AttentionKind::encoder, {{"a"}, {"b", "c"}}, {});
                       }),
                       "got 2 tokens, expected 1, one per query"));
}

TEST(Run, what_cannot_be_done_is_told) {
  const fovea::Run run = sample();
  EXPECT_TRUE(contains(error_of([&] { run.weights({.kind = AttentionKind::decoder, .layer = 1}); }),
                       "decoder layer 1 does not exist: there are 1 encoder layer, 1 decoder layer"));
  EXPECT_TRUE(contains(error_of([&] { run.weights({.head = 4}); }),
                       "head 4 does not exist: there are 4, counted from 0"));
  EXPECT_TRUE(contains(error_of([&] { run.weights({.batch = 2}); }),
                       "sequence 2 does not exist: there are 2, counted from 0"));
  EXPECT_TRUE(contains(error_of([&] { run.head({.merge = HeadMerge::mean}); }), "L0 mean is not one head"));
  EXPECT_TRUE(contains(error_of([&] { fovea::Run().weights({}); }), "there is nothing"));
  EXPECT_TRUE(contains(error_of([&] { fovea::Run::from_weights(Tensor::from({{-1, 2}})); }), "weights"));
  EXPECT_TRUE(contains(error_of([&] {
                         fovea::Run::from_query_key(Tensor({3, 4}), Tensor({5, 6}));
                       }),
                       "got q [1, 1, 1, 3, 4] and k [1, 1, 1, 5, 6]"));
  const TemporaryFolder folder;
  const Call call = calls()[0];
  Capture capture;
  AttentionOptions options;
  options.mask = Mask::predicate([](Index, Index, Index, Index) { return true; });
  capture.attention({AttentionKind::encoder, 0, call.q, call.k, call.v, options});
  EXPECT_TRUE(contains(error_of([&] { fovea::Run(capture).save(folder / "x.safetensors"); }),
                       "encoder layer 0 has a mask that cannot be saved to a file: predicate"));
  EXPECT_EQ(folder.entries(), 0u);
}

// Files of the first version, and files that are not what they say.
TEST(Run, files_of_others_are_refused) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  arrays.add("x", Tensor({2}));
  save_safetensors(folder / "other.safetensors", arrays);
  EXPECT_TRUE(contains(error_of([&] { fovea::Run::load(folder / "other.safetensors"); }), "not a run"));
  const auto with = [&](const std::string& json, Index keys) {
    NamedArrays bad;
    bad.add("encoder.0.q", Tensor({1, 2, 3, 4}));
    bad.add("encoder.0.k", Tensor({1, 2, 3, 4}));
    bad.add("encoder.0.v", Tensor({1, 2, keys, 4}));
    bad.metadata()["fovea.capture"] = json;
    save_safetensors(folder / "bad.safetensors", bad);
    return error_of([&] { fovea::Run::load(folder / "bad.safetensors"); });
  };
  const auto start = [](const std::string& sequences) {
    return R"({"version":1,"model":"m","decoder_sequences":[],"sequences":[)" + sequences + R"(],"calls":)";
  };
  const std::string layer = R"([{"kind":"encoder","layer":0,"mask":"causal","softcap":0}]})";
  EXPECT_EQ(with(start("") + layer, 3), "") << "version 1 is read";
  EXPECT_TRUE(contains(with("{", 3), "[run]"));
  EXPECT_TRUE(contains(with(start("") + "3}", 3), "calls should be a list"));
  EXPECT_TRUE(contains(with(start("") + layer, 9), "v [1, 2, 9, 4]"));
  EXPECT_TRUE(
      contains(with(start("") + R"([{"kind":"x","layer":0,"mask":"causal","softcap":0}]})", 3), "kind is"));
  EXPECT_TRUE(
      contains(with(start("") + R"([{"kind":"encoder","layer":0,"mask":"nonsense","softcap":0}]})", 3),
               "unknown mask"));
  EXPECT_TRUE(
      contains(with(start(R"({"tokens":["a"],"ids":[],"begins":[],"ends":[],"segments":[]})") + layer, 3),
               "1 tokens for 3 queries"));
}

}  // namespace
}  // namespace fovea
