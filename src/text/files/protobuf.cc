#include "text/files/protobuf.h"

#include "core/fail.h"
#include "io/little_endian.h"

namespace fovea {

std::string_view ProtobufReader::take(std::uint64_t size) {
  if (size > rest_.size())
    fail("{}: a field has {} bytes, but only {} are left", where_, size, rest_.size());
  const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(bytes.size());
  return bytes;
}

std::uint64_t ProtobufReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  fail("{}: a number has more than ten bytes: not a protocol buffer", where_);
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (rest_.empty()) return std::nullopt;
  using Kind = ProtobufField::Kind;
  const std::uint64_t key = varint();
  ProtobufField field;
  field.number_of_field = static_cast<std::uint32_t>(key >> 3);
  switch (key & 7u) {
    case 0:
      field.kind = Kind::varint;
      field.number = varint();
      break;
    case 1:
      field.kind = Kind::fixed64;
      field.number = little_endian<std::uint64_t>(take(8), 0);
      break;
    case 2:
      field.kind = Kind::bytes;
      field.bytes = take(varint());
      break;
    case 5:
      field.kind = Kind::fixed32;
      field.number = little_endian<std::uint32_t>(take(4), 0);
      break;
    default:
      fail("{}: a field of the wire type {}: not a protocol buffer", where_, key & 7u);
  }
  return field;
}

}  // namespace fovea
