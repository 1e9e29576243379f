// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace fovea {

struct PngSource {
  int width = 0, height = 0;
  std::function<const std::uint32_t*(int)> row;  // y → `width` pixels 0xRRGGBB; the upper byte is not read
  double dots_per_inch = 0;                      // 0: the file does not say
};

// 24 bits per pixel. The same picture gives the same bytes with the same zlib. Keeps two rows and the
// packed file in memory.
std::string encode_png(const PngSource& source);

}  // namespace fovea
