// Every kind of mask against its definition, pair by pair, for more, fewer and as many queries as keys.
#include <gtest/gtest.h>

#include <limits>

#include "mask/naive.h"

namespace fovea {
namespace {

using testing::difference;
using testing::Pair;

class LeafMask : public ::testing::TestWithParam<std::pair<Index, Index>> {
 protected:
  const Index n = GetParam().first, m = GetParam().second;

  // Ids 0, 1, 2 in runs and alone.
  std::vector<std::int64_t> ids(Index count) const {
    std::vector<std::int64_t> values;
    for (Index k = 0; k < count; ++k) values.push_back(k * k / 3 % 3);
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(Sizes, LeafMask,
                         ::testing::Values(std::pair{0, 0}, std::pair{0, 3}, std::pair{3, 0},
                                           std::pair{1, 1}, std::pair{1, 6}, std::pair{6, 1},
                                           std::pair{7, 7}, std::pair{3, 11}, std::pair{11, 3}));

TEST_P(LeafMask, by_position) {
  EXPECT_EQ(difference(Mask::none(), testing::naive_none(), n, m), "");
  EXPECT_EQ(difference(Mask::causal(), testing::naive_causal(), n, m), "");
  EXPECT_EQ(difference(Mask::causal(Align::top_left), testing::naive_causal_top_left(), n, m), "");
  for (Index s = 1; s < 14; ++s) {
    EXPECT_EQ(difference(Mask::sparse(s), testing::naive_sparse(s), n, m), "");
    EXPECT_EQ(difference(Mask::prefix(s - 1), testing::naive_prefix(s - 1), n, m), "");
    for (Index after = 0; after < 5; ++after) {
      const Mask window = Mask::sliding_window(s - 1, after);
      EXPECT_EQ(difference(window, testing::naive_window(s - 1, after), n, m), "");
    }
  }
}

TEST_P(LeafMask, by_sequence) {
  for (Index batch = 1; batch < 4; ++batch) {
    const auto values = ids(batch * m);
    const Ids array({batch, m}, values);
    std::vector<std::uint8_t> real;
    for (const auto id : values) real.push_back(id != 1 ? 1 : 0);
    const auto naive = testing::naive_padding(values, batch, 1);
    EXPECT_EQ(difference(Mask::padding(array, 1), naive, n, m), "");
    EXPECT_EQ(difference(Mask::padding(Flags({batch, m}, real)), naive, n, m), "");
    EXPECT_EQ(difference(Mask::documents(array), testing::naive_documents(values, batch), n, m), "");
    std::vector<Index> lengths;
    for (Index b = 0; b < batch; ++b) lengths.push_back(m * b / 2 % (m + 1));
    EXPECT_EQ(difference(Mask::lengths(lengths), testing::naive_lengths(lengths), n, m), "");
  }
  const Ids one(Shape{m}, ids(m));
  EXPECT_EQ(difference(Mask::padding(one, 0), testing::naive_padding(ids(m), 1, 0), n, m), "");
  EXPECT_EQ(difference(Mask::documents(one), testing::naive_documents(ids(m), 1), n, m), "");
}

TEST_P(LeafMask, pair_by_pair) {
  const auto visible = [](Index b, Index h, Index i, Index j) {
    return (b + 2 * h + 3 * i + j * j) % 5 < 3;
  };
  EXPECT_EQ(difference(
                Mask::predicate(visible), [&](const Pair& x) { return visible(x.b, x.h, x.i, x.j); }, n, m),
            "");
  // All ranks, and every way to leave an axis to broadcasting.
  for (int broadcast = 0; broadcast < 16; ++broadcast) {
    const Index extents[] = {broadcast & 1 ? 1 : 2, broadcast & 2 ? 1 : 3, broadcast & 4 ? 1 : n,
                             broadcast & 8 ? 1 : m};
    for (int rank = 2; rank <= 4; ++rank) {
      const Shape shape(std::vector<Index>(extents + 4 - rank, extents + 4));
      const Index batch = rank > 2 ? shape[0] : 1, heads = rank > 3 ? shape[1] : 1;
      std::vector<std::uint8_t> flags;
      Tensor values(shape);
      for (Index k = 0; k < shape.elements(); ++k) {
        flags.push_back(k * k % 7 < 3 ? 1 : 0);
        values.data()[k] = flags.back() ? static_cast<float>(k) : -std::numeric_limits<float>::infinity();
      }
      const auto offset = [&](const Pair& x) {
        return testing::broadcast_offset(x, batch, heads, shape.back(1), shape.back(0));
      };
      const auto naive = [&](const Pair& x) { return flags[offset(x)] != 0; };
      EXPECT_EQ(difference(Mask::dense(Flags(shape, flags)), naive, n, m), "");
      const Mask additive = Mask::additive(values);
      EXPECT_EQ(difference(additive, naive, n, m), "");
      const Tensor sums = additive.to_additive(n, m);
      testing::for_each_pair(additive, n, m, [&](const Pair& x) {
        EXPECT_EQ(testing::value_at(sums, x), values.data()[offset(x)]) << testing::to_string(x);
      });
    }
  }
}

}  // namespace
}  // namespace fovea
