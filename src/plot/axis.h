// The labels along one side of a matrix: tokens where they fit, positions otherwise.
#pragma once

#include <string>
#include <vector>

#include "plot/scene.h"
#include "plot/theme.h"

namespace fovea {

class Axis {
 public:
  enum class Side { left, bottom };
  struct Setup {
    Side side = Side::left;
    Index count = 0;    // tokens along the side
    double length = 0;  // of the side, in points
    double size = kLabelSize;
    double smallest = kSmallestSize;  // size that tokens may shrink to, so that all of them fit
  };

  // Positions 0 .. count − 1, at round distances.
  static Axis positions(const Setup& setup);
  // As many texts as `count`; those of the bottom are turned by 45°. Where they would overlap even in the
  // smallest size, only every k-th is drawn.
  static Axis tokens(const Setup& setup, const std::vector<std::string>& tokens);

  Index step() const { return step_; }             // 1: every token has its label
  double thickness() const { return thickness_; }  // room that labels and tick marks take beside the matrix
  double overhang() const { return overhang_; }    // how far turned labels reach over the start of the side

  // `origin`: the upper left corner of the matrix for the left side, the lower left one for the bottom.
  void draw(Scene& scene, scene::Point origin, const ThemeColors& colors) const;

 private:
  struct Entry {
    double offset = 0;  // along the side
    std::string text;
  };
  explicit Axis(const Setup& setup) : setup_(setup) {}

  Setup setup_;
  Index step_ = 1;
  double thickness_ = 0, overhang_ = 0, rotation_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace fovea
