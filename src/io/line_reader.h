// Lines of a stream, each within a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/byte_stream.h"

namespace fovea {
inline namespace internal {

inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;  // 16 MiB

class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteStream> stream, std::size_t longest = kLongestLine);

  // The next line with its line break, if it has one; false at the end. A line that is too long is read
  // to its end, and only its beginning is given: then too_long().
  bool next(std::string& line);
  bool too_long() const { return too_long_; }
  std::uint64_t number() const { return number_; }  // of the line given last; the first is 1
  const std::string& where() const { return stream_->where(); }

 private:
  bool fill();

  std::unique_ptr<ByteStream> stream_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
  bool too_long_ = false;
};

// Without its line break: \n or \r\n.
std::string_view without_line_break(std::string_view line);

}  // namespace internal
}  // namespace fovea
