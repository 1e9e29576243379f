// Colours and sizes that all figures share.
#pragma once

#include <array>

#include "fovea/colormap.h"
#include "fovea/figure.h"

namespace fovea {

struct ThemeColors {
  Color background;
  Color ink;                    // text, axes
  Color muted;                  // notes, ticks
  Color grid;                   // thin lines behind data
  Color hidden;                 // background of masked cells
  Color hatch;                  // lines on it
  std::array<Color, 8> accent;  // series, heads: told apart by colour-blind eyes as well (Okabe and Ito)
};

inline const ThemeColors& theme_colors(Theme theme) {
  static constexpr ThemeColors kLight = {{0xFF, 0xFF, 0xFF},
                                         {0x1F, 0x23, 0x28},
                                         {0x59, 0x63, 0x6E},
                                         {0xD8, 0xDE, 0xE4},
                                         {0xF2, 0xF3, 0xF5},
                                         {0xA9, 0xB1, 0xBA},
                                         {{{0x00, 0x72, 0xB2},
                                           {0xD5, 0x5E, 0x00},
                                           {0x00, 0x9E, 0x73},
                                           {0xCC, 0x79, 0xA7},
                                           {0xE6, 0x9F, 0x00},
                                           {0x56, 0xB4, 0xE9},
                                           {0x6F, 0x4E, 0x9C},
                                           {0x8C, 0x6D, 0x31}}}};
  static constexpr ThemeColors kDark = {{0x12, 0x16, 0x1C},
                                        {0xE6, 0xED, 0xF3},
                                        {0x9A, 0xA5, 0xB1},
                                        {0x30, 0x37, 0x40},
                                        {0x1E, 0x24, 0x2C},
                                        {0x57, 0x60, 0x6B},
                                        {{{0x56, 0xB4, 0xE9},
                                          {0xFF, 0x8C, 0x42},
                                          {0x2F, 0xC4, 0x9A},
                                          {0xE3, 0x9A, 0xC6},
                                          {0xF2, 0xC1, 0x4E},
                                          {0x9B, 0xD3, 0xF5},
                                          {0xB3, 0x97, 0xDB},
                                          {0xC9, 0xAE, 0x74}}}};
  return theme == Theme::dark ? kDark : kLight;
}

// Sizes of text, in points.
inline constexpr double kTitleSize = 13;
inline constexpr double kAxisTitleSize = 10.5;
inline constexpr double kLabelSize = 9.5;
inline constexpr double kNoteSize = 8;
inline constexpr double kSmallestSize = 6;  // what is smaller is not drawn as text

inline constexpr double kMargin = 14;  // around the whole figure

}  // namespace fovea
