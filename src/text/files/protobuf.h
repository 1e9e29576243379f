// Reads the wire format of protocol buffers: fields one after the other, untrusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fovea {

// A field of a message. Numbers of fixed size and varints are in `number`, everything else in `bytes`.
struct ProtobufField {
  std::uint32_t number_of_field = 0;
  enum class Kind { varint, fixed64, bytes, fixed32 } kind = Kind::varint;
  std::uint64_t number = 0;
  std::string_view bytes;
};

class ProtobufReader {
 public:
  ProtobufReader(std::string_view message, const std::string& where) : rest_(message), where_(where) {}

  std::optional<ProtobufField> next();  // nothing at the end; throws Error "<where>: .." for what is broken

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t size);

  std::string_view rest_;
  const std::string& where_;
};

}  // namespace fovea
