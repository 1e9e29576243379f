// A figure: one description of a picture, drawn to PNG, PDF and SVG. heatmap.h and the other headers of
// pictures make figures; here they become files.
#pragma once

#include <memory>
#include <string>

#include "fovea/api.h"

namespace fovea {

inline namespace internal {
struct FOVEA_PRIVATE_API Scene;  // private, src/plot
}

enum class Theme { light, dark };

// A finished picture. Immutable and cheap to copy. Sizes are in points (1/72 inch).
class FOVEA_API Figure {
 public:
  Figure();  // an empty page of 72 × 72 points
  explicit Figure(Scene scene);

  double width() const;
  double height() const;
  const Scene& scene() const { return *scene_; }  // for the back ends

 private:
  std::shared_ptr<const Scene> scene_;
};

// The picture has (points / 72 · dpi · scale) pixels; its file says dpi · scale pixels per inch.
struct FOVEA_API PngOptions {
  double dpi = 150;  // 10 .. 2400
  double scale = 1;  // 1 .. 4, for screens of high density
};

// The bytes of a file. The same figure gives the same bytes wherever the same fonts are installed.
FOVEA_API std::string to_png(const Figure& figure, const PngOptions& options = {});
FOVEA_API std::string to_pdf(const Figure& figure);  // vectors, text that can be selected
FOVEA_API std::string to_svg(const Figure& figure);  // text is text; UTF-8

struct FOVEA_API SaveOptions {
  PngOptions png;
};

// Writes the format that the extension names: .png, .pdf or .svg. The file is written whole, or everything
// stays as it was and Error says why.
FOVEA_API void save_figure(const std::string& path, const Figure& figure, const SaveOptions& options = {});

}  // namespace fovea
