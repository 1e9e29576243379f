// Draws a scene with cairo, for PNG and PDF.
#pragma once

#include <cairo.h>

#include <memory>
#include <string>

#include "plot/scene.h"

namespace fovea {

struct CairoRelease {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using CairoPointer = std::unique_ptr<cairo_t, CairoRelease>;
using SurfacePointer = std::unique_ptr<cairo_surface_t, CairoRelease>;

// `scale`: units of the surface per point. Throws Error if cairo reports one.
void paint_scene(cairo_surface_t* surface, const Scene& scene, double scale);

void check_cairo(cairo_status_t status);  // throws Error with cairo's own words

// For cairo's stream functions: appends to the std::string that `closure` points to.
cairo_status_t append_bytes(void* closure, const unsigned char* bytes, unsigned int count);

}  // namespace fovea
