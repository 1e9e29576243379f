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
    "is a zip64 archive (4 GiB or more, or over 65,534 arrays), which is not read; use safetensors";

struct Directory {
  std::size_t begin = 0, end = 0;
  unsigned entries = 0;
};

// Finds the end record: the last one whose comment reaches exactly to the end of the file.
Directory find_directory(std::string_view archive, const std::string& where) {
  if (archive.size() < kZipEndSize || little_endian<std::uint32_t>(archive, 0) == 0) {
    fail("{}: is not a zip archive, which an npz file is", where);
  }
  std::size_t at = archive.size() - kZipEndSize;
  const std::size_t lowest = at - std::min<std::size_t>(at, 0xFFFF);
  while (little_endian<std::uint32_t>(archive, at) != kZipEnd ||
         at + kZipEndSize + little_endian<std::uint16_t>(archive, at + 20) != archive.size()) {
    if (at-- == lowest) fail("{}: has no zip directory at its end: not an npz file, or cut short", where);
  }
  const auto field16 = [&](std::size_t offset) {
    return little_endian<std::uint16_t>(archive, at + offset);
  };
  const auto size = little_endian<std::uint32_t>(archive, at + 12);
  const auto begin = little_endian<std::uint32_t>(archive, at + 16);
  const unsigned entries = field16(10);
  if (entries == kZip64Count || size == kZip64Size || begin == kZip64Size)
    fail("{}: {}", where, kZip64Refusal);
  if (field16(4) != 0 || field16(6) != 0 || field16(8) != entries) {
    fail("{}: is one part of several of an archive", where);
  }
  if (std::uint64_t{begin} + size != at) {
    fail("{}: the zip directory should be bytes {} to {}, it ends at {}", where, grouped(begin),
         grouped(std::uint64_t{begin} + size), grouped(at));
  }
  return {begin, at, entries};
}

// One record of the directory, and where its data is.
struct Record {
  ZipEntry entry;
  std::size_t begin = 0, end = 0;  // in the archive, from the local header to the end of the data
  std::size_t length = 0;          // of the record itself
};

// Finds the data behind the local header at `record.begin`, which repeats name and method.
void locate_data(std::string_view archive, std::size_t stored_size, std::size_t limit,
                 const std::string& where, Record& record) {
  const std::size_t begin = record.begin;
  if (begin > limit || limit - begin < kZipLocalSize ||
      little_endian<std::uint32_t>(archive, begin) != kZipLocal) {
    fail("{}: has no header at byte {}, where the directory says", where, grouped(begin));
  }
  const std::size_t name_length = little_endian<std::uint16_t>(archive, begin + 26);
  const std::size_t data =
      begin + kZipLocalSize + name_length + little_endian<std::uint16_t>(archive, begin + 28);
  if (data > limit || limit - data < stored_size) {
    fail("{}: {} bytes of data do not fit before the directory", where, grouped(stored_size));
  }
  const bool deflated = little_endian<std::uint16_t>(archive, begin + 8) == kZipDeflated;
  if (archive.substr(begin + kZipLocalSize, name_length) != record.entry.name ||
      deflated != record.entry.deflated) {
    fail("{}: header and directory tell different things", where);
  }
  record.entry.data = archive.substr(data, stored_size);
  record.end = data + stored_size;
}

Record read_record(std::string_view archive, std::size_t at, const Directory& directory,
                   const std::string& where) {
  if (directory.end - at < kZipCentralSize || little_endian<std::uint32_t>(archive, at) != kZipCentral) {
    fail("{}: the zip directory is damaged at byte {}", where, grouped(at));
  }
  const auto field16 = [&](std::size_t offset) {
    return little_endian<std::uint16_t>(archive, at + offset);
  };
  const auto field32 = [&](std::size_t offset) {
    return little_endian<std::uint32_t>(archive, at + offset);
  };
  Record record;
  record.length = kZipCentralSize + field16(28) + field16(30) + field16(32);
  if (directory.end - at < record.length) fail("{}: the zip directory is cut short", where);
  record.entry.name = archive.substr(at + kZipCentralSize, field16(28));
  const std::string entry_where = fmt::format("{}: entry {}", where, in_quotes(record.entry.name));
  if (!is_utf8(record.entry.name)) fail("{}: the name is not UTF-8", entry_where);

  const unsigned method = field16(10);
  if ((field16(8) & kZipEncrypted) != 0) fail("{}: is encrypted", entry_where);
  if (method != kZipStored && method != kZipDeflated) {
    fail("{}: compression method {} is not read; 0 (none) and 8 (deflate) are", entry_where, method);
  }
  if (field32(20) == kZip64Size || field32(24) == kZip64Size || field32(42) == kZip64Size) {
    fail("{}: {}", where, kZip64Refusal);
  }
  record.entry.deflated = method == kZipDeflated;
  record.entry.crc = field32(16);
  record.entry.size = field32(24);
  record.begin = field32(42);
  locate_data(archive, field32(20), directory.begin, entry_where, record);
  return record;
}

}  // namespace

std::vector<ZipEntry> read_zip(std::string_view archive, const std::string& where) {
  const Directory directory = find_directory(archive, where);
  std::vector<Record> records;
  std::size_t at = directory.begin;
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

std::string_view zip_content(const ZipEntry& entry, std::string& buffer, const std::string& where) {
  std::string_view content = entry.data;
  if (entry.deflated) {
    // Deflate packs at most 1,032 bytes into one: a size beyond that is a lie, seen before allocating.
    if (entry.size / 1032 > entry.data.size()) {
      fail("{}: {} bytes cannot inflate to {}", where, grouped(entry.data.size()), grouped(entry.size));
    }
    buffer.assign(std::size_t{entry.size} + 1, '\0');  // one more shows data that is too long
    z_stream stream = {};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(entry.data.data()));
    stream.avail_in = static_cast<uInt>(entry.data.size());
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail("{}: zlib does not start", where);
    const int status = inflate(&stream, Z_FINISH);
    const std::size_t inflated = stream.total_out;
    const bool all_read = stream.avail_in == 0;
    inflateEnd(&stream);
    if (status != Z_STREAM_END || !all_read || inflated != entry.size) {
      fail("{}: the compressed data are damaged: {} bytes expected, {} inflated", where,
           grouped(entry.size), grouped(inflated));
    }
    content = std::string_view(buffer).substr(0, inflated);
  } else if (entry.data.size() != entry.size) {
    fail("{}: {} bytes expected, {} are stored", where, grouped(entry.size), grouped(entry.data.size()));
  }
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  if (crc != entry.crc) fail("{}: check sum {:08x} expected, the data have {:08x}", where, entry.crc, crc);
  return content;
}

const char* version_of_zlib() { return zlibVersion(); }

}  // namespace fovea
