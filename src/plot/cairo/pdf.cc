#include <cairo-pdf.h>

#include <string>

#include "fovea/figure.h"
#include "plot/cairo/painter.h"
#include "plot/scene.h"

namespace fovea {

std::string to_pdf(const Figure& figure) {
  std::string bytes;
  const SurfacePointer surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &bytes, figure.width(), figure.height()));
  check_cairo(cairo_surface_status(surface.get()));
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, figure.scene().title.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "fovea");
  // A fixed date: the same figure gives the same bytes tomorrow.
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  paint_scene(surface.get(), figure.scene(), 1);
  cairo_surface_finish(surface.get());
  check_cairo(cairo_surface_status(surface.get()));
  return bytes;
}

}  // namespace fovea
