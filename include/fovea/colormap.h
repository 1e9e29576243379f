// Colours for numbers between 0 and 1: the colormaps of every picture and of the page, defined once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"

namespace fovea {

struct FOVEA_API Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Color& a, const Color& b) = default;
};

FOVEA_API std::string to_hex(Color color);  // "#440154"

// viridis, cividis, magma, YlOrRd, Blues, Greys: from small to large values. RdBu: red for negative, blue
// for positive values, nearly white between.
class FOVEA_API Colormap {
 public:
  using Table = std::array<Color, 256>;

  explicit Colormap(std::string_view name);  // throws Error that lists the names if it is none of them
  static std::vector<std::string> names();

  const std::string& name() const { return name_; }
  const Table& table() const { return table_; }
  // The entry for t, which is cut to 0..1: [0, 1/256) is entry 0, .. and NaN too.
  Color color(double t) const;

 private:
  std::string name_;
  Table table_;
};

}  // namespace fovea
