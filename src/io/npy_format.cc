#include "io/npy_format.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/fail.h"
#include "io/little_endian.h"
#include "io/messages.h"

namespace fovea {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// NumPy writes some 128 bytes, and reads no more than 10,000.
constexpr std::uint64_t kLongestHeader = std::uint64_t{64} << 10;

std::optional<DType> dtype_of(std::string_view kind_and_size) {
  constexpr std::pair<std::string_view, DType> kKnown[] = {
      {"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64}, {"b1", DType::boolean},
      {"i1", DType::i8},  {"i2", DType::i16}, {"i4", DType::i32}, {"i8", DType::i64},
      {"u1", DType::u8},  {"u2", DType::u16}, {"u4", DType::u32}, {"u8", DType::u64}};
  for (const auto& [name, dtype] : kKnown) {
    if (name == kind_and_size) return dtype;
  }
  return std::nullopt;
}

}  // namespace

NpyHeader read_npy_header(ByteReader& bytes, std::uint64_t size, const std::string& where) {
  std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(size, 8)), '\0');
  bytes.read(start.data(), start.size());
  if (!start.starts_with(kMagic)) {
    fail("{}: not an npy file: it starts with {}, expected \\x93NUMPY", where,
         in_quotes(std::string_view(start).substr(0, kMagic.size())));
  }
  if (size < 8) fail("{}: ends within its first 8 bytes", where);
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail("{}: unsupported npy version {}.{}; supported: 1.0, 2.0 and 3.0", where, major, minor);
  }
  const std::size_t length_size = major == 1 ? 2 : 4;
  const std::uint64_t begin = 8 + length_size;
  if (size < begin) fail("{}: ends within its first {} bytes", where, begin);
  std::string length_bytes(sizeof(std::uint32_t), '\0');
  bytes.read(length_bytes.data(), length_size);
  const std::uint64_t length = little_endian<std::uint32_t>(length_bytes, 0);
  if (length > size - begin) {
    fail("{}: the header claims {} bytes, the file has only {} after its length", where, grouped(length),
         grouped(size - begin));
  }
  if (length > kLongestHeader) {
    fail("{}: the header claims {} bytes, the limit is {}", where, grouped(length),
         grouped(kLongestHeader));
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  bytes.read(text.data(), text.size());
  return {parse_npy_literal(text, where), begin + length};
}

RawArray raw_array_of(const NpyLiteral& literal, std::uint64_t data_size, const std::string& where) {
  RawArray raw;
  std::string_view descr = literal.descr;
  const char order = descr.empty() ? ' ' : descr.front();
  descr.remove_prefix(descr.empty() ? 0 : 1);
  const std::optional<DType> dtype = dtype_of(descr);
  // '=' is this machine's order; '|' says that there is none, and only single bytes have none.
  const bool order_known =
      order == '<' || order == '>' || order == '=' || (order == '|' && dtype && size_of(*dtype) == 1);
  if (!dtype || !order_known) {
    fail("{}: unsupported dtype {}; supported: f2, f4, f8, i1 to i8, u1 to u8 and b1, written as '<f4'",
         where, in_quotes(literal.descr));
  }
  raw.dtype = *dtype;
  raw.big_endian = order == '>';
  raw.fortran_order = literal.fortran_order;
  raw.shape = checked_shape(literal.extents, where);
  if (data_size != raw.byte_count()) {
    fail("{}: expected {} bytes of data for shape {} of {}, the file has {}", where,
         grouped(raw.byte_count()), raw.shape.to_string(), literal.descr, grouped(data_size));
  }
  return raw;
}

RawArray parse_npy(const ByteSource& file, const std::string& where) {
  SourceReader bytes(file, 0);
  const NpyHeader header = read_npy_header(bytes, file.size(), where);
  RawArray raw = raw_array_of(header.literal, file.size() - header.data_begin, where);
  raw.source = &file;
  raw.begin = header.data_begin;
  return raw;
}

std::string npy_header(std::string_view dtype, const Shape& shape) {
  std::string extents = std::to_string(shape[0]) + ",";  // a tuple of one keeps its comma
  for (int axis = 1; axis < shape.rank(); ++axis) {
    extents += (axis == 1 ? " " : ", ") + std::to_string(shape[axis]);
  }
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", dtype, extents);
  constexpr std::size_t kBefore = 10;  // magic, version, length
  text.append(63 - (kBefore + text.size()) % 64, ' ');
  text += '\n';

  std::string header(kMagic);
  header += std::string_view("\x01\x00", 2);
  append_little_endian(header, static_cast<std::uint16_t>(text.size()));
  return header + text;
}

}  // namespace fovea
