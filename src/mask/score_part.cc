#include "mask/score_part.h"

#include "core/fail.h"

namespace fovea {
inline namespace internal {

void check_part(const char* who, const ScorePart& part) {
  const auto inside = [](Index begin, Index end, Index all) {
    return begin >= 0 && begin <= end && end <= all;
  };
  if (inside(part.query_begin, part.query_end, part.queries) &&
      inside(part.key_begin, part.key_end, part.keys)) {
    return;
  }
  fail("{} a part of queries {}..{} and keys {}..{}, expected one of {} queries and {} keys", who,
       part.query_begin, part.query_end, part.key_begin, part.key_end, part.queries, part.keys);
}

void check_part_extents(const char* who, const ScorePart& part, const ScoreExtents& extents) {
  const Index n = part.query_end - part.query_begin, m = part.key_end - part.key_begin;
  if (extents.n == n && extents.m == m) return;
  fail("{} of a part with {} queries and {} keys, the call has {} and {}", who, n, m, extents.n, extents.m);
}

ScoreExtents whole_extents(const ScorePart& part, ScoreExtents extents) {
  extents.n = part.queries;
  extents.m = part.keys;
  return extents;
}

Row whole_row(const ScorePart& part, Row row) {
  row.query += part.query_begin;
  row.n = part.queries;
  row.m = part.keys;
  return row;
}

}  // namespace internal
}  // namespace fovea
