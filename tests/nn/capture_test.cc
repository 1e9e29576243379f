// A Capture keeps what a probe sees: every call once, with its tokens.
#include "fovea/capture.h"

#include <gtest/gtest.h>

#include <memory>

#include "fovea/random.h"
#include "support/message_of.h"

namespace fovea {
namespace {

// What may be kept is kept, and lasts as long as a copy of the capture does; the rest is copied.
TEST(Capture, takes_over_memory_that_it_may_keep) {
  Random random(1);
  const Tensor drawn = random.normal({1, 2, 3, 4});
  auto memory = std::make_shared<const Tensor>(drawn);
  const ConstView q = *memory;
  Capture kept;
  {
    Capture capture;
    capture.attention({AttentionKind::encoder, 0, q, q, q, {}, memory});
    capture.attention({AttentionKind::encoder, 1, q, q, q, {}});
    kept = capture;
  }
  EXPECT_EQ(memory.use_count(), 2);
  EXPECT_EQ(kept.calls()[0].q.data(), q.data());
  EXPECT_NE(kept.calls()[1].q.data(), q.data());
  memory.reset();
  EXPECT_EQ(kept.calls()[0].v(0, 0, 0, 0), drawn(0, 0, 0, 0));
}

TEST(Capture, a_layer_comes_once) {
  const Tensor q({1, 2, 3, 4});
  Capture capture;
  capture.attention({AttentionKind::encoder, 0, q, q, q, {}});
  capture.attention({AttentionKind::decoder, 0, q, q, q, {}});
  EXPECT_EQ(testing::message_of([&] {
              capture.attention({AttentionKind::encoder, 0, q, q, q, {}});
            }),
            "[capture] encoder layer 0 was already captured: a Capture holds one run");
  EXPECT_EQ(capture.calls().size(), 2u);
}

TEST(Capture, keeps_calls_of_other_programs_without_a_copy) {
  const auto memory = std::make_shared<Tensor>(Shape{1, 2, 3, 4});
  const ConstView view = memory->view();
  Capture capture;
  capture.keep({AttentionKind::decoder, 0, view, view, view, {}, memory});
  EXPECT_EQ(capture.calls().at(0).q.data(), memory->data());
  EXPECT_EQ(testing::message_of([&] {
              capture.keep({AttentionKind::decoder, 0, view, view, view, {}, memory});
            }),
            "[capture] decoder layer 0 was already captured: a Capture holds one run");
  const ConstView short_values = view.slice(2, 0, 2);
  EXPECT_EQ(
      testing::message_of([&] {
        capture.keep({AttentionKind::decoder, 1, view, view, short_values, {}, memory});
      }),
      "[capture] decoder layer 1: got q [1, 2, 3, 4], k [1, 2, 3, 4], v [1, 2, 2, 4], expected [B, H, N, D], [B, "
      "Hkv, M, D], [B, Hkv, M, Dv]");
  const ConstView no_batch = view.select(0, 0);
  EXPECT_NE(testing::message_of([&] {
              capture.keep({AttentionKind::decoder, 1, no_batch, view, view, {}, memory});
            }),
            "");
}

TEST(Capture, tokens_of_each_side) {
  Capture capture;
  capture.sequences = {{{"a"}, {1}, {}, {}, {}}};
  EXPECT_EQ(&capture.query_sequences(AttentionKind::decoder), &capture.sequences) << "a decoder alone";
  capture.decoder_sequences = {{{"<s>"}, {0}, {}, {}, {}}};
  EXPECT_EQ(&capture.query_sequences(AttentionKind::cross), &capture.decoder_sequences);
  EXPECT_EQ(&capture.key_sequences(AttentionKind::cross), &capture.sequences);
  EXPECT_EQ(&capture.key_sequences(AttentionKind::decoder), &capture.decoder_sequences);
  EXPECT_EQ(&capture.key_sequences(AttentionKind::encoder), &capture.sequences);
}

}  // namespace
}  // namespace fovea
