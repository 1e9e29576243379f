#include "io/npy_format.h"

#include <optional>
#include <utility>

#include "core/fail.h"
#include "io/little_endian.h"
#include "io/messages.h"

namespace fovea {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// The header text, which starts after magic, version and length; `end` is where the data starts.
struct HeaderText {
  std::string_view text;
  std::size_t end = 0;
};

HeaderText header_text(std::string_view bytes, const std::string& where) {
  if (!bytes.starts_with(kMagic)) {
    fail("{}: is not an npy file: it starts with {}, \\x93NUMPY was expected", where,
         in_quotes(bytes.substr(0, kMagic.size())));
  }
  if (bytes.size() < 8) fail("{}: ends within its first 8 bytes", where);
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail("{}: is of npy version {}.{}; 1.0, 2.0 and 3.0 are known", where, major, minor);
  }
  const std::size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start) fail("{}: ends within its first {} bytes", where, start);
  const std::uint64_t length = major == 1 ? little_endian<std::uint16_t>(bytes, 8)
                                          : std::uint64_t{little_endian<std::uint32_t>(bytes, 8)};
  if (length > bytes.size() - start) {
    fail("{}: a header of {} bytes is announced, the file has {} after its length", where, grouped(length),
         grouped(bytes.size() - start));
  }
  return {bytes.substr(start, static_cast<std::size_t>(length)), start + static_cast<std::size_t>(length)};
}

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

NpyContent split_npy(std::string_view bytes, const std::string& where) {
  const HeaderText header = header_text(bytes, where);
  return {parse_npy_literal(header.text, where), bytes.substr(header.end)};
}

RawArray parse_npy(std::string_view bytes, const std::string& where) {
  const NpyContent content = split_npy(bytes, where);
  const NpyLiteral& literal = content.literal;

  RawArray raw;
  std::string_view descr = literal.descr;
  const char order = descr.empty() ? ' ' : descr.front();
  descr.remove_prefix(descr.empty() ? 0 : 1);
  const std::optional<DType> dtype = dtype_of(descr);
  // '=' is this machine's order; '|' says that there is none, and only single bytes have none.
  const bool order_known =
      order == '<' || order == '>' || order == '=' || (order == '|' && dtype && size_of(*dtype) == 1);
  if (!dtype || !order_known) {
    fail("{}: dtype {} is not read; f2, f4, f8, i1 to i8, u1 to u8 and b1 are, as '<f4'", where,
         in_quotes(literal.descr));
  }
  raw.dtype = *dtype;
  raw.big_endian = order == '>';
  raw.fortran_order = literal.fortran_order;
  raw.shape = checked_shape(literal.extents, where);
  raw.data = content.data;
  if (raw.data.size() != raw.byte_count()) {
    fail("{}: {} bytes of data expected for shape {} of {}, the file has {}", where,
         grouped(raw.byte_count()), raw.shape.to_string(), literal.descr, grouped(raw.data.size()));
  }
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
