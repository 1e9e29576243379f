#include "io/zip_writer.h"

#include <zlib.h>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/little_endian.h"
#include "io/messages.h"
#include "io/zip_format.h"

namespace fovea {
namespace {

void append16(std::string& bytes, std::size_t value) {
  append_little_endian(bytes, static_cast<std::uint16_t>(value));
}
void append32(std::string& bytes, std::size_t value) {
  append_little_endian(bytes, static_cast<std::uint32_t>(value));
}

// The fields that the local header and the directory have in common, from "version needed" to the length of
// the extra field. The date is 1980-01-01, the first there is.
std::string common_fields(std::string_view name, std::size_t size, std::uint32_t crc) {
  std::string fields;
  append16(fields, 20);        // version needed: 2.0
  append16(fields, kZipUtf8);  // flags
  append16(fields, kZipStored);
  append16(fields, 0);               // time
  append16(fields, (1u << 5) | 1u);  // date: month 1, day 1
  append32(fields, crc);
  append32(fields, size);  // compressed
  append32(fields, size);
  append16(fields, name.size());
  append16(fields, 0);  // extra field
  return fields;
}

std::uint32_t crc_of(std::string_view header, std::string_view data) {
  uLong crc = 0;
  for (const std::string_view piece : {header, data}) {
    if (piece.empty()) continue;  // a null pointer would start zlib's sum anew
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view header, std::string_view data) {
  if (!is_utf8(name) || name.size() > 0xFFFF) {
    fail("{}: the name {} is not UTF-8, or too long", where_, in_quotes(name));
  }
  const std::uint64_t begin = file_.written();
  const std::uint64_t size = std::uint64_t{header.size()} + data.size();
  const std::uint64_t end = begin + kZipLocalSize + name.size() + size;
  const std::uint64_t archive = end + directory_.size() + kZipCentralSize + name.size() + kZipEndSize;
  if (archive >= kZip64Size || entries_ + 1 >= kZip64Count) {
    fail("{}: an npz file is limited to 4 GiB and 65,534 arrays; use .safetensors", where_);
  }
  const std::string fields = common_fields(name, size, crc_of(header, data));
  std::string local;
  append32(local, kZipLocal);
  file_.write(local + fields);
  file_.write(name);
  file_.write(header);
  file_.write(data);

  append32(directory_, kZipCentral);
  append16(directory_, 3u << 8 | 20);  // made by: Unix, 2.0
  directory_ += fields;
  append16(directory_, 0);               // comment
  append16(directory_, 0);               // disk
  append16(directory_, 0);               // internal attributes
  append32(directory_, 0100644u << 16);  // a regular file, rw-r--r--
  append32(directory_, begin);
  directory_ += name;
  ++entries_;
}

void ZipWriter::finish() {
  std::string end;
  append32(end, kZipEnd);
  append16(end, 0);  // this disk
  append16(end, 0);  // the directory's disk
  append16(end, entries_);
  append16(end, entries_);
  append32(end, directory_.size());
  append32(end, file_.written());
  append16(end, 0);  // comment
  file_.write(directory_);
  file_.write(end);
}

}  // namespace fovea
