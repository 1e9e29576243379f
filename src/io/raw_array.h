// An array as it lies in a file, and its conversion to what fovea computes with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fovea/array.h"
#include "fovea/tensor.h"
#include "io/byte_source.h"

namespace fovea {

enum class DType { f16, bf16, f32, f64, boolean, i8, i16, i32, i64, u8, u16, u32, u64 };

std::uint64_t size_of(DType dtype);  // in bytes
bool is_floating(DType dtype);

struct RawArray {
  DType dtype = DType::f32;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis runs fastest
  Shape shape = {};
  const ByteSource* source = nullptr;  // has the data from byte `begin` on; null: they come from elsewhere
  std::uint64_t begin = 0;

  std::uint64_t byte_count() const { return static_cast<std::uint64_t>(shape.elements()) * size_of(dtype); }
};

// The shape a file claims; rank 0 becomes [1]. Throws Error "<where>: .." for rank over 5, negative
// extents, and more elements than memory has addresses. Allocates nothing.
Shape checked_shape(const std::vector<Index>& extents, const std::string& where);

// Floats as Tensor, everything else as Ids. Memory is touched only as the data arrive, a piece at a time: a
// shape that promises more than comes costs nothing. Throws Error for an unsigned integer over 2^63 − 1.
std::variant<Tensor, Ids> decode(const RawArray& raw, ByteReader& data, const std::string& where);
std::variant<Tensor, Ids> decode(const RawArray& raw, const std::string& where);  // from raw.source

// The memory that decode() takes, at its most.
std::uint64_t decoded_bytes(const RawArray& raw);

// The bytes of arrays to be written, little-endian as all supported processors store them.
std::string_view bytes_of(const Tensor& tensor);
std::string_view bytes_of(const Ids& ids);

}  // namespace fovea
