// The .npy format, in memory.
#pragma once

#include <string>
#include <string_view>

#include "io/npy_literal.h"
#include "io/raw_array.h"

namespace fovea {

// The header, read, and what follows it.
struct NpyContent {
  NpyLiteral literal;
  std::string_view data;
};
NpyContent split_npy(std::string_view bytes, const std::string& where);

// Reads the header and checks that exactly the data it promises follows; the result points into `bytes`.
// Throws Error "<where>: ..".
RawArray parse_npy(std::string_view bytes, const std::string& where);

// The bytes before the data, a multiple of 64 of them, for C order and a dtype such as "<f4"; rank ≥ 1.
std::string npy_header(std::string_view dtype, const Shape& shape);

inline constexpr std::string_view kNpyFloat = "<f4";
inline constexpr std::string_view kNpyIds = "<i8";

}  // namespace fovea
