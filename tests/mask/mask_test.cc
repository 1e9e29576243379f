// The numbers a reader can check by hand, shapes, names, and what must be refused.
#include "fovea/mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mask/mask_node.h"
#include "support/message_of.h"

namespace fovea {
namespace {

using testing::message_of;

constexpr float kInf = std::numeric_limits<float>::infinity();

const Ids kTwoSentences{{1, 2, 3, 0, 0}, {4, 5, 0, 0, 0}};

// Rows of 0 and 1, one line per row over all leading axes.
std::vector<std::string> rows(const Flags& flags) {
  std::vector<std::string> lines;
  const Index m = flags.shape().back();
  for (Index k = 0; k < flags.shape().elements(); ++k) {
    if (k % m == 0) lines.emplace_back();
    lines.back() += flags.data()[k] != 0 ? '1' : '0';
  }
  return lines;
}
using Lines = std::vector<std::string>;

TEST(Mask, padding_of_two_sentences) {
  const Mask mask = Mask::padding(kTwoSentences, 0);
  const Flags visible = mask.to_bool(5, 5);
  EXPECT_EQ(visible.shape(), (Shape{2, 1, 5}));
  EXPECT_EQ(rows(visible), (Lines{"11100", "11000"}));
  EXPECT_EQ(visible, Mask::padding(Flags{{1, 1, 1, 0, 0}, {1, 1, 0, 0, 0}}).to_bool(5, 5));
  EXPECT_EQ(visible, Mask::lengths({3, 2}).to_bool(5, 5));
}

TEST(Mask, causal_and_padding) {
  const Mask mask = Mask::causal() & Mask::padding(kTwoSentences, 0);
  const Flags visible = mask.to_bool(5, 5);
  EXPECT_EQ(visible.shape(), (Shape{2, 5, 5}));
  EXPECT_EQ(rows(visible), (Lines{"10000", "11000", "11100", "11100", "11100",  //
                                  "10000", "11000", "11000", "11000", "11000"}));
  const Mask first = Mask::causal() & Mask::padding(Ids{1, 2, 3, 0, 0}, 0);
  EXPECT_DOUBLE_EQ(first.density(5, 5), 0.48);
  EXPECT_EQ(first.describe(5, 5), "causal and padding: 48.0 % visible");
}

TEST(Mask, causal_as_additive_values) {
  const Tensor values = Mask::causal().to_additive(4, 4);
  ASSERT_EQ(values.shape(), (Shape{4, 4}));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_EQ(values(i, j), j <= i ? 0.0f : -kInf) << i << ", " << j;
  }
}

TEST(Mask, causal_lines_up_the_last_query_with_the_last_key) {
  EXPECT_EQ(rows(Mask::causal().to_bool(2, 4)), (Lines{"1110", "1111"}));
  EXPECT_EQ(rows(Mask::causal(Align::top_left).to_bool(2, 4)), (Lines{"1000", "1100"}));
  EXPECT_EQ(rows(Mask::causal().to_bool(4, 2)), (Lines{"00", "00", "10", "11"}));
  EXPECT_EQ(rows(Mask::causal(Align::top_left).to_bool(4, 2)), (Lines{"10", "11", "11", "11"}));
}

TEST(Mask, window_of_the_tutorial) {
  EXPECT_EQ(rows(Mask::sliding_window(2, 2).to_bool(8, 8)),
            (Lines{"11100000", "11110000", "11111000", "01111100", "00111110", "00011111", "00001111",
                   "00000111"}));
  EXPECT_EQ(rows(Mask::sliding_window(1, 0).to_bool(3, 3)), (Lines{"100", "110", "011"}));
}

TEST(Mask, sparse_of_the_tutorial) {
  EXPECT_DOUBLE_EQ(Mask::sparse(4).density(16, 16), 184.0 / 256.0);
  EXPECT_EQ(Mask::sparse(4).describe(16, 16), "sparse 4: 71.9 % visible");
}

TEST(Mask, huge_arguments_do_not_overflow) {
  const Index huge = std::numeric_limits<Index>::max();
  for (const auto& [n, m] : {std::pair<Index, Index>{5, 5}, {2, 7}, {7, 2}}) {
    EXPECT_EQ(Mask::sliding_window(huge, huge).density(n, m), 1.0);
    EXPECT_EQ(Mask::sliding_window(huge, 0).to_bool(n, m), Mask::causal().to_bool(n, m));
    EXPECT_EQ(Mask::sparse(huge).density(n, m), 1.0);
    EXPECT_EQ(Mask::prefix(huge).density(n, m), 1.0);
  }
}

TEST(Mask, shape_is_the_smallest_that_broadcasts) {
  const Mask padding = Mask::padding(kTwoSentences, 0);
  const Mask heads = Mask::dense(Flags::filled({1, 3, 5, 5}, 1));
  EXPECT_EQ(Mask::none().to_bool(2, 5).shape(), (Shape{2, 5}));
  EXPECT_EQ(Mask::causal().to_bool(2, 5).shape(), (Shape{2, 5}));
  EXPECT_EQ((Mask::lengths({1, 2}) & !padding).to_bool(3, 5).shape(), (Shape{2, 1, 5}));
  EXPECT_EQ(Mask::padding(Ids{1, 0}, 0).to_bool(4, 2).shape(), (Shape{1, 1, 2}));
  EXPECT_EQ(Mask::documents(Ids{1, 1, 2}).to_bool(3, 3).shape(), (Shape{3, 3}));
  EXPECT_EQ(Mask::documents(Ids{{1, 1, 2}}).to_bool(3, 3).shape(), (Shape{1, 3, 3}));
  EXPECT_EQ((padding & heads).to_bool(5, 5).shape(), (Shape{2, 3, 5, 5}));
  EXPECT_EQ((padding & heads).to_additive(5, 5).shape(), (Shape{2, 3, 5, 5}));
  EXPECT_EQ(Mask::dense(Flags::filled({2, 1, 5}, 1)).to_bool(4, 5).shape(), (Shape{2, 1, 5}));
  EXPECT_EQ((padding & heads).batch(), 2);
  EXPECT_EQ((padding & heads).heads(), 3);
  EXPECT_EQ(Mask::none().batch(), 0);
}

TEST(Mask, nothing_to_see) {
  EXPECT_EQ(Mask::causal().density(0, 5), 1.0);
  EXPECT_EQ(Mask::causal().density(5, 0), 1.0);
  EXPECT_EQ(Mask::none().describe(0, 0), "none: 100.0 % visible");
  EXPECT_EQ(Mask::causal().to_bool(0, 5).shape(), (Shape{0, 5}));
  EXPECT_EQ(Mask::sparse(3).to_bool(5, 0).shape(), (Shape{5, 0}));
  EXPECT_EQ(Mask::padding(Ids(Shape{2, 0}, {}), 0).to_bool(3, 0).shape(), (Shape{2, 1, 0}));
  EXPECT_EQ(Mask::documents(Ids(Shape{0}, {})).to_bool(3, 0).shape(), (Shape{3, 0}));
}

TEST(Mask, none_is_neutral) {
  EXPECT_TRUE((Mask::none() & Mask::none()).is_none());
  EXPECT_EQ((Mask::none() & Mask::causal()).to_bool(3, 3), Mask::causal().to_bool(3, 3));
  EXPECT_EQ((Mask::causal() & Mask::none()).to_bool(3, 3), Mask::causal().to_bool(3, 3));
  EXPECT_TRUE((Mask::none() | Mask::causal()).is_none());
  EXPECT_EQ((!Mask::none()).density(3, 3), 0.0);
  EXPECT_TRUE((!!Mask::none()).is_none());
  EXPECT_EQ((Mask::causal() | !Mask::none()).to_bool(3, 3), Mask::causal().to_bool(3, 3));
}

TEST(Mask, describe_reads_like_the_expression) {
  const Mask causal = Mask::causal(), window = Mask::sliding_window(2, 2), sparse = Mask::sparse(4);
  EXPECT_EQ(((causal | window) & !sparse).describe(4, 4),
            "(causal or window 2) and not sparse 4: 0.0 % visible");
  EXPECT_EQ((causal & window & sparse).describe(1, 1), "causal and window 2 and sparse 4: 100.0 % visible");
  EXPECT_EQ(((causal & window) | sparse).describe(1, 1),
            "(causal and window 2) or sparse 4: 100.0 % visible");
  EXPECT_EQ((!(causal & window)).describe(1, 1), "not (causal and window 2): 0.0 % visible");
  EXPECT_EQ(Mask::sliding_window(3, 1).describe(1, 1), "window -3..+1: 100.0 % visible");
}

TEST(Mask, additive_values_are_kept_and_only_minus_infinity_hides) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Mask mask = Mask::additive(Tensor::from({{0.5f, -1e9f, -kInf}, {nan, kInf, -kInf}}));
  EXPECT_TRUE(mask.is_additive());
  EXPECT_EQ(rows(mask.to_bool(2, 3)), (Lines{"110", "110"}));
  const Tensor values = mask.to_additive(2, 3);
  EXPECT_EQ(values(0, 0), 0.5f);
  EXPECT_EQ(values(0, 1), -1e9f);
  EXPECT_EQ(values(0, 2), -kInf);
  EXPECT_TRUE(std::isnan(values(1, 0)));
  EXPECT_EQ(values(1, 1), kInf);
}

TEST(Mask, additive_values_are_summed_by_and) {
  const Mask a = Mask::additive(Tensor::from({{1, 2}, {3, -3e38f}}));
  const Mask b = Mask::additive(Tensor::from({{{10, -kInf}}, {{20, -3e38f}}}));  // [2, 1, 2]
  const Mask both = a & b & Mask::causal();
  const Tensor values = both.to_additive(2, 2);
  ASSERT_EQ(values.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(values(0, 0, 0), 11.0f);
  EXPECT_EQ(values(0, 1, 1), -kInf);
  EXPECT_EQ(values(1, 0, 0), 21.0f);
  EXPECT_EQ(values(1, 0, 1), -kInf);  // hidden by causal
  EXPECT_EQ(values(1, 1, 0), 23.0f);
  EXPECT_EQ(values(1, 1, 1), -kInf);  // two finite values, an infinite sum
  EXPECT_EQ(rows(both.to_bool(2, 2)), (Lines{"10", "10", "10", "10"}));
  EXPECT_EQ((a & a).to_additive(2, 2)(0, 1), 4.0f);
}

TEST(Mask, owns_a_copy_of_strided_values) {
  Tensor values = Tensor::from({{0, -kInf}, {0, 0}});
  const Mask mask = Mask::additive(values.view().transpose(0, 1));
  values(0, 0) = -kInf;
  EXPECT_EQ(rows(mask.to_bool(2, 2)), (Lines{"11", "01"}));
}

TEST(Mask, or_and_not_of_an_additive_mask_throw) {
  const Mask additive = Mask::additive(Tensor({2, 2}));
  EXPECT_THROW(additive | Mask::causal(), Error);
  EXPECT_THROW(Mask::none() | additive, Error);
  EXPECT_THROW(!additive, Error);
  EXPECT_THROW(!(Mask::causal() & additive), Error);
}

TEST(Mask, bad_arguments_throw) {
  EXPECT_THROW(Mask::sliding_window(-1, 0), Error);
  EXPECT_THROW(Mask::sliding_window(0, -1), Error);
  EXPECT_THROW(Mask::sparse(0), Error);
  EXPECT_THROW(Mask::prefix(-1), Error);
  EXPECT_THROW(Mask::lengths({}), Error);
  EXPECT_THROW(Mask::lengths({2, -1}), Error);
  EXPECT_THROW(Mask::padding(Ids{}, 0), Error);
  EXPECT_THROW(Mask::padding(Flags::filled({2, 2, 2}, 1)), Error);
  EXPECT_THROW(Mask::documents(Ids::filled({2, 2, 2}, 1)), Error);
  EXPECT_THROW(Mask::dense(Flags{1, 0}), Error);
  EXPECT_THROW(Mask::additive(Tensor({2, 1, 2, 2, 2})), Error);
  EXPECT_THROW(Mask::predicate(nullptr), Error);
  EXPECT_THROW(Mask::causal().to_bool(-1, 2), Error);
}

TEST(Mask, batches_that_cannot_broadcast_throw_at_once) {
  const Mask two = Mask::lengths({1, 2}), three = Mask::lengths({1, 2, 3}), one = Mask::lengths({2});
  EXPECT_THROW(two & three, Error);
  EXPECT_THROW(two | three, Error);
  EXPECT_EQ((two & one).batch(), 2);
  EXPECT_THROW(Mask::dense(Flags::filled({1, 2, 3, 3}, 1)) & Mask::dense(Flags::filled({1, 3, 3, 3}, 1)),
               Error);
}

TEST(Mask, messages_name_both_extents) {
  const Mask padding = Mask::padding(kTwoSentences, 0);
  EXPECT_EQ(message_of([&] { padding.to_bool(7, 7); }), "[mask] padding is for 5 keys, the call has 7");
  EXPECT_EQ(message_of([&] { (padding | !Mask::lengths({9})).density(5, 5); }),
            "[mask] length 9 exceeds the call's 5 keys");
  const Mask dense = Mask::dense(Flags::filled({4, 5}, 1));
  EXPECT_EQ(message_of([&] { dense.to_bool(3, 5); }), "[mask] dense is for 4 queries, the call has 3");
}

TEST(Mask, check_compares_with_the_extents_of_a_call) {
  const Mask padding = Mask::padding(kTwoSentences, 0);
  const auto check = [](const Mask& mask, const ScoreExtents& extents) {
    return message_of([&] { mask.node()->check(extents); });
  };
  EXPECT_EQ(check(padding, {2, 2, 8, 5, 5}), "no error");
  EXPECT_EQ(check(padding, {6, 2, 8, 5, 5}), "no error");  // rank 5: 3 × 2 entries
  EXPECT_EQ(check(padding, {6, 3, 8, 5, 5}),
            "[mask] padding is for a batch of 2, the call has 3 (or 6 over both axes)");
  EXPECT_EQ(check(Mask::padding(Ids{1, 2, 3, 0, 0}, 0), {6, 3, 8, 5, 5}), "no error");
  const Mask heads = Mask::dense(Flags::filled({6, 4, 5, 1}, 1));
  EXPECT_EQ(check(heads, {6, 3, 4, 5, 9}), "no error");
  EXPECT_EQ(check(heads, {6, 3, 8, 5, 9}), "[mask] dense is for 4 heads, the call has 8");
}

TEST(Mask, entries_of_a_longer_batch_repeat) {
  const Mask padding = Mask::padding(kTwoSentences, 0);
  Intervals visible;
  padding.node()->visible_keys({.batch = 5, .head = 0, .query = 0, .n = 5, .m = 5}, visible);
  EXPECT_EQ(visible, (Intervals{{0, 2}}));
}

TEST(Mask, endless_nest_is_an_error_not_a_crash) {
  const auto nest = [] {
    Mask mask = Mask::causal();
    for (int k = 0; k < 100000; ++k) mask = (mask & Mask::prefix(k)) | Mask::causal();
  };
  EXPECT_EQ(message_of(nest), "[mask] the expression nests more than 1000 operations");
}

TEST(Mask, classify_checks_its_bounds) {
  const Mask mask = Mask::causal() & Mask::padding(kTwoSentences, 0);
  const auto classify = [&](const Tile& tile) { return mask.classify(tile, 5, 5); };
  EXPECT_EQ(classify({0, 0, 2, 5, 0, 3}), TileClass::full);
  EXPECT_EQ(classify({0, 0, 0, 5, 3, 5}), TileClass::hidden);
  EXPECT_EQ(classify({1, 0, 2, 5, 0, 3}), TileClass::partial);
  EXPECT_EQ(classify({0, 0, 2, 2, 0, 3}), TileClass::hidden);  // empty
  EXPECT_EQ(classify({0, 0, 2, 5, 3, 3}), TileClass::hidden);
  EXPECT_EQ(Mask::none().classify({0, 0, 5, 5, 0, 5}, 5, 5), TileClass::hidden);
  EXPECT_EQ(Mask::none().classify({7, 9, 0, 5, 0, 5}, 5, 5), TileClass::full);
  EXPECT_THROW(classify({2, 0, 0, 5, 0, 5}), Error);
  EXPECT_THROW(classify({-1, 0, 0, 5, 0, 5}), Error);
  EXPECT_THROW(classify({0, -1, 0, 5, 0, 5}), Error);
  EXPECT_THROW(classify({0, 0, -1, 5, 0, 5}), Error);
  EXPECT_THROW(classify({0, 0, 3, 2, 0, 5}), Error);
  EXPECT_THROW(classify({0, 0, 0, 6, 0, 5}), Error);
  EXPECT_THROW(classify({0, 0, 0, 5, 0, 6}), Error);
}

TEST(Mask, long_chains_are_no_deep_nests) {
  Mask both = Mask::causal(), either = Mask::sliding_window(0, 0);
  for (int k = 0; k < 10000; ++k) {
    both = both & Mask::sliding_window(2, 3);
    either = either | Mask::sliding_window(1, 0);
  }
  EXPECT_EQ(both.to_bool(6, 6), (Mask::causal() & Mask::sliding_window(2, 3)).to_bool(6, 6));
  EXPECT_EQ(either.to_bool(6, 6), Mask::sliding_window(1, 0).to_bool(6, 6));
  EXPECT_EQ(both.describe(6, 6).substr(0, 42), "causal and window -2..+3 and window -2..+3");
  EXPECT_EQ(
      message_of([&] {
        both& Mask::padding(Ids{1, 0}, 0) & Mask::padding(Ids{1, 0, 1}, 0);
      }),
      "[mask] causal and window -2..+3 and window -2..+3 and window -2..+3… is for 2 keys, padding for 3");
}

TEST(Mask, chains_of_additive_masks_keep_their_sums) {
  const float large = -3e38f;
  const Tensor low = Tensor::from({{large, 1}}), high = Tensor::from({{-large, 1}});
  Mask sum = Mask::causal() & Mask::additive(low) & Mask::additive(high) & Mask::additive(low);
  for (int k = 0; k < 4; ++k) sum = sum & Mask::causal() & Mask::additive(high) & Mask::additive(low);
  EXPECT_EQ(sum.to_additive(1, 2)(0, 0), large);
  EXPECT_EQ(sum.to_additive(1, 2)(0, 1), 11);
  EXPECT_EQ(message_of([&] {
              for (int k = 0; k < 2000; ++k) sum = sum & Mask::additive(high);
            }),
            "[mask] the expression nests more than 1000 operations");
}

TEST(Mask, keys_of_one_broadcast) {
  const Mask column = Mask::dense(Flags(Shape{2, 1}, {1, 0}));
  EXPECT_EQ((column & Mask::padding(Ids{1, 0, 1}, 0)).to_bool(2, 3).values(),
            (std::vector<std::uint8_t>{1, 0, 1, 0, 0, 0}));
}

TEST(MaskSelect, is_the_mask_of_that_entry_and_head) {
  const Flags dense(Shape{2, 3, 4, 5}, [] {
    std::vector<std::uint8_t> flags;
    for (int i = 0; i < 2 * 3 * 4 * 5; ++i) flags.push_back(static_cast<std::uint8_t>(i * 7 % 5 < 3));
    return flags;
  }());
  const Mask mask = Mask::dense(dense) & Mask::lengths({5, 3});
  const Flags whole = mask.to_bool(4, 5);
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 3; ++h) {
      const Flags one = mask.select(b, h).to_bool(4, 5);
      for (Index i = 0; i < 4; ++i) {
        for (Index j = 0; j < 5; ++j) ASSERT_EQ(one(i, j), whole(b, h, i, j)) << b << h << i << j;
      }
    }
  }
  EXPECT_TRUE(Mask::none().select(7, 7).is_none());
  EXPECT_THROW(static_cast<void>(mask.select(2, 0)), Error);
  EXPECT_THROW(static_cast<void>(mask.select(0, -1)), Error);
}

}  // namespace
}  // namespace fovea
