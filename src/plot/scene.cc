#include "plot/scene.h"

#include <cmath>
#include <utility>

#include "plot/readable_text.h"

namespace fovea {
namespace scene {

double baseline(const Label& text) {
  // Half the height of DejaVu's capitals; ideographs of the same size are centred with it, too.
  constexpr double kHalfCapital = 0.365;
  return text.at.y + (text.vertical == VerticalAnchor::middle ? kHalfCapital * text.font.size : 0);
}

ArrowHead arrow_head(Point before, Point tip, double stroke_width) {
  const double dx = tip.x - before.x, dy = tip.y - before.y;
  const double length = std::hypot(dx, dy);
  const Point along = length > 0 ? Point{dx / length, dy / length} : Point{1, 0};
  const double head = 4 + 2.5 * stroke_width, half = 0.42 * head;
  const Point back{tip.x - head * along.x, tip.y - head * along.y};
  return {tip,
          {back.x + half * along.y, back.y - half * along.x},
          {back.x - half * along.y, back.y + half * along.x},
          {tip.x - 0.8 * head * along.x, tip.y - 0.8 * head * along.y}};
}

LinePoints line_points(const Polyline& line) {
  LinePoints result{line.points, {}};
  if (!line.arrow || !line.stroke) return result;
  result.head = arrow_head(line.points[line.points.size() - 2], line.points.back(), line.stroke->width);
  result.points.back() = result.head->base;
  return result;
}

}  // namespace scene

void Scene::add(scene::Element element) {
  if (auto* text = std::get_if<scene::Label>(&element)) {
    if (text->text.empty()) return;
    text->text = readable_text(text->text);
  }
  elements.push_back(std::move(element));
}

}  // namespace fovea
