#include "plot/png.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/fail.h"
#include "fovea/figure.h"
#include "plot/cairo_painter.h"

namespace fovea {
namespace {

// What cairo can hold on a side, and 1 GiB of pixels altogether.
constexpr double kMostPixelsPerSide = 32767;
constexpr double kMostPixels = 1 << 28;

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFFu);
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

// The chunk that gives the resolution, which cairo does not write.
std::string physical_size_chunk(double dots_per_inch) {
  const auto dots_per_meter = static_cast<std::uint32_t>(std::lround(dots_per_inch / 0.0254));
  std::string body = "pHYs";
  append_big_endian(body, dots_per_meter);
  append_big_endian(body, dots_per_meter);
  body += '\1';  // the unit is the metre
  std::string chunk;
  append_big_endian(chunk, static_cast<std::uint32_t>(body.size() - 4));
  chunk += body;
  append_big_endian(chunk, crc32(body));
  return chunk;
}

}  // namespace

std::string encode_png(cairo_surface_t* image) {
  std::string bytes;
  check_cairo(cairo_surface_write_to_png_stream(image, append_bytes, &bytes));
  return bytes;
}

std::string to_png(const Figure& figure, const PngOptions& options) {
  if (!(options.dpi >= 10 && options.dpi <= 2400)) {
    fail("[png] got {} dots per inch, expected 10 to 2400", options.dpi);
  }
  if (!(options.scale >= 1 && options.scale <= 4))
    fail("[png] got scale {}, expected 1 to 4", options.scale);
  const double dpi = options.dpi * options.scale;
  const double width = std::ceil(figure.width() * dpi / 72), height = std::ceil(figure.height() * dpi / 72);
  if (width > kMostPixelsPerSide || height > kMostPixelsPerSide || width * height > kMostPixels) {
    fail("[png] {} × {} pixels at {} dots per inch, expected at most {} per side and {} in all", width,
         height, dpi, kMostPixelsPerSide, kMostPixels);
  }
  const SurfacePointer image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)));
  check_cairo(cairo_surface_status(image.get()));
  paint_scene(image.get(), figure.scene(), dpi / 72);
  std::string bytes = encode_png(image.get());
  constexpr std::size_t kAfterHeader = 8 + 4 + 4 + 13 + 4;  // signature, then the IHDR chunk
  return bytes.insert(kAfterHeader, physical_size_chunk(dpi));
}

}  // namespace fovea
