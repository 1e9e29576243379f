// The display list of a figure: shapes with coordinates in points (1/72 inch), x to the right, y down,
// drawn in order. Back ends (cairo, SVG) know these shapes and nothing else.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fovea/api.h"
#include "fovea/colormap.h"
#include "fovea/language.h"
#include "fovea/shape.h"

namespace fovea {
namespace scene {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point center() const { return {x + width / 2, y + height / 2}; }
};

struct Stroke {
  Color color;
  double width = 1;
  std::vector<double> dash;  // lengths on, off, ..; empty: solid
};

struct Rectangle {
  Box box;
  std::optional<Color> fill;
  std::optional<Stroke> stroke;
  double radius = 0;  // of the corners
  double opacity = 1;
};

struct Circle {
  Point center;
  double radius = 1;
  std::optional<Color> fill;
  std::optional<Stroke> stroke;
  double opacity = 1;
};

// A line through points; `closed` joins the last to the first, and `fill` is its inside. The arrow head
// stands at the last point: its tip is the point itself.
struct Polyline {
  std::vector<Point> points;
  std::optional<Stroke> stroke;
  std::optional<Color> fill;
  bool closed = false;
  bool arrow = false;
  double opacity = 1;
};

// A cubic Bézier curve, with an arrow head at `to` if wanted.
struct Curve {
  Point from, control1, control2, to;
  Stroke stroke;
  bool arrow = false;
  double opacity = 1;
};

enum class Anchor { start, middle, end };        // which end of the text stands at the point
enum class VerticalAnchor { baseline, middle };  // middle: half the height of capitals
enum class Family { sans, mono };

struct Font {
  double size = 10;
  bool bold = false;
  Family family = Family::sans;
};

// One line. Control characters and bytes that are no UTF-8 are replaced when it is added to a scene.
struct Label {
  std::string text;
  Point at;
  Font font;
  Color color;
  Anchor anchor = Anchor::start;
  VerticalAnchor vertical = VerticalAnchor::baseline;
  double rotation = 0;  // degrees, clockwise, around `at`
  double opacity = 1;
};

// R×C colours that fill a box, without gaps and without smoothing.
struct Cells {
  Box box;
  Index rows = 0, columns = 0;
  std::vector<Color> colors;  // row-major
};

// Diagonal lines that fill all boxes together; one pattern, so that neighbours join.
struct Hatch {
  std::vector<Box> boxes;
  Color color;
  double spacing = 4;  // between the lines, measured along x
  double width = 0.6;
};

// Colours from the bottom to the top of a box in equal steps: a colour bar.
struct Gradient {
  Box box;
  std::vector<Color> colors;
};

using Element = std::variant<Rectangle, Circle, Polyline, Curve, Label, Cells, Hatch, Gradient>;

// The y of the baseline of a text that is not rotated.
double baseline(const Label& text);

// The head of an arrow of this stroke: its tip, the two corners, and where the line should end.
struct ArrowHead {
  Point tip, left, right, base;
};
ArrowHead arrow_head(Point before, Point tip, double stroke_width);

// The points of a line, which ends at the base of its head if it is an arrow.
struct LinePoints {
  std::vector<Point> points;
  std::optional<ArrowHead> head;
};
LinePoints line_points(const Polyline& line);  // of two points or more

}  // namespace scene

inline namespace internal {

struct FOVEA_PRIVATE_API Scene {
  double width = 72, height = 72;
  Color background{255, 255, 255};
  std::string title;  // the name of the picture for readers and machines, not drawn
  Language language = Language::english;
  std::vector<scene::Element> elements;

  void add(scene::Element element);
};

}  // namespace internal
}  // namespace fovea
