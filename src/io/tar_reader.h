// Tar archives, member after member: ustar, with GNU's and pax's long names.
#pragma once

#include <cstdint>
#include <string>

#include "io/byte_stream.h"

namespace fovea {
inline namespace internal {

struct TarMember {
  std::string name;        // as the archive has it: never used as a path
  std::uint64_t size = 0;  // of its content; 0 for what is not a file
  bool is_file = false;
};

// The stream must outlive the reader. Whatever is wrong with the archive is an Error "<where>: ..".
class TarReader {
 public:
  explicit TarReader(ByteStream& stream) : stream_(stream) {}

  // The next member; what is left of the last one is skipped. False at the end.
  bool next(TarMember& member);
  // Up to `count` bytes of the member's content; 0 at its end.
  std::size_t read(char* to, std::size_t count);

 private:
  bool read_header(TarMember& member, char& type);
  std::string long_text(std::uint64_t size);
  void skip(std::uint64_t count);

  ByteStream& stream_;
  std::uint64_t left_ = 0, padding_ = 0;  // of the member's content, and up to the next block
};

}  // namespace internal
}  // namespace fovea
