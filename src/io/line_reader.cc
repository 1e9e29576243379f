#include "io/line_reader.h"

#include <algorithm>

namespace fovea {
inline namespace internal {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteStream> stream, std::size_t longest)
    : stream_(std::move(stream)), longest_(longest) {}

bool LineReader::fill() {
  constexpr std::size_t kBytes = std::size_t{1} << 16;
  buffer_.resize(kBytes);
  buffer_.resize(stream_->read(buffer_.data(), buffer_.size()));
  at_ = 0;
  return !buffer_.empty();
}

bool LineReader::next(std::string& line) {
  line.clear();
  too_long_ = false;
  bool any = false;
  while (at_ < buffer_.size() || fill()) {
    any = true;
    const std::size_t end = buffer_.find('\n', at_);
    const bool ended = end != std::string::npos;
    const std::size_t length = (ended ? end + 1 : buffer_.size()) - at_;
    const std::size_t room = longest_ - std::min(longest_, line.size());
    line.append(buffer_, at_, std::min(length, room));
    too_long_ = too_long_ || length > room;
    at_ += length;
    if (ended) break;
  }
  if (!any) return false;
  if (number_++ == 0 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

std::string_view without_line_break(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace internal
}  // namespace fovea
