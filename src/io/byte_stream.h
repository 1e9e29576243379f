// Bytes that come one after the other: files, pipes, and what gzip or zstd packed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fovea/api.h"

namespace fovea {
inline namespace internal {

// Reads forward only; some hundred KiB of memory, whatever the length.
class ByteStream {
 public:
  explicit ByteStream(std::string where) : where_(std::move(where)) {}
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // Up to `count` bytes, at least one unless this is the end: then 0. Throws Error "<where>: ..".
  virtual std::size_t read(char* to, std::size_t count) = 0;
  const std::string& where() const { return where_; }  // "[corpus] texts.csv", for messages

 private:
  std::string where_;
};

// The bytes of a file, or of "-", standard input. What begins as gzip or zstd does is unpacked, whatever
// its name. Throws Error for missing files, directories, and for pipes and devices that are not open
// already.
std::unique_ptr<ByteStream> open_stream(const std::string& path, const std::string& where);

// The same of bytes in memory, which must outlive the stream.
std::unique_ptr<ByteStream> stream_of(std::string_view bytes, const std::string& where);

// `packed` unpacked, several members one after the other as gzip and zstd allow. Throws Error for what is
// damaged or ends too early.
std::unique_ptr<ByteStream> unpack_gzip(std::unique_ptr<ByteStream> packed);
std::unique_ptr<ByteStream> unpack_zstd(std::unique_ptr<ByteStream> packed);

// Exactly `count` bytes, or Error that the file ends too early.
void read_exactly(ByteStream& stream, char* to, std::size_t count);

}  // namespace internal
}  // namespace fovea
