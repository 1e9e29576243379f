#include "plot/cairo/painter.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/fail.h"
#include "plot/cairo/pango_text.h"
#include "plot/cells_image.h"

namespace fovea {
namespace {

using namespace scene;  // NOLINT: the shapes this file draws

SurfacePointer surface_of(const Image& image) {
  SurfacePointer surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height));
  check_cairo(cairo_surface_status(surface.get()));
  auto* row = reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(surface.get()));
  const int stride = cairo_image_surface_get_stride(surface.get()) / 4;
  for (auto from = image.pixels.begin(); from != image.pixels.end(); from += image.width, row += stride) {
    std::copy_n(from, image.width, row);
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

class Painter {
 public:
  Painter(cairo_surface_t* surface, const Scene& scene, double scale)
      : raster_(cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE),
        scale_(scale),
        cairo_(cairo_create(surface)),
        text_context_(make_context()) {
    cairo_scale(cairo(), scale, scale);
    set_color(scene.background, 1);
    cairo_paint(cairo());
    for (const Element& element : scene.elements) {
      std::visit([this](const auto& shape) { draw(shape); }, element);
    }
    check_cairo(cairo_status(cairo()));
  }

 private:
  cairo_t* cairo() const { return cairo_.get(); }

  void set_color(Color color, double opacity) {
    cairo_set_source_rgba(cairo(), color.red / 255.0, color.green / 255.0, color.blue / 255.0, opacity);
  }

  // Fills and strokes the current path, and forgets it.
  void finish(const std::optional<Color>& fill, const std::optional<Stroke>& stroke, double opacity) {
    if (fill) {
      set_color(*fill, opacity);
      cairo_fill_preserve(cairo());
    }
    if (stroke) {
      set_color(stroke->color, opacity);
      cairo_set_line_width(cairo(), stroke->width);
      cairo_set_dash(cairo(), stroke->dash.data(), static_cast<int>(stroke->dash.size()), 0);
      cairo_stroke_preserve(cairo());
    }
    cairo_new_path(cairo());
  }

  void draw(const Rectangle& shape) {
    const Box& box = shape.box;
    const double radius = std::min({shape.radius, box.width / 2, box.height / 2});
    if (radius > 0) {
      constexpr double kQuarter = std::numbers::pi / 2;
      cairo_new_sub_path(cairo());
      cairo_arc(cairo(), box.right() - radius, box.y + radius, radius, -kQuarter, 0);
      cairo_arc(cairo(), box.right() - radius, box.bottom() - radius, radius, 0, kQuarter);
      cairo_arc(cairo(), box.x + radius, box.bottom() - radius, radius, kQuarter, 2 * kQuarter);
      cairo_arc(cairo(), box.x + radius, box.y + radius, radius, 2 * kQuarter, 3 * kQuarter);
      cairo_close_path(cairo());
    } else {
      cairo_rectangle(cairo(), box.x, box.y, box.width, box.height);
    }
    finish(shape.fill, shape.stroke, shape.opacity);
  }

  void draw(const Circle& shape) {
    cairo_new_sub_path(cairo());
    cairo_arc(cairo(), shape.center.x, shape.center.y, shape.radius, 0, 2 * std::numbers::pi);
    finish(shape.fill, shape.stroke, shape.opacity);
  }

  void draw(const Polyline& shape) {
    if (shape.points.size() < 2) return;
    const LinePoints line = line_points(shape);
    for (const Point& point : line.points) cairo_line_to(cairo(), point.x, point.y);
    if (shape.closed) cairo_close_path(cairo());
    if (line.head) {
      finish_arrow(*line.head, *shape.stroke, shape.opacity);
    } else {
      finish(shape.fill, shape.stroke, shape.opacity);
    }
  }

  void draw(const Curve& shape) {
    const ArrowHead head = arrow_head(shape.control2, shape.to, shape.stroke.width);
    const Point end = shape.arrow ? head.base : shape.to;
    cairo_move_to(cairo(), shape.from.x, shape.from.y);
    cairo_curve_to(cairo(), shape.control1.x, shape.control1.y, shape.control2.x, shape.control2.y, end.x,
                   end.y);
    if (shape.arrow) {
      finish_arrow(head, shape.stroke, shape.opacity);
    } else {
      finish({}, shape.stroke, shape.opacity);
    }
  }

  // Strokes the current path and adds its head; as a group, so that a translucent line does not show
  // through.
  void finish_arrow(const ArrowHead& head, const Stroke& stroke, double opacity) {
    cairo_push_group(cairo());
    finish({}, stroke, 1);
    for (const Point& point : {head.tip, head.left, head.right}) cairo_line_to(cairo(), point.x, point.y);
    cairo_close_path(cairo());
    finish(stroke.color, {}, 1);
    cairo_pop_group_to_source(cairo());
    cairo_paint_with_alpha(cairo(), opacity);
  }

  void draw(const Label& shape) {
    cairo_save(cairo());
    cairo_translate(cairo(), shape.at.x, shape.at.y);
    cairo_rotate(cairo(), shape.rotation * std::numbers::pi / 180);
    pango_cairo_update_context(cairo(), text_context_.get());
    const PangoLayoutPointer layout = make_layout(text_context_.get(), shape.text, shape.font);
    PangoRectangle logical;
    pango_layout_get_extents(layout.get(), nullptr, &logical);
    const double width = pango_units_to_double(logical.width);
    const double left = shape.anchor == Anchor::start    ? 0
                        : shape.anchor == Anchor::middle ? -width / 2
                                                         : -width;
    cairo_move_to(cairo(), left, baseline(shape) - shape.at.y);
    set_color(shape.color, shape.opacity);
    pango_cairo_show_layout_line(cairo(), pango_layout_get_line_readonly(layout.get(), 0));
    cairo_restore(cairo());
    cairo_new_path(cairo());
  }

  void draw(const Cells& shape) {
    if (shape.colors.empty()) return;
    if (raster_) {
      draw_pixels(shape);
    } else if (shape.rows * shape.columns <= kMostRectangles) {
      for (Index row = 0; row < shape.rows; ++row) {
        for (Index column = 0; column < shape.columns; ++column) {
          const Box box = cell_rectangle(shape, row, column);
          set_color(shape.colors[static_cast<std::size_t>(row * shape.columns + column)], 1);
          cairo_rectangle(cairo(), box.x, box.y, box.width, box.height);
          cairo_fill(cairo());
        }
      }
    } else {
      draw_image(enlarged_cells_image(shape), shape.box);
    }
  }

  // On whole pixels, so that cells have sharp edges.
  void draw_pixels(const Cells& shape) {
    const auto pixels = [this](double points) { return static_cast<int>(std::lround(points * scale_)); };
    const int left = pixels(shape.box.x), top = pixels(shape.box.y);
    const int width = std::max(1, pixels(shape.box.right()) - left);
    const int height = std::max(1, pixels(shape.box.bottom()) - top);
    draw_image(cells_image(shape, width, height),
               {left / scale_, top / scale_, width / scale_, height / scale_});
  }

  void draw_image(const Image& image, const Box& box) {
    const SurfacePointer surface = surface_of(image);
    cairo_save(cairo());
    cairo_translate(cairo(), box.x, box.y);
    cairo_scale(cairo(), box.width / image.width, box.height / image.height);
    cairo_set_source_surface(cairo(), surface.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo()), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo());
    cairo_restore(cairo());
  }

  // Lines x + y = (k + ½) · spacing, for every box at the same places.
  void draw(const Hatch& shape) {
    if (shape.boxes.empty()) return;
    cairo_save(cairo());
    Box bounds = shape.boxes.front();
    for (const Box& box : shape.boxes) {
      cairo_rectangle(cairo(), box.x, box.y, box.width, box.height);
      const double right = std::max(bounds.right(), box.right()),
                   bottom = std::max(bounds.bottom(), box.bottom());
      bounds.x = std::min(bounds.x, box.x), bounds.y = std::min(bounds.y, box.y);
      bounds.width = right - bounds.x, bounds.height = bottom - bounds.y;
    }
    cairo_clip(cairo());
    const auto first = static_cast<std::int64_t>(std::floor((bounds.x + bounds.y) / shape.spacing - 0.5));
    const auto last =
        static_cast<std::int64_t>(std::ceil((bounds.right() + bounds.bottom()) / shape.spacing));
    for (std::int64_t k = first; k <= last; ++k) {
      const double sum = (static_cast<double>(k) + 0.5) * shape.spacing;
      cairo_move_to(cairo(), sum - bounds.y, bounds.y);
      cairo_line_to(cairo(), sum - bounds.bottom(), bounds.bottom());
    }
    finish({}, Stroke{shape.color, shape.width, {}}, 1);
    cairo_restore(cairo());
  }

  void draw(const Gradient& shape) {
    std::vector<Color> downwards(shape.colors.rbegin(), shape.colors.rend());
    draw(Cells{shape.box, static_cast<Index>(downwards.size()), 1, std::move(downwards)});
  }

  bool raster_;
  double scale_;
  CairoPointer cairo_;
  PangoContextPointer text_context_;
};

}  // namespace

void paint_scene(cairo_surface_t* surface, const Scene& scene, double scale) {
  Painter(surface, scene, scale);
}

void check_cairo(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) fail("[figure] cairo: {}", cairo_status_to_string(status));
}

cairo_status_t append_bytes(void* closure, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace fovea
