// PNG files from cairo's pictures.
#pragma once

#include <cairo.h>

#include <string>

namespace fovea {

std::string encode_png(cairo_surface_t* image);

}  // namespace fovea
