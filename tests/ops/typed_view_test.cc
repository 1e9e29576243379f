#include "fovea/typed_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
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

// Numbers of one type in memory, with gaps between the rows: [B, H, N, D] inside of [B, N, H, D + 3].
class StoredNumbers {
 public:
  StoredNumbers(FloatType type, const Tensor& x) : type_(type), shape_(x.shape()) {
    const Index heads = shape_[1], rows = shape_[2], width = shape_[3];
    // Rows of int8 have a scale each, found by their place: they lie side by side.
    const Index step = width + (type == FloatType::int8 ? 0 : 3);
    strides_ = {rows * heads * step, step, heads * step, 1};
    const auto count = static_cast<std::size_t>(shape_[0] * strides_[0]);
    bits_.assign(count, 0x7fff), bytes_.assign(count, 0), scales_.assign(count, 0.0f);
    for (Index i = 0; i < x.shape().elements(); ++i) {
      const Index row = i / width, b = row / (heads * rows), h = row / rows % heads, n = row % rows;
      const Index begin = b * strides_[0] + h * strides_[1] + n * strides_[2];
      const auto at = static_cast<std::size_t>(begin + i % width);
      const float value = x.data()[i];
      bits_[at] = type == FloatType::float16 ? float_to_half(value) : float_to_bfloat16(value);
      bytes_[at] = static_cast<std::int8_t>(std::clamp(value * 30, -127.0f, 127.0f));
      scales_[static_cast<std::size_t>(begin / width)] = 0.03f + 0.01f * static_cast<float>(row % 5);
    }
  }

  TypedView view() const {
    switch (type_) {
      case FloatType::float16:
        return TypedView::float16(bits_.data(), shape_, strides_);
      case FloatType::bfloat16:
        return TypedView::bfloat16(bits_.data(), shape_, strides_);
      default:
        return TypedView::int8(bytes_.data(), scales_.data(), shape_, strides_);
    }
  }

 private:
  FloatType type_;
  Shape shape_;
  Strides strides_ = {};
  std::vector<std::uint16_t> bits_;
  std::vector<std::int8_t> bytes_;
  std::vector<float> scales_;
};

// Many queries: 128 keys at a time are widened, under masks that skip, cut and gather keys.
TEST(TypedView, many_queries_have_the_bits_of_inputs_converted_before) {
  on_every_instruction_set([] {
    for (const FloatType type : {FloatType::float16, FloatType::bfloat16, FloatType::int8}) {
      const StoredNumbers q(type, Random(1).normal({2, 4, 101, 27})),
          k(type, Random(2).normal({2, 2, 300, 27})), v(type, Random(3).normal({2, 2, 300, 43}));
      const Tensor q32 = to_float32(q.view()), k32 = to_float32(k.view()), v32 = to_float32(v.view());
      for (const AttentionOptions& options :
           {AttentionOptions{.logsumexp = true}, AttentionOptions{.mask = Mask::causal(), .weights = true},
            AttentionOptions{.mask = Mask::sliding_window(40, 3), .softcap = 5},
            AttentionOptions{.mask = Mask::sparse(16), .bias = Bias::alibi(alibi_slopes(4))}}) {
        SCOPED_TRACE(std::string(to_string(type)) + ", mask " + options.mask.describe(101, 300));
        const AttentionResult got = attention(q.view(), k.view(), v.view(), options);
        const AttentionResult want = attention(q32, k32, v32, options);
        const auto expect_same = [](const Tensor& x, const Tensor& y) {
          ASSERT_EQ(x.shape(), y.shape());
          for (Index i = 0; i < y.shape().elements(); ++i) ASSERT_EQ(x.data()[i], y.data()[i]) << i;
        };
        expect_same(got.output, want.output);
        expect_same(got.weights, want.weights);
        expect_same(got.logsumexp, want.logsumexp);
      }
    }
  });
}

TEST(TypedView, of_no_memory_has_no_elements) {
  EXPECT_THROW(TypedView::float16(nullptr, {2, 3}), Error);
  EXPECT_THROW(TypedView::bfloat16(nullptr, {1}), Error);
  EXPECT_EQ(to_float32(TypedView::float16(nullptr, {0, 3})).shape(), (Shape{0, 3}));
}

}  // namespace
}  // namespace fovea
