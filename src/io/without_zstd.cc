// zstd in a library that was built with -DFOVEA_ZSTD=OFF; otherwise io/zstd_stream.cc unpacks it.
#include "core/fail.h"
#include "io/byte_stream.h"

namespace fovea {
inline namespace internal {

std::unique_ptr<ByteStream> unpack_zstd(std::unique_ptr<ByteStream> packed) {
  fail("{}: is packed by zstd, and this fovea was built with FOVEA_ZSTD=OFF; unpack it, or build with ON",
       packed->where());
}

}  // namespace internal
}  // namespace fovea
