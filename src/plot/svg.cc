#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fovea/base64.h"
#include "fovea/figure.h"
#include "plot/cells_image.h"
#include "plot/png_file.h"
#include "plot/scene.h"
#include "plot/svg_text.h"

namespace fovea {
namespace {

using namespace scene;  // NOLINT: the shapes this file writes

// The fonts that measured the text first, then what other systems have. Readers find emoji by themselves.
constexpr std::string_view kSans =
    "'DejaVu Sans', 'WenQuanYi Micro Hei', Verdana, 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', "
    "sans-serif";
constexpr std::string_view kMono =
    "'DejaVu Sans Mono', 'WenQuanYi Micro Hei Mono', Menlo, Consolas, monospace";

std::string n(double value) { return svg_number(value); }
std::string point(Point p) { return fmt::format("{} {}", n(p.x), n(p.y)); }

std::string box_attributes(const Box& box) {
  return fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", n(box.x), n(box.y), n(box.width),
                     n(box.height));
}

std::string paint_attributes(const std::optional<Color>& fill, const std::optional<Stroke>& stroke,
                             double opacity) {
  std::string text = fmt::format(" fill=\"{}\"", fill ? to_hex(*fill) : "none");
  if (stroke) {
    text += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", to_hex(stroke->color), n(stroke->width));
    for (std::size_t i = 0; i < stroke->dash.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? " stroke-dasharray=\"" : " ", n(stroke->dash[i]));
    }
    if (!stroke->dash.empty()) text += '"';
  }
  if (opacity < 1) text += fmt::format(" opacity=\"{}\"", n(opacity));
  return text;
}

std::string cells_png(const Cells& cells) {
  const Image image = enlarged_cells_image(cells);
  const auto row = [&](int y) { return image.pixels.data() + std::ptrdiff_t{y} * image.width; };
  return encode_png({image.width, image.height, row});
}

class SvgWriter {
 public:
  explicit SvgWriter(const Scene& scene) {
    for (const Element& element : scene.elements) {
      std::visit([this](const auto& shape) { write(shape); }, element);
    }
  }
  const std::string& definitions() const { return definitions_; }
  const std::string& body() const { return body_; }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    body_ += fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  void write(const Rectangle& shape) {
    const std::string radius = shape.radius > 0 ? fmt::format(" rx=\"{}\"", n(shape.radius)) : "";
    line("<rect {}{}{}/>", box_attributes(shape.box), radius,
         paint_attributes(shape.fill, shape.stroke, shape.opacity));
  }

  void write(const Circle& shape) {
    line("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>", n(shape.center.x), n(shape.center.y), n(shape.radius),
         paint_attributes(shape.fill, shape.stroke, shape.opacity));
  }

  void write(const Polyline& shape) {
    if (shape.points.size() < 2) return;
    const LinePoints points = line_points(shape);
    std::string path;
    for (const Point& p : points.points) path += fmt::format("{}{}", path.empty() ? 'M' : 'L', point(p));
    if (shape.closed) path += 'Z';
    if (points.head) {
      write_arrow(path, *points.head, *shape.stroke, shape.opacity);
    } else {
      line("<path d=\"{}\"{}/>", path, paint_attributes(shape.fill, shape.stroke, shape.opacity));
    }
  }

  void write(const Curve& shape) {
    const ArrowHead head = arrow_head(shape.control2, shape.to, shape.stroke.width);
    const std::string path = fmt::format("M{}C{} {} {}", point(shape.from), point(shape.control1),
                                         point(shape.control2), point(shape.arrow ? head.base : shape.to));
    if (shape.arrow) {
      write_arrow(path, head, shape.stroke, shape.opacity);
    } else {
      line("<path d=\"{}\"{}/>", path, paint_attributes({}, shape.stroke, shape.opacity));
    }
  }

  // A group, so that a translucent line does not show through its head.
  void write_arrow(const std::string& path, const ArrowHead& head, const Stroke& stroke, double opacity) {
    line("<g opacity=\"{}\"><path d=\"{}\"{}/><path d=\"M{}L{}L{}Z\"{}/></g>", n(opacity), path,
         paint_attributes({}, stroke, 1), point(head.tip), point(head.left), point(head.right),
         paint_attributes(stroke.color, {}, 1));
  }

  void write(const Label& shape) {
    std::string attributes;
    if (shape.anchor != Anchor::start) {
      attributes += fmt::format(" text-anchor=\"{}\"", shape.anchor == Anchor::middle ? "middle" : "end");
    }
    if (shape.font.bold) attributes += " font-weight=\"bold\"";
    if (shape.font.family == Family::mono) attributes += fmt::format(" font-family=\"{}\"", kMono);
    if (shape.rotation != 0) {
      attributes += fmt::format(" transform=\"rotate({} {})\"", n(shape.rotation), point(shape.at));
    }
    line("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}>{}</text>", n(shape.at.x), n(baseline(shape)),
         n(shape.font.size), paint_attributes(shape.color, {}, shape.opacity), attributes,
         escape_xml(shape.text));
  }

  void write(const Cells& shape) {
    if (shape.colors.empty()) return;
    if (shape.rows * shape.columns > kMostRectangles) {
      line(
          "<image {} preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" "
          "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{}\"/>",
          box_attributes(shape.box), to_base64(cells_png(shape)));
      return;
    }
    line("<g>");
    for (Index row = 0; row < shape.rows; ++row) {
      for (Index column = 0; column < shape.columns; ++column) {
        line("<rect {} fill=\"{}\"/>", box_attributes(cell_rectangle(shape, row, column)),
             to_hex(shape.colors[static_cast<std::size_t>(row * shape.columns + column)]));
      }
    }
    line("</g>");
  }

  void write(const Hatch& shape) {
    if (shape.boxes.empty()) return;
    // The name is made of the content, so that figures can share a page.
    const std::string id =
        fmt::format("hatch-{}-{}-{}", to_hex(shape.color).substr(1), n(shape.spacing), n(shape.width));
    const double distance = shape.spacing / 1.41421356237;
    define(id,
           fmt::format("<pattern id=\"{0}\" patternUnits=\"userSpaceOnUse\" width=\"{1}\" height=\"{1}\" "
                       "patternTransform=\"rotate(-45)\"><path d=\"M0 {2}H{1}\" stroke=\"{3}\" "
                       "stroke-width=\"{4}\"/></pattern>",
                       id, n(distance), n(distance / 2), to_hex(shape.color), n(shape.width)));
    std::string path;
    for (const Box& box : shape.boxes) {
      path +=
          fmt::format("M{} {}h{}v{}h{}z", n(box.x), n(box.y), n(box.width), n(box.height), n(-box.width));
    }
    line("<path fill=\"url(#{})\" d=\"{}\"/>", id, path);
  }

  void write(const Gradient& shape) {
    // Few colours are steps that the eye sees; many are a smooth run, which needs no more than 33 stops.
    constexpr std::size_t kSteps = 16, kStops = 33;
    const std::vector<Color>& colors = shape.colors;
    if (colors.size() <= kSteps) {
      write(Cells{shape.box, static_cast<Index>(colors.size()), 1, {colors.rbegin(), colors.rend()}});
      return;
    }
    std::string stops;
    for (std::size_t i = 0; i < kStops; ++i) {
      const Color color = colors[i * (colors.size() - 1) / (kStops - 1)];
      stops += fmt::format("<stop offset=\"{}\" stop-color=\"{}\"/>",
                           n(static_cast<double>(i) / static_cast<double>(kStops - 1)), to_hex(color));
    }
    const std::string id = fmt::format("bar-{:08x}", hash(stops));
    define(id,
           fmt::format("<linearGradient id=\"{}\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">{}</linearGradient>",
                       id, stops));
    line("<rect {} fill=\"url(#{})\"/>", box_attributes(shape.box), id);
  }

  static std::uint32_t hash(std::string_view text) {  // FNV-1a
    std::uint32_t value = 2166136261u;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
    return value;
  }

  void define(const std::string& id, const std::string& definition) {
    if (defined_.insert(id).second) definitions_ += definition + '\n';
  }

  std::set<std::string> defined_;
  std::string definitions_;
  std::string body_;
};

}  // namespace

std::string to_svg(const Figure& figure) {
  const Scene& scene = figure.scene();
  const SvgWriter writer(scene);
  const std::string width = n(scene.width), height = n(scene.height);
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "version=\"1.1\" "
      "width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" xml:lang=\"{2}\" xml:space=\"preserve\" "
      "role=\"img\" font-family=\"{3}\">\n",
      width, height, scene.language == Language::chinese ? "zh" : "en", kSans);
  if (!scene.title.empty()) svg += fmt::format("<title>{}</title>\n", escape_xml(scene.title));
  if (!writer.definitions().empty()) svg += "<defs>\n" + writer.definitions() + "</defs>\n";
  svg += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", width, height,
                     to_hex(scene.background));
  return svg + writer.body() + "</svg>\n";
}

}  // namespace fovea
