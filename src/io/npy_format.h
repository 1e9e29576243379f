// The .npy format, in memory.
#pragma once

#include <string>
#include <string_view>

#include "io/npy_literal.h"
#include "io/raw_array.h"

namespace fovea {

struct NpyHeader {
  NpyLiteral literal;
  std::uint64_t data_begin = 0;
};
// The header of `size` bytes in the .npy format, read up to the data; at most 64 KiB of it.
NpyHeader read_npy_header(ByteReader& bytes, std::uint64_t size, const std::string& where);

// What the header promises, if exactly `data_size` bytes of data follow; without a source.
RawArray raw_array_of(const NpyLiteral& literal, std::uint64_t data_size, const std::string& where);

// Reads the header and checks that exactly the data it promises follows. Throws Error "<where>: ..".
RawArray parse_npy(const ByteSource& file, const std::string& where);

// The bytes before the data, a multiple of 64 of them, for C order and a dtype such as "<f4"; rank ≥ 1.
std::string npy_header(std::string_view dtype, const Shape& shape);

inline constexpr std::string_view kNpyFloat = "<f4";
inline constexpr std::string_view kNpyIds = "<i8";

}  // namespace fovea
