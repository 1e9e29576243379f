#include "fovea/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace fovea {
namespace {

TEST(Tensor, from_nested_list) {
  const Tensor t = Tensor::from({{1, 0.5}, {0, 1}, {2, 3}});
  EXPECT_EQ(t.shape(), (Shape{3, 2}));
  EXPECT_EQ(t(0, 1), 0.5f);
  EXPECT_EQ(t(2, 1), 3.0f);
}

TEST(Tensor, ragged_list_throws) {
  EXPECT_THROW(Tensor::from({{1, 2}, {3}}), Error);
  EXPECT_THROW(Tensor::from({{1, 2}, 3}), Error);
  EXPECT_THROW(Tensor::from({1, {2, 3}}), Error);
}

TEST(Tensor, lone_number_has_one_element) {
  EXPECT_EQ(Tensor::from(3).shape(), (Shape{1}));
  EXPECT_EQ(Tensor::from(3)(0), 3.0f);
}

TEST(Tensor, starts_with_zeros) {
  const Tensor t({2, 3});
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(t.data()[i], 0.0f);
  EXPECT_EQ(Tensor::filled({2}, 1.5f)(1), 1.5f);
}

TEST(Tensor, empty_is_not_zero_size) {
  EXPECT_TRUE(Tensor().empty());
  EXPECT_TRUE(Tensor(Shape()).empty());
  EXPECT_FALSE(Tensor({0, 4}).empty());
  EXPECT_NE(Tensor({0, 4}).data(), nullptr);
  EXPECT_EQ(Tensor({0, 4}).shape().elements(), 0);
}

TEST(Tensor, memory_is_aligned_to_64_bytes) {
  for (Index n = 0; n < 40; ++n) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Tensor({n}).data()) % 64, 0u);
  }
}

TEST(Tensor, copies_are_deep) {
  Tensor a = Tensor::from({1, 2});
  const Tensor b = a;
  Tensor c;
  c = a;
  a(0) = 9;
  EXPECT_EQ(b(0), 1.0f);
  EXPECT_EQ(c(0), 1.0f);
  const Tensor& self = c;
  c = self;
  EXPECT_EQ(c(1), 2.0f);
}

TEST(Tensor, moved_from_is_empty) {
  Tensor a = Tensor::from({1, 2});
  const float* data = a.data();
  Tensor b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_TRUE(a.empty());  // NOLINT: that is the question
  a = std::move(b);
  EXPECT_EQ(a.data(), data);
  EXPECT_TRUE(b.empty());  // NOLINT
  EXPECT_TRUE(Tensor(b).empty());
}

TEST(Tensor, view_of_a_temporary_lives_through_the_call) {
  const auto first = [](ConstView view) { return view(0, 0); };
  EXPECT_EQ(first(Tensor::from({{4}}).view()), 4.0f);
  EXPECT_EQ(first(Tensor::from({{5}})), 5.0f);
}

TEST(Tensor, reshaped_keeps_the_elements) {
  Tensor t = Tensor::from({{1, 2, 3}, {4, 5, 6}});
  const Tensor copy = t.reshaped({3, 2});
  EXPECT_EQ(copy(2, 1), 6.0f);
  EXPECT_FALSE(t.empty());
  EXPECT_THROW(t.reshaped({4}), Error);
  const float* data = t.data();
  EXPECT_EQ(std::move(t).reshaped({6}).data(), data);
}

}  // namespace
}  // namespace fovea
