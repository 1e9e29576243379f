// Helpers of the plot tests: pixels of a PNG file, texts of a figure and the room they take, independent
// tools.
#pragma once

#include <cairo.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include "fovea/figure.h"
#include "fovea/file.h"
#include "io/io_testing.h"
#include "plot/scene.h"
#include "plot/text_measure.h"

namespace fovea {

// What the PNG bytes of a figure show.
class Pixels {
 public:
  explicit Pixels(std::string png) : png_(std::move(png)) {
    image_ = cairo_image_surface_create_from_png_stream(read, this);
    EXPECT_EQ(cairo_surface_status(image_), CAIRO_STATUS_SUCCESS);
  }
  ~Pixels() { cairo_surface_destroy(image_); }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;

  int width() const { return cairo_image_surface_get_width(image_); }
  int height() const { return cairo_image_surface_get_height(image_); }
  Color at(int x, int y) const {
    const unsigned char* data = cairo_image_surface_get_data(image_);
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, data + y * cairo_image_surface_get_stride(image_) + 4 * x, 4);
    return {static_cast<std::uint8_t>(pixel >> 16), static_cast<std::uint8_t>(pixel >> 8),
            static_cast<std::uint8_t>(pixel)};
  }
  Color at(scene::Point points, double pixels_per_point) const {
    return at(static_cast<int>(points.x * pixels_per_point), static_cast<int>(points.y * pixels_per_point));
  }

 private:
  static cairo_status_t read(void* self, unsigned char* to, unsigned int count) {
    auto& pixels = *static_cast<Pixels*>(self);
    if (pixels.at_ + count > pixels.png_.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(to, pixels.png_.data() + pixels.at_, count);
    pixels.at_ += count;
    return CAIRO_STATUS_SUCCESS;
  }
  std::string png_;
  std::size_t at_ = 0;
  cairo_surface_t* image_ = nullptr;
};

template <typename Shape>
std::vector<Shape> shapes(const Figure& figure) {
  std::vector<Shape> all;
  for (const scene::Element& element : figure.scene().elements) {
    if (const auto* shape = std::get_if<Shape>(&element)) all.push_back(*shape);
  }
  return all;
}

inline std::vector<std::string> texts(const Figure& figure) {
  std::vector<std::string> all;
  for (const scene::Label& label : shapes<scene::Label>(figure)) all.push_back(label.text);
  return all;
}

inline bool has_text(const Figure& figure, const std::string& text) {
  const std::vector<std::string> all = texts(figure);
  return std::find(all.begin(), all.end(), text) != all.end();
}

// The corners of the box around a text, turned as it is.
using Corners = std::array<scene::Point, 4>;
inline Corners corners(const scene::Label& label) {
  const TextExtent extent = measure_text(label.text, label.font);
  const double left = label.anchor == scene::Anchor::start    ? 0
                      : label.anchor == scene::Anchor::middle ? -extent.width / 2
                                                              : -extent.width;
  const double line = scene::baseline(label) - label.at.y;
  const double angle = label.rotation * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  const auto turned = [&](double x, double y) {
    return scene::Point{label.at.x + c * x - s * y, label.at.y + s * x + c * y};
  };
  return {turned(left, line - extent.ascent), turned(left + extent.width, line - extent.ascent),
          turned(left + extent.width, line + extent.descent), turned(left, line + extent.descent)};
}

// Two boxes are apart if they are so along a side of one of them.
inline bool overlap(const Corners& a, const Corners& b) {
  constexpr double kTouching = 0.05;
  for (const Corners* box : {&a, &b}) {
    for (const std::size_t i : {0u, 1u}) {
      const double dx = (*box)[i + 1].x - (*box)[i].x, dy = (*box)[i + 1].y - (*box)[i].y;
      const double length = std::hypot(dx, dy);
      const auto range = [&](const Corners& of) {
        double low = 1e9, high = -1e9;
        for (const scene::Point& p : of) {
          const double along = (p.x * dx + p.y * dy) / length;
          low = std::min(low, along), high = std::max(high, along);
        }
        return std::pair{low, high};
      };
      const auto [a_low, a_high] = range(a);
      const auto [b_low, b_high] = range(b);
      if (a_high <= b_low + kTouching || b_high <= a_low + kTouching) return false;
    }
  }
  return true;
}

// No text is over another, and none leaves the page.
inline void expect_readable(const Figure& figure) {
  const std::vector<scene::Label> labels = shapes<scene::Label>(figure);
  std::vector<Corners> boxes;
  for (const scene::Label& label : labels) {
    boxes.push_back(corners(label));
    for (const scene::Point& corner : boxes.back()) {
      EXPECT_TRUE(corner.x >= 0 && corner.y >= 0 && corner.x <= figure.width() &&
                  corner.y <= figure.height())
          << label.text << " leaves the page at " << corner.x << ", " << corner.y;
    }
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(boxes[i], boxes[j])) << labels[i].text << " is over " << labels[j].text;
    }
  }
}

struct ToolResult {
  bool found = false;
  int exit_code = -1;
  std::string output;  // with the error messages
};

inline ToolResult run_tool(const std::string& tool, const std::string& arguments) {
  ToolResult result;
  result.found = std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
  if (!result.found) return result;
  std::FILE* const pipe = popen((tool + " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace fovea
