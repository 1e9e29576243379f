#include "mask/intervals.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace fovea {
inline namespace internal {
namespace {

std::vector<Intervals>& pool() {
  thread_local std::vector<Intervals> intervals;
  return intervals;
}

}  // namespace

void append(Intervals& set, Interval next) {
  if (next.begin >= next.end) return;
  if (!set.empty() && next.begin <= set.back().end) {
    set.back().end = std::max(set.back().end, next.end);
  } else {
    set.push_back(next);
  }
}

void intersect(const Intervals& a, const Intervals& b, Intervals& out) {
  out.clear();
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    append(out, {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)});
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
}

void unite(const Intervals& a, const Intervals& b, Intervals& out) {
  out.clear();
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool take_a = j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
    append(out, take_a ? a[i++] : b[j++]);
  }
}

void complement(const Intervals& a, Index m, Intervals& out) {
  out.clear();
  Index begin = 0;
  for (const Interval& interval : a) {
    append(out, {begin, interval.begin});
    begin = interval.end;
  }
  append(out, {begin, m});
}

Index count_keys(const Intervals& set) {
  Index count = 0;
  for (const Interval& interval : set) count += interval.end - interval.begin;
  return count;
}

Index count_keys(const Intervals& set, Interval within) {
  const auto ends_before = [](const Interval& interval, Index key) { return interval.end <= key; };
  auto at = std::lower_bound(set.begin(), set.end(), within.begin, ends_before);
  Index count = 0;
  for (; at != set.end() && at->begin < within.end; ++at) {
    count += std::min(at->end, within.end) - std::max(at->begin, within.begin);
  }
  return count;
}

void set_bits(KeyBits& bits, Index begin, Index end) {
  if (begin >= end) return;
  const auto first = static_cast<std::size_t>(begin / 64), last = static_cast<std::size_t>((end - 1) / 64);
  const std::uint64_t head = ~std::uint64_t{0} << (begin % 64);
  const std::uint64_t tail = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
  if (first == last) {
    bits[first] |= head & tail;
    return;
  }
  bits[first] |= head;
  std::fill(bits.begin() + static_cast<Index>(first) + 1, bits.begin() + static_cast<Index>(last),
            ~std::uint64_t{0});
  bits[last] |= tail;
}

void append_bits(const KeyBits& bits, Index m, Intervals& set) {
  // The first key from `key` on whose bit is 1 (or 0, by `flip`); m if there is none.
  const auto next = [&](Index key, std::uint64_t flip) {
    while (key < m) {
      const std::uint64_t rest = (bits[static_cast<std::size_t>(key / 64)] ^ flip) >> (key % 64);
      if (rest != 0) return std::min(m, key + std::countr_zero(rest));
      key = (key / 64 + 1) * 64;
    }
    return m;
  };
  for (Index begin = next(0, 0); begin < m;) {
    const Index end = next(begin, ~std::uint64_t{0});
    append(set, {begin, end});
    begin = next(end, 0);
  }
}

ScratchIntervals::ScratchIntervals() {
  if (pool().empty()) return;
  intervals_ = std::move(pool().back());
  pool().pop_back();
  intervals_.clear();
}

ScratchIntervals::~ScratchIntervals() {
  // A few are enough: one per level of the expression. An exception here would end the program.
  try {
    if (pool().size() < 64) pool().push_back(std::move(intervals_));
  } catch (const std::bad_alloc&) {  // then the memory is simply released
  }
}

}  // namespace internal
}  // namespace fovea
