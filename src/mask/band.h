// Masks that show each row one interval around its position: combinations of them are of this kind again.
#pragma once

#include <optional>

#include "mask/mask_node.h"

namespace fovea {

// Keys p − before .. p + after, and of those behind p all up to `first` − 1: windows, causal, prefixes.
struct Band {
  static constexpr Index kAll = INT64_MAX;

  Index before = 0, after = 0;
  Index first = 0;

  // The arguments may be huge ("everything before"): the comparisons are arranged so that no sum overflows.
  Interval keys_of(const Row& row) const;
};

// Both together; nothing where that is no band.
std::optional<Band> united(const Band& a, const Band& b);
std::optional<Band> intersected(const Band& a, const Band& b);

// A node that may be a band, whatever it is called.
class MaybeBand {
 public:
  virtual ~MaybeBand() = default;
  virtual std::optional<Band> band() const = 0;
};
std::optional<Band> band_of(const MaskNode& node);

}  // namespace fovea
