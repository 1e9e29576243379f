// PNG and PDF in a library that was built with -DFOVEA_CAIRO=OFF; otherwise src/plot/cairo draws them.
#include "core/fail.h"
#include "fovea/figure.h"

namespace fovea {

std::string to_png(const Figure&, const PngOptions&) {
  fail("[png] this fovea was built with FOVEA_CAIRO=OFF and cannot draw PNG; use .svg, or build with ON");
}

std::string to_pdf(const Figure&) {
  fail("[pdf] this fovea was built with FOVEA_CAIRO=OFF and cannot draw PDF; use .svg, or build with ON");
}

}  // namespace fovea
