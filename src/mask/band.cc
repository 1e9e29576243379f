#include "mask/band.h"

#include <algorithm>

namespace fovea {

Interval Band::keys_of(const Row& row) const {
  const Index p = row.position();
  const Index begin = p <= before ? 0 : p - before;
  const Index end = row.m - p <= after ? row.m : p + after + 1;
  return {begin, std::clamp(std::max(end, first), Index{0}, row.m)};
}

// All bands of a row contain its position, or begin at 0 where that lies before the keys: their union has
// no hole.
std::optional<Band> united(const Band& a, const Band& b) {
  return Band{std::max(a.before, b.before), std::max(a.after, b.after), std::max(a.first, b.first)};
}

std::optional<Band> intersected(const Band& a, const Band& b) {
  if (a.after != b.after && a.first != b.first) return std::nullopt;
  return Band{std::min(a.before, b.before), std::min(a.after, b.after), std::min(a.first, b.first)};
}

std::optional<Band> band_of(const MaskNode& node) {
  const auto* band = dynamic_cast<const MaybeBand*>(&node);
  return band == nullptr ? std::nullopt : band->band();
}

}  // namespace fovea
