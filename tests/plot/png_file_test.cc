#include "plot/png_file.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plot/plot_testing.h"

namespace fovea {
namespace {

// Rows for which each of the filters is the best one: a slope, the one above once more, noise.
std::vector<std::uint32_t> picture(int width, int height) {
  std::vector<std::uint32_t> pixels;
  std::uint32_t noise = 1;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      noise = noise * 1664525u + 1013904223u;
      const std::uint32_t slope = (static_cast<std::uint32_t>(x) & 0x3Fu) * 0x010203u;
      const std::uint32_t above = y == 0 ? 0 : pixels[pixels.size() - static_cast<std::size_t>(width)];
      pixels.push_back(y % 3 == 0 ? slope : y % 3 == 1 ? noise >> 8 : above);
    }
  }
  return pixels;
}

TEST(PngFile, others_read_the_same_pixels) {
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {257, 40}, {1000, 100}}) {
    const std::vector<std::uint32_t> pixels = picture(width, height);
    const auto row = [&, w = width](int y) { return pixels.data() + std::ptrdiff_t{y} * w; };
    const Pixels read(encode_png({width, height, row}));
    ASSERT_EQ(read.width(), width);
    ASSERT_EQ(read.height(), height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const Color color = read.at(x, y);
        const std::uint32_t pixel =
            std::uint32_t{color.red} << 16 | std::uint32_t{color.green} << 8 | color.blue;
        ASSERT_EQ(pixel, row(y)[x]) << x << ", " << y << " of " << width << " × " << height;
      }
    }
  }
}

TEST(PngFile, even_colours_are_packed) {
  const std::vector<std::uint32_t> pixels(1000 * 1000, 0x336699u);
  const auto row = [&](int y) { return pixels.data() + std::ptrdiff_t{y} * 1000; };
  EXPECT_LT(encode_png({1000, 1000, row}).size(), 10000u);
}

}  // namespace
}  // namespace fovea
