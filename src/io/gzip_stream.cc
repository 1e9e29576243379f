#include <zlib.h>

#include <vector>

#include "core/fail.h"
#include "io/byte_stream.h"

namespace fovea {
inline namespace internal {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{1} << 16;

class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> packed)
      : ByteStream(packed->where()), packed_(std::move(packed)), bytes_(kPackedBytes) {
    constexpr int kGzipWindow = 15 + 16;  // 16: with gzip's header and check sum
    if (inflateInit2(&inflating_, kGzipWindow) != Z_OK) fail("{}: out of memory", where());
  }
  ~GzipStream() override { inflateEnd(&inflating_); }

  std::size_t read(char* to, std::size_t count) override {
    const auto room = static_cast<uInt>(std::min(count, std::size_t{1} << 30));
    inflating_.next_out = reinterpret_cast<Bytef*>(to);
    inflating_.avail_out = room;
    while (inflating_.avail_out == room) {
      if (inflating_.avail_in == 0 && !fill()) {
        if (inside_) fail("{}: the gzip data ends too early", where());
        return 0;
      }
      const int result = inflate(&inflating_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {  // another member may follow
        inside_ = false;
        inflateReset(&inflating_);
      } else if (result == Z_OK || result == Z_BUF_ERROR) {
        inside_ = true;
      } else {
        fail("{}: the gzip data is damaged{}{}", where(), inflating_.msg == nullptr ? "" : ": ",
             inflating_.msg == nullptr ? "" : inflating_.msg);
      }
    }
    return room - inflating_.avail_out;
  }

 private:
  bool fill() {
    const std::size_t got = packed_->read(bytes_.data(), bytes_.size());
    inflating_.next_in = reinterpret_cast<Bytef*>(bytes_.data());
    inflating_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  std::unique_ptr<ByteStream> packed_;
  std::vector<char> bytes_;
  z_stream inflating_ = {};
  bool inside_ = false;  // of a member
};

}  // namespace

std::unique_ptr<ByteStream> unpack_gzip(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<GzipStream>(std::move(packed));
}

}  // namespace internal
}  // namespace fovea
