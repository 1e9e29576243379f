#include "io/zip_reader.h"

#include <zlib.h>

#include <algorithm>

#include "core/fail.h"
#include "core/utf8.h"
#include "fovea/npz.h"
#include "io/little_endian.h"
#include "io/messages.h"
#include "io/zip_format.h"

namespace fovea {
namespace {

constexpr std::string_view kZip64Refusal =
    "is a zip64 archive (4 GiB or more, or over 65,534 arrays), which is not supported; use safetensors";

struct Directory {
  std::uint64_t begin = 0, end = 0;
  unsigned entries = 0;
};

// Finds the end record: the last one whose comment reaches exactly to the end of the file.
Directory find_directory(const ByteSource& archive, const std::string& where) {
  constexpr std::uint64_t kLongestTail = kZipEndSize + 0xFFFF;
  const std::uint64_t tail_begin = archive.size() - std::min(archive.size(), kLongestTail);
  const std::string tail = archive.bytes(tail_begin, static_cast<std::size_t>(archive.size() - tail_begin));
  if (tail.size() < kZipEndSize || little_endian<std::uint32_t>(archive.bytes(0, 4), 0) == 0) {
    fail("{}: not an npz file: it is not a zip archive", where);
  }
  std::size_t at = tail.size() - kZipEndSize;
  while (little_endian<std::uint32_t>(tail, at) != kZipEnd ||
         at + kZipEndSize + little_endian<std::uint16_t>(tail, at + 20) != tail.size()) {
    if (at-- == 0) fail("{}: has no zip directory at its end: not an npz file, or truncated", where);
  }
  const auto field16 = [&](std::size_t offset) { return little_endian<std::uint16_t>(tail, at + offset); };
  const auto size = little_endian<std::uint32_t>(tail, at + 12);
  const auto begin = little_endian<std::uint32_t>(tail, at + 16);
  const unsigned entries = field16(10);
  if (entries == kZip64Count || size == kZip64Size || begin == kZip64Size)
    fail("{}: {}", where, kZip64Refusal);
  if (field16(4) != 0 || field16(6) != 0 || field16(8) != entries) {
    fail("{}: is one part of a multi-part archive", where);
  }
  const std::uint64_t end = tail_begin + at;
  if (std::uint64_t{begin} + size != end) {
    fail("{}: the zip directory should be bytes {} to {}, it ends at {}", where, grouped(begin),
         grouped(std::uint64_t{begin} + size), grouped(end));
  }
  return {begin, end, entries};
}

// One record of the directory, and where its data is.
struct Record {
  ZipEntry entry;
  std::uint64_t begin = 0, end = 0;  // in the archive, from the local header to the end of the data
  std::uint64_t length = 0;          // of the record itself
};

// Finds the data behind the local header at `record.begin`, which repeats name and method.
void locate_data(const ByteSource& archive, std::uint64_t limit, const std::string& where, Record& record) {
  const std::uint64_t begin = record.begin;
  const bool fits = begin <= limit && limit - begin >= kZipLocalSize;
  const std::string local = fits ? archive.bytes(begin, kZipLocalSize) : "";
  if (!fits || little_endian<std::uint32_t>(local, 0) != kZipLocal) {
    fail("{}: has no header at byte {}, where the zip directory expects it", where, grouped(begin));
  }
  const std::size_t name_length = little_endian<std::uint16_t>(local, 26);
  const std::uint64_t data = begin + kZipLocalSize + name_length + little_endian<std::uint16_t>(local, 28);
  if (data > limit || limit - data < record.entry.stored_size) {
    fail("{}: {} bytes of data do not fit before the directory", where, grouped(record.entry.stored_size));
  }
  const bool deflated = little_endian<std::uint16_t>(local, 8) == kZipDeflated;
  if (archive.bytes(begin + kZipLocalSize, name_length) != record.entry.name ||
      deflated != record.entry.deflated) {
    fail("{}: header and directory disagree", where);
  }
  record.entry.begin = data;
  record.end = data + record.entry.stored_size;
}

Record read_record(const ByteSource& archive, std::uint64_t at, const Directory& directory,
                   const std::string& where) {
  const bool fits = directory.end - at >= kZipCentralSize;
  const std::string central = fits ? archive.bytes(at, kZipCentralSize) : "";
  if (!fits || little_endian<std::uint32_t>(central, 0) != kZipCentral) {
    fail("{}: the zip directory is damaged at byte {}", where, grouped(at));
  }
  const auto field16 = [&](std::size_t offset) { return little_endian<std::uint16_t>(central, offset); };
  const auto field32 = [&](std::size_t offset) { return little_endian<std::uint32_t>(central, offset); };
  Record record;
  record.length = kZipCentralSize + field16(28) + field16(30) + field16(32);
  if (directory.end - at < record.length) fail("{}: the zip directory is truncated", where);
  record.entry.name = archive.bytes(at + kZipCentralSize, field16(28));
  const std::string entry_where = fmt::format("{}: entry {}", where, in_quotes(record.entry.name));
  if (!is_utf8(record.entry.name)) fail("{}: the name is not UTF-8", entry_where);

  const unsigned method = field16(10);
  if ((field16(8) & kZipEncrypted) != 0) fail("{}: is encrypted", entry_where);
  if (method != kZipStored && method != kZipDeflated) {
    fail("{}: unsupported compression method {}; supported: 0 (none) and 8 (deflate)", entry_where, method);
  }
  if (field32(20) == kZip64Size || field32(24) == kZip64Size || field32(42) == kZip64Size) {
    fail("{}: {}", where, kZip64Refusal);
  }
  record.entry.deflated = method == kZipDeflated;
  record.entry.crc = field32(16);
  record.entry.stored_size = field32(20);
  record.entry.size = field32(24);
  record.begin = field32(42);
  locate_data(archive, directory.begin, entry_where, record);
  return record;
}

}  // namespace

std::vector<ZipEntry> read_zip(const ByteSource& archive, const std::string& where) {
  const Directory directory = find_directory(archive, where);
  std::vector<Record> records;
  std::uint64_t at = directory.begin;
  for (unsigned i = 0; i < directory.entries; ++i) {
    records.push_back(read_record(archive, at, directory, where));
    at += records.back().length;
  }
  if (at != directory.end)
    fail("{}: the zip directory has more than its {} entries", where, directory.entries);

  std::vector<ZipEntry> entries;
  for (const Record& record : records) entries.push_back(record.entry);
  // Entries that share data are how a small archive unpacks to a huge one.
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].begin < records[i - 1].end) {
      fail("{}: entries {} and {} overlap", where, in_quotes(records[i - 1].entry.name),
           in_quotes(records[i].entry.name));
    }
  }
  return entries;
}

// zlib at work, and the stored bytes it has not taken yet.
struct ZipEntryReader::Inflating {
  explicit Inflating(const std::string& where) {
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail("{}: cannot initialise zlib", where);
  }
  ~Inflating() { inflateEnd(&stream); }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;

  z_stream stream = {};
  std::string stored;
  bool ended = false;
};

ZipEntryReader::ZipEntryReader(const ByteSource& archive, const ZipEntry& entry, const std::string& where)
    : archive_(archive), entry_(entry), where_(where), crc_(crc32_z(0, nullptr, 0)) {
  if (entry.deflated) {
    // Deflate packs at most 1,032 bytes into one: a size beyond that is a lie, seen before anything is
    // read.
    if (entry.size / 1032 > entry.stored_size) {
      fail("{}: {} bytes cannot inflate to {}", where, grouped(entry.stored_size), grouped(entry.size));
    }
    inflating_ = std::make_unique<Inflating>(where);
  } else if (entry.stored_size != entry.size) {
    fail("{}: expected {} bytes, {} are stored", where, grouped(entry.size), grouped(entry.stored_size));
  }
}

ZipEntryReader::~ZipEntryReader() = default;

void ZipEntryReader::fill() {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
  const auto count = static_cast<std::size_t>(std::min(kPiece, entry_.stored_size - stored_read_));
  inflating_->stored = archive_.bytes(entry_.begin + stored_read_, count);
  stored_read_ += count;
  inflating_->stream.next_in = reinterpret_cast<Bytef*>(inflating_->stored.data());
  inflating_->stream.avail_in = static_cast<uInt>(count);
}

// Up to `count` bytes; 0 only at the end of the stream.
std::size_t ZipEntryReader::inflate_some(char* to, std::size_t count) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;  // zlib counts in 32 bits
  z_stream& stream = inflating_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(std::min(count, kPiece));
  const auto wanted = stream.avail_out;
  while (!inflating_->ended && stream.avail_out == wanted) {
    if (stream.avail_in == 0) fill();
    const int status = inflate(&stream, Z_NO_FLUSH);
    inflating_->ended = status == Z_STREAM_END;
    const bool stuck = status == Z_BUF_ERROR && stream.avail_in == 0 && stored_read_ < entry_.stored_size;
    if (status != Z_OK && status != Z_STREAM_END && !stuck) damaged(read_ + (wanted - stream.avail_out));
  }
  return wanted - stream.avail_out;
}

void ZipEntryReader::read(char* to, std::size_t count) {
  while (count > 0) {
    std::size_t got = count;
    if (read_ + count > entry_.size) damaged(read_ + count);  // cannot be: callers stay within the size
    if (inflating_ != nullptr) {
      got = inflate_some(to, count);
      if (got == 0) damaged(read_);
    } else {
      archive_.read(entry_.begin + read_, to, count);
    }
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(to), got);
    read_ += got;
    to += got;
    count -= got;
  }
}

void ZipEntryReader::finish() {
  if (inflating_ != nullptr) {
    char extra = 0;
    const std::uint64_t all = read_ + inflate_some(&extra, 1);  // one more shows data that is too long
    const bool all_taken = inflating_->stream.avail_in == 0 && stored_read_ == entry_.stored_size;
    if (all != entry_.size || !inflating_->ended || !all_taken) damaged(all);
  }
  if (crc_ != entry_.crc) {
    fail("{}: expected checksum {:08x}, the data have {:08x}", where_, entry_.crc, crc_);
  }
}

void ZipEntryReader::damaged(std::uint64_t inflated) const {
  fail("{}: the compressed data are damaged: expected {} bytes, got {}", where_, grouped(entry_.size),
       grouped(inflated));
}

const char* version_of_zlib() { return zlibVersion(); }

}  // namespace fovea
