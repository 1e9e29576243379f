#include "plot/png_file.h"

#include <zlib.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/fail.h"

namespace fovea {
namespace {

constexpr std::size_t kChannels = 3;

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFFu);
}

void append_chunk(std::string& file, std::string_view type, std::string_view content) {
  const std::string body = std::string(type) + std::string(content);
  append_big_endian(file, static_cast<std::uint32_t>(content.size()));
  file += body;
  append_big_endian(file, static_cast<std::uint32_t>(
                              crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size())));
}

std::string header(const PngSource& source) {
  std::string bytes;
  append_big_endian(bytes, static_cast<std::uint32_t>(source.width));
  append_big_endian(bytes, static_cast<std::uint32_t>(source.height));
  return bytes +
         std::string("\x08\x02\0\0\0", 5);  // 8 bits, RGB, the only methods there are, not interlaced
}

std::string physical_size(double dots_per_inch) {
  const auto dots_per_meter = static_cast<std::uint32_t>(std::lround(dots_per_inch / 0.0254));
  std::string bytes;
  append_big_endian(bytes, dots_per_meter);
  append_big_endian(bytes, dots_per_meter);
  return bytes + '\1';  // the unit is the metre
}

std::string row_bytes(const std::uint32_t* pixels, int width) {
  std::string bytes;
  bytes.reserve(kChannels * static_cast<std::size_t>(width));
  for (int x = 0; x < width; ++x) {
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(pixels[x] >> shift & 0xFFu);
  }
  return bytes;
}

// The row as differences, with the number of the filter in front: of the filters of PNG (the values
// themselves; minus the pixel to the left; minus the one above) the one whose numbers are smallest in sum,
// which zlib packs best as a rule.
std::string filtered(const std::string& row, const std::string& above) {
  std::string best;
  long best_sum = 0;
  for (const char filter : {'\0', '\1', '\2'}) {
    std::string line(1, filter);
    line.reserve(row.size() + 1);
    long sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const char left = i < kChannels ? '\0' : row[i - kChannels];
      const char difference = static_cast<char>(row[i] - (filter == 0   ? '\0'
                                                          : filter == 1 ? left
                                                                        : above[i]));
      sum += std::abs(static_cast<int>(static_cast<signed char>(difference)));
      line += difference;
    }
    if (filter == 0 || sum < best_sum) best = std::move(line), best_sum = sum;
  }
  return best;
}

// Packs piece after piece.
class Packer {
 public:
  Packer() {
    if (deflateInit(&stream_, Z_DEFAULT_COMPRESSION) != Z_OK) fail("[png] cannot initialise zlib");
  }
  ~Packer() { deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void add(std::string piece, bool last) {
    stream_.next_in = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      packed_.append(buffer_.data(), buffer_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }
  const std::string& packed() const { return packed_; }

 private:
  z_stream stream_ = {};
  std::array<char, 1 << 14> buffer_;
  std::string packed_;
};

}  // namespace

std::string encode_png(const PngSource& source) {
  Packer packer;
  std::string above(kChannels * static_cast<std::size_t>(source.width), '\0');
  for (int y = 0; y < source.height; ++y) {
    std::string row = row_bytes(source.row(y), source.width);
    packer.add(filtered(row, above), y + 1 == source.height);
    above = std::move(row);
  }
  std::string file = "\x89PNG\r\n\x1A\n";
  append_chunk(file, "IHDR", header(source));
  if (source.dots_per_inch > 0) append_chunk(file, "pHYs", physical_size(source.dots_per_inch));
  append_chunk(file, "IDAT", packer.packed());
  append_chunk(file, "IEND", "");
  return file;
}

}  // namespace fovea
