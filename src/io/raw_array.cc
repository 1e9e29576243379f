#include "io/raw_array.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/fail.h"
#include "core/half.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian, and so is this code");

template <typename Bits>
Bits reversed(Bits bits) {
  Bits result = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    result = static_cast<Bits>(static_cast<std::uint64_t>(result) << 8 | (bits & 0xFFu));
    bits = static_cast<Bits>(static_cast<std::uint64_t>(bits) >> 8);
  }
  return result;
}

// `count` elements as they lie in the file; the bytes need not be aligned.
struct Piece {
  const char* bytes;
  Index count;
  bool big_endian;
};

// out[i] = convert(bits of element i).
template <typename Bits, typename Out, typename Convert>
void decode_each(const Piece& piece, Out* out, const Convert& convert) {
  const char* at = piece.bytes;
  for (Index i = 0; i < piece.count; ++i, at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, at, sizeof(Bits));
    out[i] = convert(piece.big_endian ? reversed(bits) : bits);
  }
}

void decode_piece(DType dtype, const Piece& piece, float* out) {
  switch (dtype) {
    case DType::f16:
      return decode_each<std::uint16_t>(piece, out, half_to_float);
    case DType::bf16:
      return decode_each<std::uint16_t>(piece, out, bfloat16_to_float);
    case DType::f64:
      return decode_each<std::uint64_t>(
          piece, out, [](std::uint64_t bits) { return static_cast<float>(std::bit_cast<double>(bits)); });
    default:
      return decode_each<std::uint32_t>(piece, out,
                                        [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
  }
}

// Bits as the unsigned type, values as T: widening keeps the sign.
template <typename Bits, typename T>
void decode_integers_as(const Piece& piece, std::int64_t* out) {
  decode_each<Bits>(piece, out, [](Bits bits) { return static_cast<std::int64_t>(static_cast<T>(bits)); });
}

void decode_piece(DType dtype, const Piece& piece, std::int64_t* out) {
  switch (dtype) {
    case DType::boolean:
      return decode_each<std::uint8_t>(piece, out, [](std::uint8_t bits) { return bits != 0 ? 1 : 0; });
    case DType::i8:
      return decode_integers_as<std::uint8_t, std::int8_t>(piece, out);
    case DType::i16:
      return decode_integers_as<std::uint16_t, std::int16_t>(piece, out);
    case DType::i32:
      return decode_integers_as<std::uint32_t, std::int32_t>(piece, out);
    case DType::u8:
      return decode_integers_as<std::uint8_t, std::uint8_t>(piece, out);
    case DType::u16:
      return decode_integers_as<std::uint16_t, std::uint16_t>(piece, out);
    case DType::u32:
      return decode_integers_as<std::uint32_t, std::uint32_t>(piece, out);
    default:
      return decode_integers_as<std::uint64_t, std::int64_t>(piece, out);
  }
}

// Copies column-major `from` to row-major `to`.
template <typename T>
void to_row_major(const T* from, const Shape& shape, T* to) {
  std::array<Index, kMaxRank> stride = {};  // of `from`
  Index step = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    stride[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  std::array<Index, kMaxRank> index = {};
  const Index count = shape.elements();
  for (Index i = 0, at = 0; i < count; ++i) {
    to[i] = from[at];
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {  // the next index, last axis fastest
      const auto a = static_cast<std::size_t>(axis);
      at += stride[a];
      if (++index[a] < shape[axis]) break;
      at -= stride[a] * shape[axis];
      index[a] = 0;
    }
  }
}

// Reads the data and calls room(n) → where the next n elements go, for some at a time.
template <typename Room>
void decode_pieces(const RawArray& raw, ByteReader& data, const Room& room) {
  constexpr Index kPiece = 1 << 16;
  std::string buffer;
  for (Index left = raw.shape.elements(); left > 0;) {
    const Index count = std::min(left, kPiece);
    buffer.resize(static_cast<std::size_t>(count) * size_of(raw.dtype));
    data.read(buffer.data(), buffer.size());
    decode_piece(raw.dtype, {buffer.data(), count, raw.big_endian}, room(count));
    left -= count;
  }
}

Tensor decode_floats(const RawArray& raw, ByteReader& data) {
  Tensor tensor = Tensor::uninitialized(raw.shape);
  if (raw.dtype == DType::f32 && !raw.big_endian) {
    data.read(reinterpret_cast<char*>(tensor.data()), static_cast<std::size_t>(raw.byte_count()));
  } else {
    float* next = tensor.data();
    decode_pieces(raw, data, [&](Index count) { return std::exchange(next, next + count); });
  }
  if (!raw.fortran_order) return tensor;
  Tensor ordered = Tensor::uninitialized(raw.shape);
  to_row_major(tensor.data(), raw.shape, ordered.data());
  return ordered;
}

Ids decode_integers(const RawArray& raw, ByteReader& data, const std::string& where) {
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(raw.shape.elements()));  // not touched yet
  decode_pieces(raw, data, [&](Index count) {
    values.resize(values.size() + static_cast<std::size_t>(count));
    return values.data() + values.size() - count;
  });
  if (raw.dtype == DType::u64) {
    for (const std::int64_t value : values) {
      if (value < 0) fail("{}: {} does not fit a signed integer", where, static_cast<std::uint64_t>(value));
    }
  }
  if (!raw.fortran_order) return Ids(raw.shape, std::move(values));
  std::vector<std::int64_t> ordered(values.size());
  to_row_major(values.data(), raw.shape, ordered.data());
  return Ids(raw.shape, std::move(ordered));
}

}  // namespace

std::uint64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::i8:
    case DType::u8:
      return 1;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
    case DType::u16:
      return 2;
    case DType::f32:
    case DType::i32:
    case DType::u32:
      return 4;
    default:
      return 8;
  }
}

bool is_floating(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

Shape checked_shape(const std::vector<Index>& extents, const std::string& where) {
  try {
    return extents.empty() ? Shape{1} : Shape(extents);
  } catch (const Error& error) {
    std::string_view message = error.what();
    if (message.starts_with("[shape] ")) message.remove_prefix(8);
    fail("{}: {}", where, message);
  }
}

std::variant<Tensor, Ids> decode(const RawArray& raw, ByteReader& data, const std::string& where) {
  if (is_floating(raw.dtype)) return decode_floats(raw, data);
  return decode_integers(raw, data, where);
}

std::variant<Tensor, Ids> decode(const RawArray& raw, const std::string& where) {
  SourceReader data(*raw.source, raw.begin);
  return decode(raw, data, where);
}

std::uint64_t decoded_bytes(const RawArray& raw) {
  const std::uint64_t element = is_floating(raw.dtype) ? sizeof(float) : sizeof(std::int64_t);
  return static_cast<std::uint64_t>(raw.shape.elements()) * element * (raw.fortran_order ? 2 : 1);
}

std::string_view bytes_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.data()),
          static_cast<std::size_t>(tensor.shape().elements()) * sizeof(float)};
}

std::string_view bytes_of(const Ids& ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.values().size() * sizeof(std::int64_t)};
}

}  // namespace fovea
