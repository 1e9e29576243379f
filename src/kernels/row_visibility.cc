#include "kernels/row_visibility.h"

#include <algorithm>
#include <bit>

namespace fovea::kernels {
namespace {

// The first interval that ends after `key`.
Intervals::const_iterator first_after(const Intervals& intervals, Index key) {
  return std::partition_point(intervals.begin(), intervals.end(),
                              [key](const Interval& interval) { return interval.end <= key; });
}

bool has_bit(const KeyBits& bits, Index key) {
  return (bits[static_cast<std::size_t>(key / 64)] >> (key % 64) & 1) != 0;
}

}  // namespace

void RowVisibility::load(const MaskNode* mask, const Row& first, Index rows) {
  everything_ = mask == nullptr;
  count_ = rows;
  if (everything_) return;
  if (static_cast<Index>(rows_.size()) < rows) rows_.resize(static_cast<std::size_t>(rows));
  Row row = first;
  for (Index r = 0; r < rows; ++r, ++row.query) mask->visible_keys(row, rows_[static_cast<std::size_t>(r)]);
  summarise();
}

void RowVisibility::load(const MaskNode* mask, const Row& where, const Index* rows, Index count) {
  everything_ = mask == nullptr;
  count_ = count;
  if (everything_) return;
  if (static_cast<Index>(rows_.size()) < count) rows_.resize(static_cast<std::size_t>(count));
  Row row = where;
  for (Index r = 0; r < count; ++r) {
    row.query = rows[r];
    mask->visible_keys(row, rows_[static_cast<std::size_t>(r)]);
  }
  summarise();
}

void RowVisibility::summarise() {
  simple_ = true;
  hull_ = {std::numeric_limits<Index>::max(), 0};
  core_ = {0, std::numeric_limits<Index>::max()};
  for (Index r = 0; r < count_; ++r) {
    const Intervals& intervals = rows_[static_cast<std::size_t>(r)];
    if (intervals.empty()) {
      core_.end = 0;
      continue;
    }
    simple_ = simple_ && intervals.size() == 1;
    hull_ = {std::min(hull_.begin, intervals.front().begin), std::max(hull_.end, intervals.back().end)};
    core_ = {std::max(core_.begin, intervals.front().begin), std::min(core_.end, intervals.front().end)};
  }
}

void RowVisibility::load_scattered(const MaskNode* mask, const Row& where, const Index* rows, Index count) {
  everything_ = false;
  count_ = count;
  const auto words = static_cast<std::size_t>((where.m + 63) / 64);
  if (static_cast<Index>(bits_.size()) < count) bits_.resize(static_cast<std::size_t>(count));
  KeyBits any(words, 0);
  common_.assign(words, ~std::uint64_t{0});
  Row row = where;
  for (Index r = 0; r < count; ++r) {
    KeyBits& bits = bits_[static_cast<std::size_t>(r)];
    bits.resize(words);
    row.query = rows[r];
    mask->visible_bits(row, bits);
    for (std::size_t i = 0; i < words; ++i) {
      any[i] |= bits[i];
      common_[i] &= bits[i];
    }
  }
  keys_.clear();
  for (std::size_t i = 0; i < words; ++i) {
    for (std::uint64_t word = any[i]; word != 0; word &= word - 1) {
      keys_.push_back(static_cast<Index>(i) * 64 + std::countr_zero(word));
    }
  }
}

VisibleSpan RowVisibility::span(Index begin, Index end) const {
  if (everything_) return {begin, end, true};
  VisibleSpan span = {std::max(begin, hull_.begin), std::min(end, hull_.end), true};
  if (span.begin >= span.end) return {begin, begin, true};
  if (simple_) {
    span.full = core_.begin <= span.begin && span.end <= core_.end;
    return span;
  }
  span = {end, begin, true};
  for (Index r = 0; r < count_; ++r) {
    const Intervals& intervals = rows_[static_cast<std::size_t>(r)];
    const auto from = first_after(intervals, begin);
    if (from == intervals.end() || from->begin >= end) continue;
    span.begin = std::min(span.begin, std::max(begin, from->begin));
    auto last = std::partition_point(from, intervals.end(),
                                     [end](const Interval& interval) { return interval.begin < end; });
    span.end = std::max(span.end, std::min(end, std::prev(last)->end));
  }
  if (span.begin >= span.end) return {begin, begin, true};
  for (Index r = 0; r < count_ && span.full; ++r) {
    const Intervals& intervals = rows_[static_cast<std::size_t>(r)];
    const auto at = first_after(intervals, span.begin);
    span.full = at != intervals.end() && at->begin <= span.begin && at->end >= span.end;
  }
  return span;
}

void RowVisibility::fill_hidden(Index begin, Index end, Index width, float value, float* tile) const {
  if (everything_) return;
  for (Index r = 0; r < count_; ++r) {
    const Intervals& intervals = rows_[static_cast<std::size_t>(r)];
    Index key = begin;
    for (auto at = first_after(intervals, begin); key < end; ++at) {
      const bool none_left = at == intervals.end();
      const Index hidden_end = none_left ? end : std::min(end, at->begin);
      for (; key < hidden_end; ++key) tile[(key - begin) * width + r] = value;
      if (none_left) break;
      key = std::max(key, at->end);
    }
  }
}

bool RowVisibility::all_see(const Index* keys, Index count) const {
  return std::all_of(keys, keys + count, [this](Index key) { return has_bit(common_, key); });
}

void RowVisibility::fill_hidden(const Index* keys, Index count, Index width, float value,
                                float* tile) const {
  for (Index g = 0; g < count; ++g) {
    if (has_bit(common_, keys[g])) continue;
    for (Index r = 0; r < count_; ++r) {
      if (!has_bit(bits_[static_cast<std::size_t>(r)], keys[g])) tile[g * width + r] = value;
    }
  }
}

}  // namespace fovea::kernels
