// Random expressions of all kinds of masks: rows, density and tile classes against the definitions, and
// the laws of the algebra.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "mask/naive.h"

namespace fovea {
namespace {

using testing::Naive;
using testing::Pair;

// At the nominal size from the first case on: growing sizes would leave the late kinds of leaves undrawn.
Index pick(Index from, Index to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Index>(from, to + 1));
}

std::vector<std::int64_t> pick_numbers(Index count, Index below) {
  return *rc::gen::resize(rc::kNominalSize,
                          rc::gen::container<std::vector<std::int64_t>>(
                              static_cast<std::size_t>(count), rc::gen::inRange<std::int64_t>(0, below)));
}

// A mask, and what it should say.
struct Sample {
  Mask mask;
  Naive naive;
};

struct Extents {
  Index batch, heads, n, m;
};

Extents pick_extents() { return {pick(1, 3), pick(1, 3), pick(0, 9), pick(0, 9)}; }

Sample pick_sequence_mask(const Extents& e) {
  const Index batch = pick(0, 1) == 0 ? 1 : e.batch;
  const auto ids = pick_numbers(batch * e.m, 3);
  const Ids array({batch, e.m}, ids);
  switch (pick(0, 3)) {
    case 0:
      return {Mask::padding(array, 0), testing::naive_padding(ids, batch, 0)};
    case 1: {
      std::vector<std::uint8_t> real;
      for (const auto id : ids) real.push_back(id != 1);
      return {Mask::padding(Flags({batch, e.m}, real)), testing::naive_padding(ids, batch, 1)};
    }
    case 2: {
      const std::vector<Index> lengths = pick_numbers(batch, e.m + 1);
      return {Mask::lengths(lengths), testing::naive_lengths(lengths)};
    }
    default:
      return {Mask::documents(array), testing::naive_documents(ids, batch)};
  }
}

Sample pick_pairwise_mask(const Extents& e, bool additive) {
  const auto axis = [](Index extent) { return pick(0, 2) == 0 ? 1 : extent; };
  const Extents shape{axis(e.batch), axis(e.heads), axis(e.n), axis(e.m)};
  const auto numbers = pick_numbers(shape.batch * shape.heads * shape.n * shape.m, 3);
  const Naive naive = [=](const Pair& x) {
    return numbers[testing::broadcast_offset(x, shape.batch, shape.heads, shape.n, shape.m)] != 0;
  };
  if (additive) {
    Tensor values({shape.batch, shape.heads, shape.n, shape.m});
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      values.data()[k] = numbers[k] == 0 ? -std::numeric_limits<float>::infinity() : 0.5f;
    }
    return {Mask::additive(values), naive};
  }
  const std::vector<std::uint8_t> flags(numbers.begin(), numbers.end());
  return {Mask::dense(Flags({shape.batch, shape.heads, shape.n, shape.m}, flags)), naive};
}

Sample pick_leaf(const Extents& e, bool additive) {
  switch (pick(0, additive ? 11 : 10)) {
    case 0:
      return {Mask::none(), testing::naive_none()};
    case 1:
      return {Mask::causal(), testing::naive_causal()};
    case 2:
      return {Mask::causal(Align::top_left), testing::naive_causal_top_left()};
    case 3: {
      const Index before = pick(0, 4), after = pick(0, 4);
      return {Mask::sliding_window(before, after), testing::naive_window(before, after)};
    }
    case 4: {
      const Index stride = pick(1, 6);
      return {Mask::sparse(stride), testing::naive_sparse(stride)};
    }
    case 5: {
      const Index n = pick(0, 9);
      return {Mask::prefix(n), testing::naive_prefix(n)};
    }
    case 6: {
      const Index k = pick(1, 7);
      const auto visible = [k](Index b, Index h, Index i, Index j) {
        return (b + 2 * h + i * j * k) % 5 < 3;
      };
      return {Mask::predicate(visible), [=](const Pair& x) { return visible(x.b, x.h, x.i, x.j); }};
    }
    case 7:
      return pick_pairwise_mask(e, false);
    case 11:
      return pick_pairwise_mask(e, true);
    default:
      return pick_sequence_mask(e);
  }
}

Sample pick_mask(const Extents& e, int depth, bool additive = false) {
  const Index kind = depth == 0 ? 0 : pick(0, 3);
  if (kind == 0) return pick_leaf(e, additive);
  if (kind == 1) {
    const Sample a = pick_mask(e, depth - 1);
    return {!a.mask, [a](const Pair& x) { return !a.naive(x); }};
  }
  const bool both = kind == 2;
  const Sample a = pick_mask(e, depth - 1, additive && both);
  const Sample b = pick_mask(e, depth - 1, additive && both);
  if (both) return {a.mask & b.mask, [=](const Pair& x) { return a.naive(x) && b.naive(x); }};
  return {a.mask | b.mask, [=](const Pair& x) { return a.naive(x) || b.naive(x); }};
}

TEST(MaskProperty, rows_and_density_are_those_of_the_definition) {
  EXPECT_TRUE(rc::check("to_bool and density", [] {
    const Extents e = pick_extents();
    const Sample sample = pick_mask(e, 4, true);
    RC_ASSERT(testing::difference(sample.mask, sample.naive, e.n, e.m) == "");
    const Flags visible = sample.mask.to_bool(e.n, e.m);
    const Tensor values = sample.mask.to_additive(e.n, e.m);
    RC_ASSERT(visible.shape() == values.shape());
    for (Index k = 0; k < values.shape().elements(); ++k) {
      const bool hidden = values.data()[k] == -std::numeric_limits<float>::infinity();
      RC_ASSERT(hidden == (visible.data()[k] == 0));
      if (!hidden && !sample.mask.is_additive()) RC_ASSERT(values.data()[k] == 0.0f);
    }
  }));
}

TEST(MaskProperty, tile_class_is_that_of_a_scan) {
  EXPECT_TRUE(rc::check("classify", [] {
    const Extents e = pick_extents();
    const Sample sample = pick_mask(e, 4, true);
    for (int repeat = 0; repeat < 10; ++repeat) {
      Tile tile{pick(0, e.batch - 1), pick(0, e.heads - 1), pick(0, e.n),
                pick(0, e.n),         pick(0, e.m),         pick(0, e.m)};
      if (tile.row_begin > tile.row_end) std::swap(tile.row_begin, tile.row_end);
      if (tile.key_begin > tile.key_end) std::swap(tile.key_begin, tile.key_end);
      Index visible = 0, hidden = 0;
      for (Index i = tile.row_begin; i < tile.row_end; ++i) {
        for (Index j = tile.key_begin; j < tile.key_end; ++j) {
          (sample.naive({tile.batch, tile.head, i, j, e.n, e.m}) ? visible : hidden) += 1;
        }
      }
      const TileClass expected = visible == 0  ? TileClass::hidden
                                 : hidden == 0 ? TileClass::full
                                               : TileClass::partial;
      RC_ASSERT(sample.mask.classify(tile, e.n, e.m) == expected);
      const Index width = *rc::gen::inRange<Index>(1, e.m + 2);
      const auto band = sample.mask.classify_band(tile, width, e.n, e.m);
      Tile part = tile;
      for (const TileClass kind : band) {
        part.key_end = std::min(part.key_begin + width, tile.key_end);
        RC_ASSERT(kind == sample.mask.classify(part, e.n, e.m));
        part.key_begin = part.key_end;
      }
      RC_ASSERT(part.key_begin == tile.key_end || band.empty());
    }
  }));
}

Intervals row_of(const Mask& mask, const Row& row) {
  Intervals visible;
  if (!mask.is_none()) mask.node()->visible_keys(row, visible);
  if (mask.is_none() && row.m > 0) visible = {{0, row.m}};
  return visible;
}

// The same intervals in every row: they are canonical, so equal sets are equal lists.
bool same(const Mask& a, const Mask& b, const Extents& e) {
  for (Index batch = 0; batch < e.batch; ++batch) {
    for (Index head = 0; head < e.heads; ++head) {
      for (Index query = 0; query < e.n; ++query) {
        const Row row{batch, head, query, e.n, e.m};
        if (row_of(a, row) != row_of(b, row)) return false;
      }
    }
  }
  return true;
}

TEST(MaskProperty, laws_of_the_algebra) {
  EXPECT_TRUE(rc::check("laws", [] {
    const Extents e = pick_extents();
    const Mask a = pick_mask(e, 2).mask, b = pick_mask(e, 2).mask, c = pick_mask(e, 2).mask;
    RC_ASSERT(same(!(a & b), (!a) | (!b), e));
    RC_ASSERT(same(!(a | b), (!a) & (!b), e));
    RC_ASSERT(same(!!a, a, e));
    RC_ASSERT(same(a & (b | c), (a & b) | (a & c), e));
    RC_ASSERT(same(a | (b & c), (a | b) & (a | c), e));
    RC_ASSERT(same(a & a, a, e));
    RC_ASSERT(same(a | a, a, e));
    RC_ASSERT(same(a & b, b & a, e));
    RC_ASSERT(same(a | b, b | a, e));
    RC_ASSERT(same((a & b) & c, a & (b & c), e));
    RC_ASSERT(same((a | b) | c, a | (b | c), e));
    RC_ASSERT(same(a & !a, !Mask::none(), e));
    RC_ASSERT(same(a | !a, Mask::none(), e));
  }));
}

}  // namespace
}  // namespace fovea
