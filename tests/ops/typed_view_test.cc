#include "fovea/typed_view.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "core/half.h"
#include "fovea/attention.h"
#include "fovea/random.h"
#include "support/instruction_sets.h"

namespace fovea {
namespace {

using testing::on_every_instruction_set;

std::vector<std::uint16_t> all_bits() {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  return bits;
}

TEST(TypedView, every_value_converts_as_the_scalar_form_does) {
  const std::vector<std::uint16_t> bits = all_bits();
  on_every_instruction_set([&] {
    const Tensor half = to_float32(TypedView::float16(bits.data(), {65536})),
                 brain = to_float32(TypedView::bfloat16(bits.data(), {65536}));
    for (Index i = 0; i < 65536; ++i) {
      const auto word = static_cast<std::uint16_t>(i);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(half(i)), std::bit_cast<std::uint32_t>(half_to_float(word)))
          << i;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(brain(i)),
                std::bit_cast<std::uint32_t>(bfloat16_to_float(word)))
          << i;
    }
  });
}

TEST(TypedView, strides_and_remainders) {
  const std::vector<std::uint16_t> bits = all_bits();
  for (Index width = 0; width < 20; ++width) {
    const Tensor rows = to_float32(TypedView::float16(bits.data() + 15360, {3, width}, {40, 1}));
    const Tensor columns = to_float32(TypedView::float16(bits.data() + 15360, {3, width}, {1, 7}));
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < width; ++j) {
        EXPECT_EQ(rows(i, j), half_to_float(static_cast<std::uint16_t>(15360 + i * 40 + j)));
        EXPECT_EQ(columns(i, j), half_to_float(static_cast<std::uint16_t>(15360 + i + j * 7)));
      }
    }
  }
}

// Attention of 16-bit inputs is attention of the same numbers in float32, bit for bit; types mix.
TEST(TypedView, attention_of_mixed_types) {
  Random random(1);
  Tensor q = random.normal({2, 30, 8}), k = random.normal({2, 40, 8});
  const Tensor v = random.normal({2, 40, 5});
  std::vector<std::uint16_t> q_bits, k_bits;
  for (Index i = 0; i < q.shape().elements(); ++i) {
    q_bits.push_back(float_to_half(q.data()[i]));
    q.data()[i] = half_to_float(q_bits.back());
  }
  for (Index i = 0; i < k.shape().elements(); ++i) {
    k_bits.push_back(float_to_bfloat16(k.data()[i]));
    k.data()[i] = bfloat16_to_float(k_bits.back());
  }
  const AttentionOptions options{.mask = Mask::causal()};
  const Tensor want = attention(q, k, v, options).output;
  const Tensor got = attention(TypedView::float16(q_bits.data(), q.shape()),
                               TypedView::bfloat16(k_bits.data(), k.shape()), TypedView(v.view()), options)
                         .output;
  ASSERT_EQ(got.shape(), want.shape());
  for (Index i = 0; i < want.shape().elements(); ++i) EXPECT_EQ(got.data()[i], want.data()[i]);
}

TEST(TypedView, of_no_memory_has_no_elements) {
  EXPECT_THROW(TypedView::float16(nullptr, {2, 3}), Error);
  EXPECT_THROW(TypedView::bfloat16(nullptr, {1}), Error);
  EXPECT_EQ(to_float32(TypedView::float16(nullptr, {0, 3})).shape(), (Shape{0, 3}));
}

}  // namespace
}  // namespace fovea
