#include "kernels/decode_streams.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea::kernels {
namespace {

constexpr FetchDistance kNever{0, 0};

// A key in a stream is read once, what is in none is left over.
template <int NS>
void expect_every_key_once(Index count) {
  const Index stride = 5;
  const std::vector<float> rows(static_cast<std::size_t>(count * stride));
  const Streams<NS> streams(count, kNever, 20);
  std::vector<int> times(static_cast<std::size_t>(count));
  for (Index step = 0; step < streams.steps(); ++step) {
    const StreamKeys<float, NS> keys = streams.at(step, rows.data(), stride);
    for (int s = 0; s < NS; ++s) {
      ++times[static_cast<std::size_t>(keys.key[s])];
      EXPECT_EQ(keys.row[s], rows.data() + keys.key[s] * stride);
    }
    EXPECT_EQ(keys.near, 0);
    EXPECT_EQ(keys.far, 0);
  }
  for (Index j = 0; j < count; ++j) {
    EXPECT_EQ(times[static_cast<std::size_t>(j)], j < streams.rest() ? 1 : 0)
        << count << " keys, key " << j;
  }
  EXPECT_LT(count - streams.rest(), NS);
}

TEST(DecodeStreams, read_every_key_once) {
  for (const Index count : {1, 3, 4, 7, 8, 9, 63, 64, 100, 1024}) {
    expect_every_key_once<4>(count);
    expect_every_key_once<8>(count);
  }
}

TEST(DecodeNeighbours, come_in_the_order_of_memory) {
  const Index stride = 8;
  const std::vector<float> rows(static_cast<std::size_t>(103 * stride));
  const Neighbours<4> order(103, 0, 40, 32);  // 2 rows ahead
  EXPECT_EQ(order.steps(), 25);
  EXPECT_EQ(order.rest(), 100);
  for (Index step = 0; step < order.steps(); ++step) {
    const StreamKeys<float, 4> keys = order.at(step, rows.data(), stride);
    for (int s = 0; s < 4; ++s) {
      EXPECT_EQ(keys.key[s], 4 * step + s);
      EXPECT_EQ(keys.row[s], rows.data() + (4 * step + s) * stride);
    }
    EXPECT_EQ(keys.near, 2 * 32);
    EXPECT_EQ(keys.far, 0);
  }
  const auto fetched = [&](Index following, Index step) {
    return Neighbours<4>(103, following, 40 * 32, 32).at(step, rows.data(), stride).near;
  };
  EXPECT_EQ(fetched(0, 15), 40 * 32);
  EXPECT_EQ(fetched(0, 16), 0) << "past the end";
  EXPECT_EQ(fetched(2, 16), 40 * 32) << "the keys of the next split";
  EXPECT_EQ(fetched(2, 17), 0) << "past their end";
}

TEST(DecodeNeighbours, are_dense_where_no_gap_is_between_rows) {
  const Neighbours<4> order(8, 0, 0, 32);
  EXPECT_TRUE(order.is_dense<float>(8));
  EXPECT_FALSE(order.is_dense<float>(9));
  EXPECT_FALSE(order.is_dense<float>(0)) << "one row again and again";
}

// Bytes become whole rows, rounded up: at least the next one. Rows may stand further apart than they are
// wide.
TEST(DecodeStreams, fetch_rows_that_come_later) {
  const Index stride = 96;  // rows of 64 elements
  const std::vector<float> rows(static_cast<std::size_t>(400 * stride));
  const Streams<4> streams(400, {600, 4096}, 256);  // 3 rows and 16
  for (Index step = 0; step < 84; ++step) {
    const StreamKeys<float, 4> keys = streams.at(step, rows.data(), stride);
    EXPECT_EQ(keys.near, 3 * stride * 4);
    EXPECT_EQ(keys.far, 16 * stride * 4);
    EXPECT_EQ(keys.row[0] + keys.far / 4, streams.at(step + 16, rows.data(), stride).row[0]);
  }
  const Streams<4> wide(400, {512, 4096}, 6000);
  EXPECT_EQ(wide.at(0, rows.data(), stride).near, stride * 4);
  EXPECT_EQ(wide.at(0, rows.data(), stride).far, stride * 4);
}

// Nothing is fetched past the end of a stream: another thread may be reading there.
TEST(DecodeStreams, fetch_nothing_past_their_end) {
  const std::vector<float> rows(400 * 64);
  const Streams<4> streams(400, {512, 4096}, 256);  // 2 rows and 16, of 100
  EXPECT_EQ(streams.at(83, rows.data(), 64).far, 16 * 256);
  EXPECT_EQ(streams.at(84, rows.data(), 64).far, 0);
  EXPECT_EQ(streams.at(97, rows.data(), 64).near, 2 * 256);
  EXPECT_EQ(streams.at(98, rows.data(), 64).near, 0);
  const Streams<8> few(15, {512, 4096}, 256);
  EXPECT_EQ(few.at(0, rows.data(), 64).near, 0);
  const StreamKeys<float, 8> rest = few.left_over(rows.data(), 64);
  EXPECT_EQ(rest.far, 0);
  EXPECT_EQ(rest.key[7], 14);
}

}  // namespace
}  // namespace fovea::kernels
