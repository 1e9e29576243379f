#include "fovea/figure.h"

#include <utility>

#include "core/fail.h"
#include "fovea/ascii.h"
#include "fovea/file.h"
#include "plot/readable_text.h"
#include "plot/scene.h"

namespace fovea {
namespace {

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string::npos || path[dot] == '/') return "";
  return ascii_lower_case(path.substr(dot));
}

}  // namespace

Figure::Figure() : Figure(Scene{}) {}
Figure::Figure(Scene scene) {
  scene.title = readable_text(scene.title);  // cairo refuses bytes that are no UTF-8
  scene_ = std::make_shared<const Scene>(std::move(scene));
}

double Figure::width() const { return scene_->width; }
double Figure::height() const { return scene_->height; }

void save_figure(const std::string& path, const Figure& figure, const SaveOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == ".png") {
    write_file(path, to_png(figure, options.png));
  } else if (extension == ".pdf") {
    write_file(path, to_pdf(figure));
  } else if (extension == ".svg") {
    write_file(path, to_svg(figure));
  } else {
    fail("[save figure] {}: the extension is \"{}\", expected .png, .pdf or .svg", path, extension);
  }
}

}  // namespace fovea
