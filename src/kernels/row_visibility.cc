#include "kernels/row_visibility.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "mask/intervals.h"

namespace fovea::kernels {
namespace {

// Bits [begin, end) of one word's worth of keys that starts at `base`.
std::uint64_t ones_between(Index base, Index begin, Index end) {
  const Index from = std::max<Index>(begin - base, 0), to = std::min<Index>(end - base, 64);
  if (from >= to) return 0;
  return (~std::uint64_t{0} >> (64 - (to - from))) << from;
}

bool has_bit(const std::uint64_t* bits, Index key) { return (bits[key / 64] >> (key % 64) & 1) != 0; }

// Calls body(key) for every one among the bits; the word starts at key `base`.
template <typename Body>
void for_each_bit(std::uint64_t word, Index base, const Body& body) {
  for (; word != 0; word &= word - 1) body(base + std::countr_zero(word));
}

}  // namespace

void RowVisibility::load(const MaskNode* mask, const Row& first, Index rows) {
  form_ = Form::everything;
  count_ = rows;
  if (mask == nullptr) return;
  if (mask->prefers_bits() || !load_intervals(*mask, first, nullptr)) load_bits(*mask, first, nullptr);
}

void RowVisibility::load(const MaskNode* mask, const Row& where, const Index* rows, Index count,
                         bool gather) {
  form_ = Form::everything;
  count_ = count;
  if (mask == nullptr) return;
  if (gather || !load_intervals(*mask, where, rows)) load_bits(*mask, where, rows);
  if (!gather) return;
  keys_.clear();
  for (Index i = 0; i < words_; ++i) {
    for_each_bit(any_[static_cast<std::size_t>(i)], i * 64, [this](Index key) { keys_.push_back(key); });
  }
}

// False if a row has more than one interval.
bool RowVisibility::load_intervals(const MaskNode& mask, Row row, const Index* rows) {
  form_ = Form::intervals;
  intervals_.resize(static_cast<std::size_t>(count_));
  Interval hull{std::numeric_limits<Index>::max(), 0}, core{0, std::numeric_limits<Index>::max()};
  ScratchIntervals visible;
  for (Index r = 0; r < count_; ++r, ++row.query) {
    if (rows != nullptr) row.query = rows[r];
    // Written where it stays: copied as a whole right after its halves were stored, it would wait for them.
    Interval& keys = intervals_[static_cast<std::size_t>(r)];
    if (!mask.visible_interval(row, keys)) {
      mask.visible_keys(row, *visible);
      if ((*visible).size() > 1) return false;
      keys = (*visible).empty() ? Interval{} : (*visible).front();
    }
    core = {std::max(core.begin, keys.begin), std::min(core.end, keys.end)};
    if (keys.begin < keys.end) hull = {std::min(hull.begin, keys.begin), std::max(hull.end, keys.end)};
  }
  hull_ = hull, core_ = core;
  return true;
}

void RowVisibility::load_bits(const MaskNode& mask, Row row, const Index* rows) {
  form_ = Form::bits;
  words_ = (row.m + 63) / 64;
  const auto words = static_cast<std::size_t>(words_);
  bits_.resize(static_cast<std::size_t>(count_) * words);
  row_bits_.resize(words);
  any_.assign(words, 0);
  common_.assign(words, ~std::uint64_t{0});
  for (Index r = 0; r < count_; ++r, ++row.query) {
    if (rows != nullptr) row.query = rows[r];
    mask.visible_bits(row, row_bits_);
    std::copy(row_bits_.begin(), row_bits_.end(), bits_.begin() + r * words_);
    for (std::size_t i = 0; i < words; ++i) {
      any_[i] |= row_bits_[i];
      common_[i] &= row_bits_[i];
    }
  }
  hull_ = {};
  for (Index i = 0; i < words_; ++i) {
    const std::uint64_t word = any_[static_cast<std::size_t>(i)];
    if (word == 0) continue;
    if (hull_.end == 0) hull_.begin = i * 64 + std::countr_zero(word);
    hull_.end = (i + 1) * 64 - std::countl_zero(word);
  }
}

VisibleSpan RowVisibility::span(Index begin, Index end) const {
  if (form_ == Form::everything) return {begin, end, true, {begin, end}};
  if (form_ == Form::intervals) {
    const Index from = std::max(begin, hull_.begin), to = std::min(end, hull_.end);
    if (from >= to) return {begin, begin, true, {}};
    return {from,
            to,
            core_.begin <= from && to <= core_.end,
            {std::clamp(core_.begin, from, to), std::clamp(core_.end, from, to)}};
  }
  VisibleSpan span{begin, begin, true, {}};
  bool found = false;
  for (Index i = begin / 64; i * 64 < end; ++i) {
    const std::uint64_t some = any_[static_cast<std::size_t>(i)] & ones_between(i * 64, begin, end);
    if (some == 0) continue;
    if (!found) span.begin = i * 64 + std::countr_zero(some);
    span.end = (i + 1) * 64 - std::countl_zero(some);
    found = true;
  }
  for (Index i = span.begin / 64; span.full && i * 64 < span.end; ++i) {
    const std::uint64_t wanted = ones_between(i * 64, span.begin, span.end);
    span.full = (common_[static_cast<std::size_t>(i)] & wanted) == wanted;
  }
  return span;
}

void RowVisibility::fill_hidden(Index begin, Index end, Index width, float value, float* tile) const {
  for (Index r = 0; r < count_ && form_ == Form::intervals; ++r) {
    const Interval keys = intervals_[static_cast<std::size_t>(r)];
    const Index from = std::clamp(keys.begin, begin, end), to = std::clamp(keys.end, from, end);
    for (Index key = begin; key < from; ++key) tile[(key - begin) * width + r] = value;
    for (Index key = to; key < end; ++key) tile[(key - begin) * width + r] = value;
  }
  for (Index r = 0; r < count_ && form_ == Form::bits; ++r) {
    for (Index i = begin / 64; i * 64 < end; ++i) {
      const std::uint64_t hidden = ~bits_[static_cast<std::size_t>(r * words_ + i)];
      for_each_bit(hidden & ones_between(i * 64, begin, end), i * 64,
                   [&](Index key) { tile[(key - begin) * width + r] = value; });
    }
  }
}

bool RowVisibility::all_see(const Index* keys, Index count) const {
  return std::all_of(keys, keys + count, [this](Index key) { return has_bit(common_.data(), key); });
}

void RowVisibility::fill_hidden(const Index* keys, Index count, Index width, float value,
                                float* tile) const {
  for (Index g = 0; g < count; ++g) {
    if (has_bit(common_.data(), keys[g])) continue;
    for (Index r = 0; r < count_; ++r) {
      if (!has_bit(bits_.data() + r * words_, keys[g])) tile[g * width + r] = value;
    }
  }
}

}  // namespace fovea::kernels
