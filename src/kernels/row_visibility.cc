#include "kernels/row_visibility.h"

#include <algorithm>

namespace fovea::kernels {
namespace {

// The first interval that ends after `key`.
Intervals::const_iterator first_after(const Intervals& intervals, Index key) {
  return std::partition_point(intervals.begin(), intervals.end(),
                              [key](const Interval& interval) { return interval.end <= key; });
}

}  // namespace

void RowVisibility::load(const MaskNode* mask, const Row& first, Index rows) {
  everything_ = mask == nullptr;
  count_ = rows;
  if (everything_) return;
  if (static_cast<Index>(rows_.size()) < rows) rows_.resize(static_cast<std::size_t>(rows));
  Row row = first;
  for (Index r = 0; r < rows; ++r, ++row.query) mask->visible_keys(row, rows_[static_cast<std::size_t>(r)]);
}

VisibleSpan RowVisibility::span(Index begin, Index end) const {
  if (everything_) return {begin, end, true};
  VisibleSpan span = {end, begin, true};
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

}  // namespace fovea::kernels
