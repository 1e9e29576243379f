#include "kernels/key_segments.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fovea::kernels {
namespace {

struct Strip {
  std::vector<Interval> rows;
  Index lanes, count;

  int vectors() const { return static_cast<int>(rows.size()) / static_cast<int>(lanes); }
  bool sees(Index row, Index key) const {
    const Interval& keys = rows[static_cast<std::size_t>(row)];
    return keys.begin <= key && key < keys.end;
  }
  bool some_sees(int vector, Index key) const {
    for (Index r = vector * lanes; r < (vector + 1) * lanes; ++r) {
      if (sees(r, key)) return true;
    }
    return false;
  }
  KeySegments segments() const {
    Interval hulls[KeySegments::kMostVectors], common{0, count};
    for (int v = 0; v < vectors(); ++v) hulls[v] = {count, 0};
    for (Index r = 0; r < static_cast<Index>(rows.size()); ++r) {
      const Interval& keys = rows[static_cast<std::size_t>(r)];
      common = {std::max(common.begin, keys.begin), std::min(common.end, keys.end)};
      if (keys.begin >= keys.end) continue;
      Interval& hull = hulls[r / lanes];
      hull = {std::min(hull.begin, keys.begin), std::max(hull.end, keys.end)};
    }
    return {hulls, vectors(), common, count};
  }
};

// Every key that some query of a vector sees is in exactly one piece of that vector; pieces follow each
// other; full ones are seen by all.
void expect_right(const Strip& strip) {
  const KeySegments segments = strip.segments();
  Index last = 0;
  for (const KeySegment& piece : segments) {
    EXPECT_GE(piece.begin, last);
    EXPECT_LT(piece.begin, piece.end);
    EXPECT_LE(piece.end, strip.count);
    EXPECT_EQ(piece.begin % KeySegments::kTile, 0);
    last = piece.end;
    for (Index key = piece.begin; piece.full && key < piece.end; ++key) {
      for (Index r = 0; r < static_cast<Index>(strip.rows.size()); ++r) EXPECT_TRUE(strip.sees(r, key));
    }
  }
  for (int v = 0; v < strip.vectors(); ++v) {
    for (Index key = 0; key < strip.count; ++key) {
      if (!strip.some_sees(v, key)) continue;
      int found = 0;
      for (const KeySegment& piece : segments) {
        found += piece.begin <= key && key < piece.end && piece.first_vector <= v &&
                 v < piece.first_vector + piece.vectors;
      }
      EXPECT_EQ(found, 1) << "vector " << v << " key " << key;
    }
  }
}

Index pairs(const KeySegments& segments) {
  Index computed = 0;
  for (const KeySegment& piece : segments) computed += (piece.end - piece.begin) * piece.vectors;
  return computed;
}

TEST(KeySegments, causal_squares_compute_two_thirds) {
  Strip strip{{}, 16, 48};
  for (Index i = 0; i < 48; ++i) strip.rows.push_back({0, i + 1});
  expect_right(strip);
  EXPECT_EQ(pairs(strip.segments()), 48 + 32 + 16);  // of 3 · 48
}

TEST(KeySegments, keys_before_the_diagonal_are_full) {
  Strip strip{{}, 8, 120};
  for (Index i = 0; i < 24; ++i) strip.rows.push_back({0, 97 + i});
  expect_right(strip);
  const KeySegment first = *strip.segments().begin();
  EXPECT_TRUE(first.full);
  EXPECT_EQ(first.end, 96);
}

TEST(KeySegments, any_intervals) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    Strip strip{{}, i % 2 == 0 ? 4 : 1, 1 + static_cast<Index>(random() % 128)};
    const int vectors = 1 + static_cast<int>(random() % 3);
    for (Index r = 0; r < vectors * strip.lanes; ++r) {
      const auto begin = static_cast<Index>(random() % static_cast<unsigned>(strip.count + 1));
      const auto end = static_cast<Index>(random() % static_cast<unsigned>(strip.count + 1));
      strip.rows.push_back(i % 3 == 0 ? Interval{begin / 8, strip.count - end / 8} : Interval{begin, end});
      if (strip.rows.back().begin > strip.rows.back().end) strip.rows.back() = {};
    }
    expect_right(strip);
  }
}

}  // namespace
}  // namespace fovea::kernels
