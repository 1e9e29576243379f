// The header of an .npy file: a Python dictionary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/shape.h"

namespace fovea {

struct NpyLiteral {
  std::string descr;  // '<f4'
  bool fortran_order = false;
  std::vector<Index> extents;
};

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: these three keys, once each, in any
// order. Throws Error "<where>: ..".
NpyLiteral parse_npy_literal(std::string_view text, const std::string& where);

}  // namespace fovea
