// A Capture gives the weights of the run it saw, whole, in parts, and after a journey through a file.
#include "fovea/capture.h"

#include <gtest/gtest.h>

#include <memory>

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

Capture captured() {
  Capture capture;
  capture.model = "小模型";
  capture.sequences = {{{"a", "\"b\"\n", "c", "d", "e", "f", "喜欢"}, {1, 2, 3, 4, 5, 6, 7}, {}, {}, {}},
                       {{"x"}, {9}, {0}, {1}, {1}}};
  capture.decoder_sequences = {{{"<s>"}, {0}, {}, {}, {}}};
  const std::vector<Call> all = calls();
  for (std::size_t i = 0; i < all.size(); ++i) {
    capture.attention({kKinds[i], 0, all[i].q, all[i].k, all[i].v, all[i].options});
  }
  return capture;
}

void expect_weights_of_the_run(const Capture& capture, float tolerance) {
  const std::vector<Call> all = calls();
  for (std::size_t i = 0; i < all.size(); ++i) {
    AttentionOptions options = all[i].options;
    options.weights = true;
    const Tensor want = attention(all[i].q, all[i].k, all[i].v, options).weights;
    const Tensor got = capture.weights(kKinds[i], 0);
    ASSERT_EQ(got.shape(), want.shape());
    for (Index e = 0; e < want.shape().elements(); ++e) {
      ASSERT_NEAR(got.data()[e], want.data()[e], tolerance) << to_string(kKinds[i]) << " at " << e;
    }
    for (Index b = 0; b < kBatch; ++b) {
      for (Index h = 0; h < kHeads; ++h) {
        const Tensor one = capture.weights(kKinds[i], 0, h, b);
        const Tensor part = capture.crop(kKinds[i], 0, h, {1, 3, 2, 5}, b);
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

TEST(Capture, gives_the_weights_of_the_run) {
  const Capture capture = captured();
  EXPECT_EQ(capture.layers(AttentionKind::cross), 1);
  EXPECT_EQ(capture.kinds().size(), 3u);
  EXPECT_EQ(&capture.query_sequences(AttentionKind::cross), &capture.decoder_sequences);
  EXPECT_EQ(&capture.key_sequences(AttentionKind::cross), &capture.sequences);
  EXPECT_EQ(&capture.key_sequences(AttentionKind::decoder), &capture.decoder_sequences);
  expect_weights_of_the_run(capture, 1e-6f);
  const AttentionStatistics statistics = capture.statistics(AttentionKind::cross, 0);
  EXPECT_EQ(statistics.received.shape(), (Shape{kBatch, kHeads, kKeys}));
}

TEST(Capture, survives_a_file) {
  const TemporaryFolder folder;
  captured().save(folder / "run.safetensors");
  const Capture loaded = Capture::load(folder / "run.safetensors");
  EXPECT_EQ(loaded.model, "小模型");
  EXPECT_EQ(loaded.sequences, captured().sequences);
  EXPECT_EQ(loaded.decoder_sequences, captured().decoder_sequences);
  expect_weights_of_the_run(loaded, 1e-6f);
  const Tensor v = Tensor::copy_of(loaded.at(AttentionKind::decoder, 0).v), want = calls()[1].v;
  for (Index i = 0; i < want.shape().elements(); ++i) ASSERT_EQ(v.data()[i], want.data()[i]);
}

// What may be kept is kept, and lasts as long as a copy of the capture does; the rest is copied.
TEST(Capture, takes_over_memory_that_it_may_keep) {
  const Call call = calls()[0];
  auto memory = std::make_shared<const Tensor>(call.q);
  const ConstView q = *memory;
  Capture kept;
  {
    Capture capture;
    capture.attention({AttentionKind::encoder, 0, q, q, q, {}, memory});
    capture.attention({AttentionKind::encoder, 1, q, q, q, {}});
    kept = capture;
  }
  EXPECT_EQ(memory.use_count(), 2);
  EXPECT_EQ(kept.at(AttentionKind::encoder, 0).q.data(), q.data());
  EXPECT_NE(kept.at(AttentionKind::encoder, 1).q.data(), q.data());
  memory.reset();
  EXPECT_EQ(kept.at(AttentionKind::encoder, 0).v(0, 0, 0, 0), call.q(0, 0, 0, 0));
}

TEST(Capture, what_cannot_be_done_is_told) {
  Capture capture = captured();
  const Call call = calls()[0];
  EXPECT_TRUE(
      contains(error_of([&] {
                 capture.attention({AttentionKind::encoder, 0, call.q, call.k, call.v, call.options});
               }),
               "encoder layer 0 was captured already"));
  EXPECT_TRUE(contains(error_of([&] { capture.weights(AttentionKind::decoder, 1); }),
                       "decoder layer 1 was asked for, there are 1 encoder layer, 1 decoder layer"));
  EXPECT_TRUE(contains(error_of([&] { capture.weights(AttentionKind::decoder, 0, 4); }),
                       "batch entry 0 and head 4 were asked for, there are 2 and 4"));
  const TemporaryFolder folder;
  AttentionOptions options;
  options.mask = Mask::predicate([](Index, Index, Index, Index) { return true; });
  capture.attention({AttentionKind::encoder, 1, call.q, call.k, call.v, options});
  EXPECT_TRUE(contains(error_of([&] { capture.save(folder / "x.safetensors"); }),
                       "encoder layer 1 has a mask that no file can hold: predicate"));
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Capture, files_of_others_are_refused) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  arrays.add("x", Tensor({2}));
  save_safetensors(folder / "other.safetensors", arrays);
  EXPECT_TRUE(contains(error_of([&] { Capture::load(folder / "other.safetensors"); }), "not a capture"));
  const auto with = [&](const std::string& json) {
    NamedArrays bad;
    bad.add("encoder.0.q", Tensor({1, 2, 3, 4}));
    bad.add("encoder.0.k", Tensor({1, 2, 3, 4}));
    bad.add("encoder.0.v", Tensor({1, 2, 9, 4}));
    bad.metadata()["fovea.capture"] = json;
    save_safetensors(folder / "bad.safetensors", bad);
    return error_of([&] { Capture::load(folder / "bad.safetensors"); });
  };
  const std::string start = R"({"version":1,"model":"m","sequences":[],"decoder_sequences":[],"calls":)";
  EXPECT_TRUE(contains(with("{"), "[capture]"));
  EXPECT_TRUE(contains(with(start + "3}"), "calls should be a list"));
  EXPECT_TRUE(contains(with(start + R"([{"kind":"encoder","layer":0,"mask":"causal","softcap":0}]})"),
                       "v [1, 2, 9, 4]"));
  EXPECT_TRUE(
      contains(with(start + R"([{"kind":"x","layer":0,"mask":"causal","softcap":0}]})"), "kind is"));
  EXPECT_TRUE(contains(with(start + R"([{"kind":"encoder","layer":0,"mask":"nonsense","softcap":0}]})"),
                       "unknown mask"));
}

}  // namespace
}  // namespace fovea
