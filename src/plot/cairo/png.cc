#include <cairo.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/fail.h"
#include "fovea/figure.h"
#include "plot/cairo/painter.h"
#include "plot/png_file.h"

namespace fovea {
namespace {

// What cairo can hold on a side, and 1 GiB of pixels altogether.
constexpr double kMostPixelsPerSide = 32767;
constexpr double kMostPixels = 1 << 28;

}  // namespace

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
  const SurfacePointer surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)));
  check_cairo(cairo_surface_status(surface.get()));
  paint_scene(surface.get(), figure.scene(), dpi / 72);
  cairo_surface_flush(surface.get());
  const unsigned char* pixels = cairo_image_surface_get_data(surface.get());
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface.get());
  const auto row = [&](int y) { return reinterpret_cast<const std::uint32_t*>(pixels + y * stride); };
  return encode_png({static_cast<int>(width), static_cast<int>(height), row, dpi});
}

}  // namespace fovea
