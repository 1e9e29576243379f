#include <zstd.h>

#include <vector>

#include "core/fail.h"
#include "io/byte_stream.h"

namespace fovea {
inline namespace internal {
namespace {

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteStream> packed)
      : ByteStream(packed->where()),
        packed_(std::move(packed)),
        unpacking_(ZSTD_createDCtx()),
        bytes_(ZSTD_DStreamInSize()) {
    if (unpacking_ == nullptr) fail("{}: out of memory", where());
    // A file says how large a window it needs; more than zstd's own default of 128 MiB is refused.
    constexpr int kLargestWindow = 27;
    ZSTD_DCtx_setParameter(unpacking_.get(), ZSTD_d_windowLogMax, kLargestWindow);
  }

  std::size_t read(char* to, std::size_t count) override {
    ZSTD_outBuffer out{to, count, 0};
    while (out.pos == 0) {
      // What was unpacked already and had no room comes before new input.
      if (in_.pos == in_.size && !more_inside_ && !fill()) {
        if (frame_open_) fail("{}: the zstd data ends too early", where());
        return 0;
      }
      const std::size_t left = ZSTD_decompressStream(unpacking_.get(), &out, &in_);
      if (ZSTD_isError(left)) fail("{}: the zstd data is damaged: {}", where(), ZSTD_getErrorName(left));
      frame_open_ = left != 0;
      more_inside_ = out.pos == out.size && frame_open_;
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  bool fill() {
    in_ = {bytes_.data(), packed_->read(bytes_.data(), bytes_.size()), 0};
    return in_.size > 0;
  }

  std::unique_ptr<ByteStream> packed_;
  std::unique_ptr<ZSTD_DCtx, Free> unpacking_;
  std::vector<char> bytes_;
  ZSTD_inBuffer in_ = {nullptr, 0, 0};
  bool frame_open_ = false, more_inside_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> unpack_zstd(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<ZstdStream>(std::move(packed));
}

}  // namespace internal
}  // namespace fovea
